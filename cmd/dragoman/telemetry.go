package main

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/proxy"
	"dragoman/proxy/telemetry"
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

// newTelemetry returns the telemetry that the environment asks for, or nil if it asks for none.
func newTelemetry(cfg *config.Config, log zerolog.Logger) *telemetry.Telemetry {
	if cfg.Telemetry == nil {
		return nil
	}
	return telemetry.New(cfg.Telemetry, build().Version, log)
}

// observers returns who watches exchanges.
func observers(tel *telemetry.Telemetry) (all []proxy.Observe) {
	if tel != nil {
		all = append(all, tel.Observe)
	}
	return all
}

// onRequest returns what is called with the requests to an upstream, nil for nothing.
func onRequest(tel *telemetry.Telemetry, u config.Upstream) upstream.OnRequest {
	if tel == nil {
		return nil
	}
	tel.Upstream(u.Name, providers[u.Kind])
	return tel.OnRequest
}

// The least and the most time in which telemetry that is left is exported when the server ends.
const (
	leastFlush = time.Second
	mostFlush  = 5 * time.Second
)

// startTelemetry says that telemetry is on, and exports what exchanges tell, and the metrics of the server. The function that it returns
// exports what is left, when the exchanges are over, in the time that the drain has left, or until the
// context ends.
func startTelemetry(tel *telemetry.Telemetry, cfg *telemetry.Config, server *proxy.Server, log zerolog.Logger) func(ctx context.Context, left time.Duration) {
	if tel == nil {
		return func(context.Context, time.Duration) {}
	}
	log.Info().Bool("traces", cfg.Traces.On()).Bool("metrics", cfg.Metrics.On()).Bool("content", cfg.Content).
		Str("msg", "telemetry is exported by OTLP").Send()
	tel.Start(server)
	return func(ctx context.Context, left time.Duration) {
		ctx, cancel := context.WithTimeout(ctx, max(leastFlush, min(left, mostFlush)))
		defer cancel()
		tel.Close(ctx)
	}
}
