package main

import (
	"context"
	"time"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/proxy/telemetry"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
)

// fleet is the upstreams of a configuration, by their names.
type fleet map[string]*member

// member is an upstream, and what it was made of.
type member struct {
	upstream    proxy.Upstream
	entry       config.Upstream
	connect     time.Duration
	credentials *metrics.Credentials
}

// newFleet returns the upstreams of a configuration. Those that before has, made of the same, stay: with
// their connections and their credentials. No upstream is called yet. The error is config.Problems.
func newFleet(ctx context.Context, cfg *config.Config, counts *metrics.Metrics, tel *telemetry.Telemetry, before fleet) (fleet, error) {
	f := fleet{}
	var problems config.Problems
	for _, u := range cfg.Upstreams {
		if m := before[u.Name]; m != nil && m.entry.Same(u) && m.connect == cfg.Connect {
			f[u.Name] = m
			continue
		}
		credentials := counts.NewCredentials(u.Name)
		up, err := newUpstream(ctx, cfg, u, credentials, tel)
		if err != nil {
			problems = append(problems, config.Problem{
				Where: cfg.File, Key: "upstreams." + u.Name, Cause: err.Error(), Fix: "mend the upstream or its environment",
			})
			continue
		}
		f[u.Name] = &member{up, u, cfg.Connect, credentials}
	}
	if len(problems) > 0 {
		f.closeBut(before)
		return nil, problems
	}
	return f, nil
}

// byName returns the upstreams by their names.
func (f fleet) byName() map[string]proxy.Upstream {
	upstreams := map[string]proxy.Upstream{}
	for name, m := range f {
		upstreams[name] = m.upstream
	}
	return upstreams
}

// closeBut closes the upstreams that none of the others has.
func (f fleet) closeBut(others ...fleet) {
	for name, m := range f {
		used := false
		for _, other := range others {
			used = used || other[name] == m
		}
		if c, keeps := m.upstream.(interface{ Close() }); keeps && !used {
			c.Close()
		}
	}
}

// giveUp has those that another fleet does not have tell the metrics no more when their credentials end.
func (f fleet) giveUp(next fleet) {
	for name, m := range f {
		if next[name] != m {
			m.credentials.Replace()
		}
	}
}

// newUpstream returns one upstream, which tells its credentials when they end.
func newUpstream(ctx context.Context, cfg *config.Config, u config.Upstream, credentials *metrics.Credentials, tel *telemetry.Telemetry) (proxy.Upstream, error) {
	connect := upstream.Connect(cfg.Connect)
	told := onRequest(tel)
	switch u.Kind {
	case config.Bedrock:
		return upstream.NewBedrock(ctx, upstream.BedrockOptions{
			Region: u.Region, Profile: u.Profile, Endpoint: u.Endpoint, Connect: connect, Roots: u.Roots,
			OnCredentials: credentials.EndAt, OnRequest: told,
		})
	case config.Vertex:
		return upstream.NewVertex(ctx, upstream.VertexOptions{
			Project: u.Project, Location: u.Location, Endpoint: u.Endpoint, Credentials: u.Credentials,
			Connect: connect, Roots: u.Roots,
			OnToken: credentials.EndAt, OnRequest: told,
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
