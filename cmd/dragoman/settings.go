package main

import (
	"context"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/proxy/telemetry"
)

// settings are the flags that choose a configuration and override it. A command declares
// those that it has a use for: newSettings, and the methods with… below.
type settings struct {
	flags               *flagSet
	file                string // --config
	listen, adminListen string
	logFormat, logLevel string
	simulated, insecure bool
	inspect             bool // --inspect
	idle                bool // nobody is served
	wraps               bool // a command runs that has the same environment
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
	s.flags.oneOf(&s.logFormat, "log-format", "", config.LogFormats(), "write the log in the form `FORMAT`; auto, the default, is console on a terminal and else json")
	s.flags.oneOf(&s.logLevel, "log-level", "", config.LogLevels(), "log nothing below `LEVEL`; the default is info")
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

// loading reads a configuration and checks it. The error is config.Problems.
type loading = func(p process, running *config.Config) (*config.Config, error)

// load reads the configuration and checks it. The error is config.Problems, which lists
// all that is wrong.
func (s *settings) load(p process) (*config.Config, error) { return s.loadBeside(p, nil) }

// loadBeside is load for a process in which a configuration is in effect: what takes a restart stays
// as it is there.
func (s *settings) loadBeside(p process, running *config.Config) (*config.Config, error) {
	inspect := config.Override{From: s.flags.from["inspect"]}
	if s.inspect {
		inspect.Value = "true"
	}
	return config.Load(config.Source{
		File:        s.file,
		Listen:      config.Override{Value: s.listen, From: s.flags.from["listen"]},
		AdminListen: config.Override{Value: s.adminListen, From: s.flags.from["admin-listen"]},
		LogFormat:   config.Override{Value: s.logFormat, From: s.flags.from["log-format"]},
		LogLevel:    config.Override{Value: s.logLevel, From: s.flags.from["log-level"]},
		Simulated:   s.simulated,
		Insecure:    s.insecure,
		Inspect:     inspect,
		Idle:        s.idle,
		Wraps:       s.wraps,
		Getenv:      p.getenv,
		Running:     running,
	})
}

// newServer returns the proxy for a configuration, and the upstreams that it asks. Both count in the
// metrics, and tell the telemetry, which may be nil. The functions change the options of the proxy. The
// error is config.Problems.
func newServer(ctx context.Context, cfg *config.Config, counts *metrics.Metrics, tel *telemetry.Telemetry, log zerolog.Logger, change ...func(*proxy.Options)) (*proxy.Server, fleet, error) {
	upstreams, err := newFleet(ctx, cfg, counts, tel, nil)
	if err != nil {
		return nil, nil, err
	}
	server, err := newProxy(cfg, upstreams.byKey(cfg.Models), counts, tel, log, change...)
	return server, upstreams, err
}

// unlisted returns the upstreams that are not asked which models they have, by their names.
func unlisted(cfg *config.Config) map[string]bool {
	names := map[string]bool{}
	for _, u := range cfg.Upstreams {
		names[u.Name] = u.Unlisted
	}
	return names
}

// newProxy returns the proxy for a configuration with these upstreams: those of a fleet, or the
// demo's own. The error is config.Problems.
func newProxy(cfg *config.Config, upstreams map[string]proxy.Upstream, counts *metrics.Metrics, tel *telemetry.Telemetry, log zerolog.Logger, change ...func(*proxy.Options)) (*proxy.Server, error) {
	opt := optionsOf(cfg, upstreams, counts, tel, log)
	for _, f := range change {
		f(&opt)
	}
	server, err := proxy.New(opt)
	if err != nil {
		return nil, unusable(cfg, err)
	}
	return server, nil
}

// unusable returns the error for a configuration that the proxy does not take.
func unusable(cfg *config.Config, err error) error {
	return config.Problems{{Where: cfg.File, Cause: err.Error()}}
}

// optionsOf returns what the proxy is told of a configuration.
func optionsOf(cfg *config.Config, upstreams map[string]proxy.Upstream, counts *metrics.Metrics, tel *telemetry.Telemetry, log zerolog.Logger) proxy.Options {
	return proxy.Options{
		Routes:    cfg.Models,
		Upstreams: upstreams,
		Keys:      cfg.Keys,
		Strict:    cfg.Strict,
		BodyBytes: cfg.BodyBytes,
		Attempts:  int(cfg.Attempts),
		Timeouts:  cfg.Timeouts,
		Log:       log,
		Metrics:   counts,
		Config:    cfg.Hash(),
		Observe:   observers(tel, cfg),

		Unlisted:         unlisted(cfg),
		FinishAbandoned:  cfg.FinishAbandoned,
		MaxConcurrent:    cfg.MaxConcurrent,
		MaxInflightBytes: cfg.MaxInflightBytes,
		Hosts:            cfg.Hosts,
		Origins:          cfg.Origins,
		Loopback:         cfg.Loopback,
		AdminLoopback:    cfg.AdminLoopback,
	}
}
