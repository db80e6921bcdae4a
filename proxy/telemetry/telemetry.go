package telemetry

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"dragoman/proxy"
)

// scopeName is the name of the instrumentation.
const scopeName = "dragoman"

// Telemetry exports traces and metrics to collectors, from Start to Close.
type Telemetry struct {
	cfg         *Config
	generation  *generation
	version     string
	log         zerolog.Logger
	resource    *resource.Resource
	traces      *sdktrace.TracerProvider
	tracer      trace.Tracer // nil without traces
	metrics     *metric.MeterProvider
	instruments *instruments // nil without metrics

	ctx    context.Context // for exports of spans
	cancel context.CancelFunc
}

// New returns telemetry for a configuration and a version of the program. It exports nothing before Start.
func New(cfg *Config, version string, log zerolog.Logger) *Telemetry {
	t := &Telemetry{cfg: cfg, generation: &generationA, version: version, log: log}
	if cfg.Latest {
		t.generation = &generationB
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.resource, _ = resource.New(t.ctx, resource.WithService(), resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "dragoman"), attribute.String("service.version", version)),
		resource.WithFromEnv()) // Read has checked that the environment is valid
	t.traces = sdktrace.NewTracerProvider(sdktrace.WithResource(t.resource))
	if cfg.Traces {
		t.tracer = t.traces.Tracer(scopeName, trace.WithInstrumentationVersion(version))
	}
	if cfg.Metrics {
		t.instruments = newInstruments(t.generation)
	}
	return t
}

// Serve replaces the routes. Only the routes' models have series of their own.
func (t *Telemetry) Serve(routes []proxy.Route) {
	if t.instruments != nil {
		t.instruments.bound(routes)
	}
}

// Start begins to export. It exports the metrics of these registries together with our own. It fails if an exporter
// cannot start, for example because the port of the Prometheus exporter is taken.
func (t *Telemetry) Start(registries ...prometheus.Gatherer) error {
	lost := &complaints{log: t.log, what: "metrics", every: complainEvery}
	// Only errors about metrics still reach this handler.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { lost.lost(1, reason(err)) }))
	if t.tracer != nil {
		to, err := autoexport.NewSpanExporter(t.ctx)
		if err != nil {
			return err
		}
		t.export(to)
	}
	if t.instruments != nil {
		autoexport.WithFallbackMetricProducer(func(context.Context) (metric.Producer, error) {
			return t.instruments.producer(t.version, registries...), nil
		})
		reader, err := autoexport.NewMetricReader(t.ctx)
		if err != nil {
			return err
		}
		t.metrics = metric.NewMeterProvider(metric.WithResource(t.resource), metric.WithReader(reader))
	}
	return nil
}

// export exports spans from now on.
func (t *Telemetry) export(to sdktrace.SpanExporter) {
	e := &exporter{
		SpanExporter: to, ctx: t.ctx, most: int64(t.cfg.Queue),
		lost: &complaints{log: t.log, what: "traces", every: complainEvery},
	}
	t.traces.RegisterSpanProcessor(queue{sdktrace.NewBatchSpanProcessor(e), e})
}

// Close exports what is left, until ctx ends. Call it once, after Start and after the last exchange has ended.
func (t *Telemetry) Close(ctx context.Context) {
	defer context.AfterFunc(ctx, t.cancel)()
	defer t.cancel()
	var closing sync.WaitGroup
	closing.Go(func() {
		// The exports end with ctx, and the log reports what they lost.
		_ = t.traces.Shutdown(context.WithoutCancel(ctx))
	})
	if t.metrics != nil {
		if err := t.metrics.Shutdown(ctx); err != nil {
			otel.Handle(err)
		}
	}
	closing.Wait()
}

// clip returns the first 256 bytes of a text that others chose, without control characters, for an attribute.
func clip(s string) string {
	const longest = 256
	return strings.Clone(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, valid(s[:min(len(s), longest)]))) // the text may be a slice of a whole body
}

// valid returns a text without invalid UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "") }

// id returns a header's value if it looks like an id, such as the id of a session.
func id(h http.Header, name string) string {
	value := h.Get(name)
	if len(value) > 128 || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"'<>\`, r) }) {
		return ""
	}
	return value
}
