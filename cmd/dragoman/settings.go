package main

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
)

// settings are the flags that choose a configuration and override it. A command declares
// those that it has a use for: newSettings, and the methods with… below.
type settings struct {
	flags               *flagSet
	file                string // --config
	listen, adminListen string
	simulated, insecure bool
	inspect             bool // --inspect
	idle                bool // nobody is served
}

// newSettings declares the flags that every command with a configuration takes.
func newSettings(fs *flagSet) *settings {
	s := &settings{flags: fs}
	fs.StringVar(&s.file, "config", "", "read the configuration from `FILE` (YAML)")
	return s
}

// withServing declares the flags that say where to listen, and what to serve.
func (s *settings) withServing() *settings {
	s.withAdmin()
	s.flags.StringVar(&s.listen, "listen", "", "listen for clients on `ADDRESS`, host:port; port 0 takes a free one, and without a file it is 127.0.0.1:8484")
	s.withSimulated()
	s.flags.BoolVar(&s.insecure, "insecure", false, "serve without authentication on an address that other machines can reach")
	s.flags.BoolVar(&s.inspect, "inspect", false, "keep what clients and models write, and show it at /inspector/ of the admin listener: the URL, with a token, is printed")
	return s
}

// withSimulated declares the flag that serves the simulated model alone.
func (s *settings) withSimulated() *settings {
	s.flags.BoolVar(&s.simulated, "simulated", false, "answer every model name from the built-in simulated model")
	return s
}

// withAdmin declares the flag for the address of operators.
func (s *settings) withAdmin() *settings {
	s.flags.StringVar(&s.adminListen, "admin-listen", "", "listen for /healthz, /readyz and /metrics on `ADDRESS`; without a file it is 127.0.0.1:8485")
	return s
}

// notListening is for commands that serve nobody. The configuration may then lack the keys
// that an address needs which other machines can reach, and the files of tls.
func (s *settings) notListening() *settings {
	s.idle = true
	return s
}

// load reads the configuration and checks it. The error is config.Problems, which lists
// all that is wrong.
func (s *settings) load(p process) (*config.Config, error) {
	return config.Load(config.Source{
		File:        s.file,
		Listen:      config.Override{Value: s.listen, From: s.flags.from["listen"]},
		AdminListen: config.Override{Value: s.adminListen, From: s.flags.from["admin-listen"]},
		Simulated:   s.simulated,
		Insecure:    s.insecure,
		Inspect:     s.inspect,
		Idle:        s.idle,
		Getenv:      p.getenv,
	})
}

// newServer returns the proxy for a configuration, and the upstreams that it asks:
// see newUpstreams. Both count in the metrics. The options are changed by the functions. The error is
// config.Problems.
func newServer(ctx context.Context, cfg *config.Config, counts *metrics.Metrics, log zerolog.Logger, change ...func(*proxy.Options)) (*proxy.Server, map[string]proxy.Upstream, error) {
	upstreams, err := newUpstreams(ctx, cfg, counts)
	if err != nil {
		return nil, nil, err
	}
	server, err := newProxy(cfg, upstreams, counts, log, change...)
	return server, upstreams, err
}

// newUpstreams returns every upstream of a configuration, by its name and by the keys of
// the models ([proxy.UpstreamModel.UpstreamKey]). No upstream is called yet. The error is
// config.Problems.
func newUpstreams(ctx context.Context, cfg *config.Config, counts *metrics.Metrics) (map[string]proxy.Upstream, error) {
	upstreams := map[string]proxy.Upstream{}
	var problems config.Problems
	for _, u := range cfg.Upstreams {
		up, err := newUpstream(ctx, cfg, u, counts)
		if err != nil {
			problems = append(problems, config.Problem{
				Where: cfg.File, Key: "upstreams." + u.Name, Cause: err.Error(), Fix: "mend the upstream or its environment",
			})
		}
		upstreams[u.Name] = up
	}
	if len(problems) > 0 {
		return nil, problems
	}
	for _, route := range cfg.Models {
		for _, m := range route.UpstreamModels() {
			upstreams[m.UpstreamKey()] = overWire(m.Wire, upstreams[m.Upstream])
		}
	}
	return upstreams, nil
}

// overWire returns the upstream as it is asked over a wire. That the upstream has the wire
// has been checked with the configuration.
func overWire(wire string, up proxy.Upstream) proxy.Upstream {
	b, isBedrock := up.(*upstream.Bedrock)
	v, isVertex := up.(*upstream.Vertex)
	switch {
	case isBedrock && wire == proxy.WireMessages:
		return b.Messages()
	case isBedrock && wire == proxy.WireText:
		return b.Text()
	case isBedrock && wire == proxy.WireConverse:
		return b.Converse()
	case isVertex && wire == proxy.WireMessages:
		return v.Messages()
	case isVertex && wire == proxy.WireChat:
		return v.Chat()
	}
	return up
}

// newUpstream returns one upstream. The metrics are for the expiry of its credentials.
func newUpstream(ctx context.Context, cfg *config.Config, u config.Upstream, counts *metrics.Metrics) (proxy.Upstream, error) {
	connect := upstream.Connect(cfg.Connect)
	expires := func(end time.Time) { counts.CredentialExpiry.WithLabelValues(u.Name).Set(float64(end.Unix())) }
	switch u.Kind {
	case config.Bedrock:
		return upstream.NewBedrock(ctx, upstream.BedrockOptions{
			Region: u.Region, Profile: u.Profile, Endpoint: u.Endpoint, Connect: connect, Roots: u.Roots,
			OnCredentials: expires,
		})
	case config.Vertex:
		return upstream.NewVertex(ctx, upstream.VertexOptions{
			Project: u.Project, Location: u.Location, Endpoint: u.Endpoint, Credentials: u.Credentials,
			Connect: connect, Roots: u.Roots,
			OnToken: expires,
		})
	case config.Anthropic:
		return upstream.NewAnthropic(upstream.AnthropicOptions{
			BaseURL: u.BaseURL, APIKey: u.APIKey, Connect: connect, Roots: u.Roots,
		})
	case config.OpenAI:
		return upstream.NewOpenAI(upstream.OpenAIOptions{
			BaseURL: u.BaseURL, APIKey: u.APIKey, Connect: connect, Roots: u.Roots,
		})
	default:
		return simulated.New(), nil
	}
}

// newProxy returns the proxy for a configuration with these upstreams: those of newUpstreams,
// or the demo's own. The error is config.Problems.
func newProxy(cfg *config.Config, upstreams map[string]proxy.Upstream, counts *metrics.Metrics, log zerolog.Logger, change ...func(*proxy.Options)) (*proxy.Server, error) {
	opt := proxy.Options{
		Routes:    cfg.Models,
		Upstreams: upstreams,
		Keys:      cfg.Keys,
		Strict:    cfg.Strict,
		BodyBytes: cfg.BodyBytes,
		Attempts:  int(cfg.Attempts),
		Timeouts:  cfg.Timeouts,
		Log:       log,
		Metrics:   counts,

		FinishAbandoned:  cfg.FinishAbandoned,
		MaxConcurrent:    cfg.MaxConcurrent,
		MaxInflightBytes: cfg.MaxInflightBytes,
		Hosts:            cfg.Hosts,
		Origins:          cfg.Origins,
		Loopback:         cfg.Loopback,
		AdminLoopback:    cfg.AdminLoopback,
	}
	for _, f := range change {
		f(&opt)
	}
	server, err := proxy.New(opt)
	if err != nil {
		return nil, config.Problems{{Where: cfg.File, Cause: err.Error()}}
	}
	return server, nil
}
