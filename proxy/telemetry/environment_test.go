package telemetry

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// read reads variables, each as NAME=value.
func read(variables ...string) (c *Config, warnings, problems []Problem) {
	values := map[string]string{}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		values[name] = value
	}
	return Read(func(name string) string { return values[name] })
}

// TestOff: without an endpoint or an exporter nothing is exported, whatever else is said.
func TestOff(t *testing.T) {
	for _, variables := range [][]string{
		{},
		{"OTEL_SERVICE_NAME=x", "OTEL_TRACES_SAMPLER=nonsense"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_SDK_DISABLED=TRUE"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=none"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL=grpc"},
	} {
		if c, warnings, problems := read(variables...); c.On() || len(warnings)+len(problems) > 0 {
			t.Errorf("%v: %+v, %v, %v", variables, c, warnings, problems)
		}
	}
}

func TestEndpoints(t *testing.T) {
	const general = "OTEL_EXPORTER_OTLP_ENDPOINT="
	for _, test := range []struct {
		variables       []string
		traces, metrics string
	}{
		{[]string{general + "http://c:4318"}, "http://c:4318/v1/traces", "http://c:4318/v1/metrics"},
		{[]string{general + "https://c/otlp/"}, "https://c/otlp/v1/traces", "https://c/otlp/v1/metrics"},
		{[]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://t:1/in"}, "http://t:1/in", ""},
		{[]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://m:1/in"}, "", "http://m:1/in"},
		{[]string{general + "http://c:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://t:1/in"}, "http://t:1/in", "http://c:4318/v1/metrics"},
		{[]string{"OTEL_TRACES_EXPORTER=otlp"}, "http://localhost:4318/v1/traces", ""},
		{[]string{general + "http://c:4318", "OTEL_METRICS_EXPORTER=none"}, "http://c:4318/v1/traces", ""},
	} {
		c, _, problems := read(test.variables...)
		if c.Traces.URL != test.traces || c.Metrics.URL != test.metrics || len(problems) > 0 {
			t.Errorf("%v: %q, %q, %v", test.variables, c.Traces.URL, c.Metrics.URL, problems)
		}
	}
}

func TestSettings(t *testing.T) {
	c, warnings, problems := read("OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318",
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=Basic%20a%3D, x=1", "OTEL_EXPORTER_OTLP_METRICS_HEADERS=y=2",
		"OTEL_EXPORTER_OTLP_TIMEOUT=1500", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
		"OTEL_SERVICE_NAME=a", "OTEL_RESOURCE_ATTRIBUTES=service.name=b,team=c%20d",
		"OTEL_TRACES_SAMPLER=parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG=0.25", "OTEL_PROPAGATORS=tracecontext,baggage,b3",
		"OTEL_SEMCONV_STABILITY_OPT_IN=http,gen_ai_latest_experimental", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=True",
		"OTEL_BSP_MAX_QUEUE_SIZE=100", "OTEL_BSP_SCHEDULE_DELAY=7", "OTEL_METRIC_EXPORT_INTERVAL=9")
	signal := func(path string, headers map[string]string) Signal {
		return Signal{URL: "http://c:4318/v1/" + path, Headers: headers, Timeout: 1500 * time.Millisecond, Gzip: true}
	}
	want := &Config{
		Traces:   signal("traces", map[string]string{"authorization": "Basic a=", "x": "1"}),
		Metrics:  signal("metrics", map[string]string{"y": "2"}),
		Resource: []Attribute{{"service.name", "a"}, {"service.name", "b"}, {"team", "c d"}},
		Sampler:  sampler{parentBased: true, ratio: .25}, Propagate: true, Latest: true, Content: true,
		Queue: 100, Batch: 100, Delay: 7 * time.Millisecond, Interval: 9 * time.Millisecond,
	}
	if diff := cmp.Diff(want, c, cmp.AllowUnexported(sampler{})); diff != "" || len(problems) > 0 {
		t.Errorf("%v (-want +got):\n%s", problems, diff)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].Cause, "b3") {
		t.Errorf("warnings are %v", warnings)
	}
	resource := c.resource("1.2")
	if resource[0] != (attribute{"service.name", "a"}) || resource[1] != (attribute{"team", "c d"}) || resource[2] != (attribute{"service.version", "1.2"}) {
		t.Errorf("the resource is %v", resource)
	}
}

// TestContent: the words of the newer instrumentations are taken, as other programs of the same environment
// take them. One that asks for spans has contents in spans.
func TestContent(t *testing.T) {
	for value, want := range map[string]bool{
		"": false, "true": true, "false": false, "SPAN_ONLY": true, "span_and_event": true, "event_only": false, "NO_CONTENT": false,
	} {
		c, warnings, problems := read("OTEL_TRACES_EXPORTER=otlp", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="+value)
		if c.Content != want || len(warnings)+len(problems) > 0 {
			t.Errorf("%s: %v, %v, %v", value, c.Content, warnings, problems)
		}
	}
}

// TestProblems: what is asked for and not there is a problem, which names the variable and not its value.
func TestProblems(t *testing.T) {
	for _, variable := range []string{
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json", "OTEL_TRACES_EXPORTER=zipkin", "OTEL_METRICS_EXPORTER=prometheus",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=secret:4317", "OTEL_EXPORTER_OTLP_HEADERS=secret", "OTEL_EXPORTER_OTLP_HEADERS=a=%zz",
		"OTEL_EXPORTER_OTLP_HEADERS=a=%0a", "OTEL_EXPORTER_OTLP_TIMEOUT=10s", "OTEL_EXPORTER_OTLP_COMPRESSION=zstd", "OTEL_EXPORTER_OTLP_CERTIFICATE=/nowhere/secret",
		"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=/nowhere/secret",
		"OTEL_RESOURCE_ATTRIBUTES=secret", "OTEL_TRACES_SAMPLER=jaeger_remote", "OTEL_TRACES_SAMPLER=parentbased_never",
		"OTEL_BSP_MAX_QUEUE_SIZE=0", "OTEL_BSP_SCHEDULE_DELAY=-1", "OTEL_METRIC_EXPORT_INTERVAL=99999999999", "OTEL_SDK_DISABLED=yes",
		"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=1", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=delta",
	} {
		name, value, _ := strings.Cut(variable, "=")
		_, _, problems := read("OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", variable)
		if len(problems) != 1 || problems[0].Variable != name || problems[0].Fix == "" || strings.Contains(problems[0].Cause+problems[0].Fix, value) && len(value) > 2 {
			t.Errorf("%s: %+v", variable, problems)
		}
	}
	if _, _, problems := read("OTEL_TRACES_EXPORTER=otlp", "OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=2"); len(problems) != 1 {
		t.Errorf("a ratio of 2: %v", problems)
	}
}
