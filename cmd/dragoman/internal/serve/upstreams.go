package serve

import (
	"context"
	"time"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
)

// Upstreams are the upstreams of a configuration, keyed by name.
type Upstreams map[string]*member

// member is an upstream, and what it was made of.
type member struct {
	upstream    proxy.Upstream
	entry       config.Upstream
	connect     time.Duration
	credentials *metrics.Credentials
}

// NewUpstreams returns the upstreams of a configuration. It calls no upstream. The error is config.Problems.
func NewUpstreams(ctx context.Context, cfg *config.Config) (Upstreams, error) {
	p := process{metrics: metrics.New("")}
	return p.upstreams(ctx, cfg, nil)
}

// upstreams returns the upstreams of a configuration. Upstreams in before that are made of the same settings stay, with
// their connections and credentials.
func (p *process) upstreams(ctx context.Context, cfg *config.Config, before Upstreams) (Upstreams, error) {
	all := Upstreams{}
	var problems config.Problems
	for _, u := range cfg.Upstreams {
		if m := before[u.Name]; m != nil && m.entry.Same(u) && m.connect == cfg.Connect {
			all[u.Name] = m
			continue
		}
		credentials := p.metrics.NewCredentials(u.Name)
		up, err := newUpstream(ctx, cfg, u, credentials.EndAt, p.onRequest())
		if err != nil {
			problems = append(problems, config.Problem{
				Where: cfg.File, Key: "upstreams." + u.Name, Cause: err.Error(), Fix: "correct the upstream or its environment",
			})
			continue
		}
		all[u.Name] = &member{up, u, cfg.Connect, credentials}
	}
	if len(problems) > 0 {
		all.closeBut(before)
		return nil, problems
	}
	return all, nil
}

// ByName returns the upstreams in the form that the proxy takes.
func (all Upstreams) ByName() map[string]proxy.Upstream {
	upstreams := map[string]proxy.Upstream{}
	for name, m := range all {
		upstreams[name] = m.upstream
	}
	return upstreams
}

// Close closes all upstreams.
func (all Upstreams) Close() { all.closeBut() }

// closeBut closes the upstreams that are in none of the others.
func (all Upstreams) closeBut(others ...Upstreams) {
	for name, m := range all {
		used := false
		for _, other := range others {
			used = used || other[name] == m
		}
		if c, keeps := m.upstream.(interface{ Close() }); keeps && !used {
			c.Close()
		}
	}
}

// giveUp ends the credentials metrics of the upstreams that next does not have.
func (all Upstreams) giveUp(next Upstreams) {
	for name, m := range all {
		if next[name] != m {
			m.credentials.Replace()
		}
	}
}

// NewUpstream returns one upstream of a configuration.
func NewUpstream(ctx context.Context, cfg *config.Config, u config.Upstream) (proxy.Upstream, error) {
	return newUpstream(ctx, cfg, u, nil, nil)
}

// newUpstream returns one upstream. It calls expires when its credentials change, and told with its requests.
func newUpstream(ctx context.Context, cfg *config.Config, u config.Upstream, expires func(time.Time), told upstream.OnRequest) (proxy.Upstream, error) {
	connect := upstream.Connect(cfg.Connect)
	switch u.Kind {
	case config.Bedrock:
		return upstream.NewBedrock(ctx, upstream.BedrockOptions{
			Region: u.Region, Profile: u.Profile, Endpoint: u.Endpoint, Connect: connect, Roots: u.Roots,
			OnCredentials: expires, OnRequest: told,
		})
	case config.Vertex:
		return upstream.NewVertex(ctx, upstream.VertexOptions{
			Project: u.Project, Location: u.Location, Endpoint: u.Endpoint, Credentials: u.Credentials,
			Connect: connect, Roots: u.Roots,
			OnToken: expires, OnRequest: told,
		})
	case config.Anthropic:
		return upstream.NewAnthropic(upstream.ServerOptions{
			BaseURL: u.BaseURL, APIKey: u.APIKey, Connect: connect, Roots: u.Roots, OnRequest: told,
		})
	case config.OpenAI:
		return upstream.NewOpenAI(upstream.ServerOptions{
			BaseURL: u.BaseURL, APIKey: u.APIKey, Connect: connect, Roots: u.Roots, OnRequest: told,
		})
	default:
		return simulated.New(), nil
	}
}
