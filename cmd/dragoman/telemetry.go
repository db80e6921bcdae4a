package main

import (
	"context"
	"fmt"
	"time"

	dto "github.com/prometheus/client_model/go"
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

// observers returns who watches the exchanges of a configuration.
func observers(tel *telemetry.Telemetry, cfg *config.Config) []proxy.Observe {
	if tel == nil {
		return nil
	}
	of := map[string]string{}
	for _, u := range cfg.Upstreams {
		of[u.Name] = providers[u.Kind]
	}
	return []proxy.Observe{tel.Observer(of)}
}

// onRequest returns what is called with the requests to upstreams, nil for nothing.
func onRequest(tel *telemetry.Telemetry) upstream.OnRequest {
	if tel == nil {
		return nil
	}
	return tel.OnRequest
}

// Gather returns the metrics of the server in effect.
func (l *live) Gather() ([]*dto.MetricFamily, error) {
	_, server := l.current()
	return server.Gather()
}

// The least and the most time in which telemetry that is left is exported when the server ends.
const (
	leastFlush = time.Second
	mostFlush  = 5 * time.Second
)

// startTelemetry exports what exchanges tell, and the metrics of the server. The function that it returns exports
// what is left, when the exchanges are over, in the time that the drain has left, or until the context ends.
func startTelemetry(tel *telemetry.Telemetry, live *live) (func(ctx context.Context, left time.Duration), error) {
	if tel == nil {
		return func(context.Context, time.Duration) {}, nil
	}
	serving, _ := live.current()
	tel.Serve(serving.Models)
	if err := tel.Start(live); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	return func(ctx context.Context, left time.Duration) {
		ctx, cancel := context.WithTimeout(ctx, max(leastFlush, min(left, mostFlush)))
		defer cancel()
		tel.Close(ctx)
	}, nil
}
