package serve

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/proxy"
	"dragoman/upstream"
)

// providers are the kinds of upstreams as the conventions of OpenTelemetry call who provides their models,
// which have no name for the simulated one.
var providers = map[string]string{
	config.Bedrock:   "aws.bedrock",
	config.Vertex:    "gcp.vertex_ai",
	config.Anthropic: "anthropic",
	config.OpenAI:    "openai",
	config.Simulated: "dragoman.simulated",
}

// observers returns who watches the exchanges of a configuration.
func (p *process) observers(cfg *config.Config) []proxy.Observe {
	all := slices.Clone(p.observe)
	if p.telemetry != nil {
		of := map[string]string{}
		for _, u := range cfg.Upstreams {
			of[u.Name] = providers[u.Kind]
		}
		all = append(all, p.telemetry.Observer(of))
	}
	if p.inspector != nil {
		all = append(all, p.inspector.Observe)
	}
	return all
}

// onRequest returns what is called with the requests to upstreams, nil for nothing.
func (p *process) onRequest() upstream.OnRequest {
	if p.telemetry == nil {
		return nil
	}
	return p.telemetry.OnRequest
}

// The least and the most time in which telemetry that is left is exported when the server ends.
const (
	leastFlush = time.Second
	mostFlush  = 5 * time.Second
)

// startTelemetry exports what exchanges tell, and the metrics of the generation in effect.
func (s *Server) startTelemetry() error {
	if s.telemetry == nil {
		return nil
	}
	s.telemetry.Serve(s.Config().Models)
	if err := s.telemetry.Start(&s.generations); err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	return nil
}

// flush exports what telemetry has left when the exchanges are over, in the time that is left for that, or until
// the context ends.
func (s *Server) flush(ctx context.Context, left time.Duration) {
	if s.telemetry == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, max(leastFlush, left))
	defer cancel()
	s.telemetry.Close(ctx)
}
