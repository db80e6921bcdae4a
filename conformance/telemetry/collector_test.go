package telemetry

import (
	"context"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/debugexporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"

	"dragoman/conformance"
)

func TestMain(m *testing.M) { os.Exit(conformance.Main(m)) }

// patience limits each wait of a test.
const patience = 30 * time.Second

// collector is an OpenTelemetry collector with its OTLP receiver, over HTTP and gRPC, which stores what it
// receives.
type collector struct {
	url     string // over HTTP
	grpc    string
	spans   consumertest.TracesSink
	metrics consumertest.MetricsSink
}

// keptSpans and keptMetrics are exporters of a collector that store everything.
type (
	keptSpans   struct{ *consumertest.TracesSink }
	keptMetrics struct{ *consumertest.MetricsSink }
)

func (keptSpans) Start(context.Context, component.Host) error   { return nil }
func (keptSpans) Shutdown(context.Context) error                { return nil }
func (keptMetrics) Start(context.Context, component.Host) error { return nil }
func (keptMetrics) Shutdown(context.Context) error              { return nil }

// keeping is the configuration of a collector that stores everything.
const keeping = `
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:4318"}, grpc: {endpoint: "127.0.0.1:4317"}}}}
exporters: {keep: {}}
service:
  telemetry: {metrics: {level: none}, logs: {level: error}}
  pipelines:
    traces: {receivers: [otlp], exporters: [keep]}
    metrics: {receivers: [otlp], exporters: [keep]}
`

// startCollector runs a collector with this configuration until the test ends. It replaces the addresses in
// the configuration with free ones.
func startCollector(t *testing.T, configuration string) *collector {
	t.Helper()
	http, grpc := freeAddress(t), freeAddress(t)
	configuration = strings.NewReplacer("127.0.0.1:4318", http, "127.0.0.1:4317", grpc).Replace(configuration)
	c := &collector{url: "http://" + http, grpc: "http://" + grpc}
	keep := component.MustNewType("keep")
	factory := exporter.NewFactory(keep, func() component.Config { return &struct{}{} },
		exporter.WithTraces(func(context.Context, exporter.Settings, component.Config) (exporter.Traces, error) {
			return keptSpans{&c.spans}, nil
		}, component.StabilityLevelStable),
		exporter.WithMetrics(func(context.Context, exporter.Settings, component.Config) (exporter.Metrics, error) {
			return keptMetrics{&c.metrics}, nil
		}, component.StabilityLevelStable))
	receivers, debug := otlpreceiver.NewFactory(), debugexporter.NewFactory()
	service, err := otelcol.NewCollector(otelcol.CollectorSettings{
		Factories: func() (otelcol.Factories, error) {
			return otelcol.Factories{
				Receivers: map[component.Type]receiver.Factory{receivers.Type(): receivers},
				Exporters: map[component.Type]exporter.Factory{keep: factory, debug.Type(): debug},
				Telemetry: otelconftelemetry.NewFactory(),
			}, nil
		},
		DisableGracefulShutdown: true,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			URIs:              []string{"yaml:" + configuration},
			ProviderFactories: []confmap.ProviderFactory{yamlprovider.NewFactory()},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- service.Run(context.Background()) }()
	t.Cleanup(func() {
		service.Shutdown()
		if err := <-ended; err != nil {
			t.Errorf("the collector: %v", err)
		}
	})
	await(t, "the collector runs", func() bool {
		select {
		case err := <-ended:
			ended <- nil
			t.Fatalf("the collector: %v", err)
		default:
		}
		return service.GetState() == otelcol.StateRunning
	})
	return c
}

// freeAddress returns an address on loopback where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// await calls ok again and again until it returns true.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited for %v in vain: %s", patience, what)
		}
	}
}

// all returns the received spans, by name.
func (c *collector) all() map[string]ptrace.Span {
	spans := map[string]ptrace.Span{}
	for _, traces := range c.spans.AllTraces() {
		for _, resource := range traces.ResourceSpans().All() {
			for _, scope := range resource.ScopeSpans().All() {
				for _, s := range scope.Spans().All() {
					spans[s.Name()] = s
				}
			}
		}
	}
	return spans
}

// counted returns the last received metrics, by name.
func (c *collector) counted() map[string]pmetric.Metric {
	metrics := map[string]pmetric.Metric{}
	for _, all := range c.metrics.AllMetrics() {
		for _, resource := range all.ResourceMetrics().All() {
			for _, scope := range resource.ScopeMetrics().All() {
				for _, m := range scope.Metrics().All() {
					metrics[m.Name()] = m
				}
			}
		}
	}
	return metrics
}
