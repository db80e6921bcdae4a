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

// providers maps kinds of upstreams to the provider names of the OpenTelemetry conventions, which have no name for the
// simulated one.
var providers = map[string]string{
	config.Bedrock:   "aws.bedrock",
	config.Vertex:    "gcp.vertex_ai",
	config.Anthropic: "anthropic",
	config.OpenAI:    "openai",
	config.Simulated: "dragoman.simulated",
}

// observers returns the observers of a configuration's exchanges.
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

// onRequest returns the function that is called with requests to upstreams; may be nil.
func (p *process) onRequest() upstream.OnRequest {
	if p.telemetry == nil {
		return nil
	}
	return p.telemetry.OnRequest
}

// The limits of the time for exporting the rest of the telemetry when the server ends.
const (
	leastFlush = time.Second
	mostFlush  = 5 * time.Second
)

// startTelemetry exports exchanges and the metrics of the current generation.
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

// flush exports the rest of the telemetry after the exchanges have ended, within the time left, or until the context
// ends.
func (s *Server) flush(ctx context.Context, left time.Duration) {
	if s.telemetry == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, max(leastFlush, left))
	defer cancel()
	s.telemetry.Close(ctx)
}
