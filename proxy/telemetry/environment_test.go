package telemetry

import (
	"slices"
	"strings"
	"testing"
)

// read reads variables, each as NAME=value.
func read(variables ...string) (*Config, []Problem) {
	values := map[string]string{}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		values[name] = value
	}
	return Read(func(name string) string { return values[name] })
}

// TestOn: without an endpoint or an exporter, nothing is exported, whatever the other variables are.
func TestOn(t *testing.T) {
	const general = "OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318"
	for _, test := range []struct {
		variables       []string
		traces, metrics bool
	}{
		{nil, false, false},
		{[]string{"OTEL_SERVICE_NAME=x", "OTEL_TRACES_SAMPLER=nonsense"}, false, false},
		{[]string{general, "OTEL_SDK_DISABLED=TRUE"}, false, false},
		{[]string{general, "OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=none"}, false, false},
		{[]string{"OTEL_EXPORTER_OTLP_PROTOCOL=nonsense"}, false, false},
		{[]string{general}, true, true},
		{[]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://t:1/in"}, true, false},
		{[]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://m:1/in"}, false, true},
		{[]string{"OTEL_TRACES_EXPORTER=console"}, true, false},
		{[]string{general, "OTEL_METRICS_EXPORTER=none"}, true, false},
	} {
		if c, problems := read(test.variables...); c.Traces != test.traces || c.Metrics != test.metrics || len(problems) > 0 {
			t.Errorf("%v: traces %v, metrics %v, %v", test.variables, c.Traces, c.Metrics, problems)
		}
	}
}

// TestValues: everything that the SDK supports works.
func TestValues(t *testing.T) {
	for _, variable := range []string{
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=grpc", "OTEL_METRICS_EXPORTER=prometheus", "OTEL_EXPORTER_PROMETHEUS_PORT=0",
		"OTEL_TRACES_EXPORTER=console", "OTEL_TRACES_SAMPLER=parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG=0.25", "OTEL_EXPORTER_OTLP_INSECURE=true",
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=Basic%20a%3D, x=1", "OTEL_PROPAGATORS=tracecontext,baggage,b3",
		"OTEL_SEMCONV_STABILITY_OPT_IN=http,gen_ai_latest_experimental", "OTEL_BSP_MAX_QUEUE_SIZE=100",
	} {
		if c, problems := read("OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", variable); len(problems) > 0 ||
			c.Latest != strings.Contains(variable, "latest") || (c.Queue == 100) != strings.Contains(variable, "QUEUE") {
			t.Errorf("%s: %+v, %v", variable, c, problems)
		}
	}
}

// TestContent: the words of newer instrumentations are accepted, because other programs in the same environment use
// them. Words that include spans put contents into spans.
func TestContent(t *testing.T) {
	for value, want := range map[string]bool{
		"": false, "true": true, "false": false, "SPAN_ONLY": true, "span_and_event": true, "event_only": false, "NO_CONTENT": false,
	} {
		c, problems := read("OTEL_TRACES_EXPORTER=otlp", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="+value)
		if c.Content != want || len(problems) > 0 {
			t.Errorf("%s: %v, %v", value, c.Content, problems)
		}
	}
}

// TestProblems: an unsupported value is a problem that names the variable, but not its value.
func TestProblems(t *testing.T) {
	for _, variable := range []string{
		"OTEL_EXPORTER_OTLP_PROTOCOL=http", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json", "OTEL_TRACES_EXPORTER=zipkin", "OTEL_METRICS_EXPORTER=zipkin",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=secret:4317", "OTEL_EXPORTER_OTLP_ENDPOINT=http://secret:secret@c", "OTEL_EXPORTER_OTLP_ENDPOINT=http://c/?secret=1",
		"OTEL_EXPORTER_OTLP_HEADERS=secret", "OTEL_EXPORTER_OTLP_HEADERS=a=%zz",
		"OTEL_EXPORTER_OTLP_HEADERS=a=%0a", "OTEL_EXPORTER_OTLP_TIMEOUT=10s", "OTEL_EXPORTER_OTLP_COMPRESSION=zstd", "OTEL_EXPORTER_OTLP_CERTIFICATE=/nowhere/secret",
		"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=/nowhere/secret", "OTEL_EXPORTER_PROMETHEUS_PORT=99999", "OTEL_METRICS_PRODUCERS=none",
		"OTEL_RESOURCE_ATTRIBUTES=secret", "OTEL_TRACES_SAMPLER=jaeger_remote", "OTEL_TRACES_SAMPLER=parentbased_never", "OTEL_TRACES_SAMPLER_ARG=2",
		"OTEL_BSP_MAX_QUEUE_SIZE=0", "OTEL_BSP_SCHEDULE_DELAY=-1", "OTEL_METRIC_EXPORT_INTERVAL=99999999999", "OTEL_SDK_DISABLED=yes", "OTEL_PROPAGATORS=tracecontext,zipkin",
		"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=1", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=delta",
		"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION=base2_exponential_bucket_histogram",
	} {
		name, value, _ := strings.Cut(variable, "=")
		_, problems := read("OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", variable)
		if len(problems) != 1 || problems[0].Variable != name || problems[0].Fix == "" || len(value) > 2 && slices.Contains(strings.Fields(problems[0].Cause+" "+problems[0].Fix), value) {
			t.Errorf("%s: %+v", variable, problems)
		}
	}
}

// TestPropagators: the client's trace is read and passed on in the configured headers. Nothing else from the client is
// passed on.
func TestPropagators(t *testing.T) {
	for _, test := range []struct{ propagators, in, out string }{
		{"", "Traceparent", "Traceparent"}, {"tracecontext,baggage", "Traceparent", "Traceparent"},
		{"b3", "B3", "B3"}, {"b3multi", "B3", "X-B3-Traceid"}, {"none", "", ""},
	} {
		values := map[string]string{"Traceparent": "00-" + aTrace + "-" + aSpan + "-01", "B3": aTrace + "-" + aSpan + "-1"}
		w := watch(t, []answer{whole}, nil, "OTEL_PROPAGATORS="+test.propagators)
		spans := w.post("/v1/messages", question, test.in, values[test.in], "Baggage", "a=b")
		if got := spans[0].SpanContext().TraceID().String() == aTrace; got != (test.in != "") {
			t.Errorf("%s: the trace is the client's: %v", test.propagators, got)
		}
		sent := w.east.sent
		if len(sent) > 0 != (test.out != "") || !strings.Contains(sent.Get(test.out), map[bool]string{true: aTrace}[test.out != ""]) || sent.Get("Baggage") != "" {
			t.Errorf("%s: the upstream is sent %v", test.propagators, sent)
		}
	}
}
