package telemetry

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"dragoman/conformance"
	"dragoman/upstream/upstreamtest"
)

// The trace and the span of a client.
const (
	clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientSpan  = "00f067aa0ba902b7"
	sampled     = "00-" + clientTrace + "-" + clientSpan + "-01"
	unsampled   = "00-" + clientTrace + "-" + clientSpan + "-00"
)

const question = `{"model": "claude-2.1", "max_tokens": 500, "stream": true, "temperature": 0.5,
	"tools": [{"name": "get_weather", "description": "tells the secret weather", "input_schema": {
		"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}],
	"messages": [{"role": "user", "content": "What is the weather in Oslo?"}]}`

// ask sends the question and returns the answer.
func ask(t *testing.T, url, traceparent string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/messages", strings.NewReader(question))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Claude-Code-Session-Id", "session-1")
	if traceparent != "" {
		r.Header.Set("Traceparent", traceparent)
		r.Header.Set("Tracestate", "vendor=1")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v\n%s", response.Status, err, body)
	}
	return string(body)
}

// environment is the environment of a program that exports to a collector without delay.
func environment(url string, more ...string) []string {
	return append([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + url, "OTEL_BSP_SCHEDULE_DELAY=20", "OTEL_METRIC_EXPORT_INTERVAL=20"}, more...)
}

// told returns the spans of an exchange with the simulated model, after all have arrived.
func told(t *testing.T, c *collector, names ...string) map[string]ptrace.Span {
	t.Helper()
	var spans map[string]ptrace.Span
	await(t, fmt.Sprint("the spans ", names), func() bool {
		spans = c.all()
		return !slices.ContainsFunc(names, func(name string) bool { _, ok := spans[name]; return !ok })
	})
	return spans
}

func attributes(s ptrace.Span) map[string]any { return s.Attributes().AsRaw() }

// wants reports attributes with a wrong value.
func wants(t *testing.T, of string, got map[string]any, want map[string]any) {
	t.Helper()
	for key, value := range want {
		if fmt.Sprint(got[key]) != fmt.Sprint(value) {
			t.Errorf("%s: %s is %v, want %v", of, key, got[key], value)
		}
	}
}

const exchange, attempt = "POST /v1/messages", "chat claude-2.1"

// TestTrace: the program's trace continues its client's, and a real collector reads every span of it.
func TestTrace(t *testing.T) {
	c := startCollector(t, keeping)
	t.Run("http/protobuf", func(t *testing.T) { testTrace(t, c, c.url) })
	c.spans.Reset()
	t.Run("grpc", func(t *testing.T) { testTrace(t, c, c.grpc, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc") })
}

func testTrace(t *testing.T, c *collector, endpoint string, more ...string) {
	url := conformance.Serve(t, environment(endpoint, append(more, "OTEL_SERVICE_NAME=translator", "OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=a%2Cb",
		"OTEL_EXPORTER_OTLP_COMPRESSION=gzip")...), "--simulated")
	ask(t, url, sampled)
	spans := told(t, c, exchange, "render", attempt, "parse")
	for name, s := range spans {
		if s.TraceID().String() != clientTrace || s.EndTimestamp() < s.StartTimestamp() || time.Since(s.StartTimestamp().AsTime()) > time.Hour ||
			s.Status().Code() != ptrace.StatusCodeUnset || s.TraceState().AsRaw() != "vendor=1" {
			t.Errorf("%s: trace %s, from %v to %v, status %v, state %q", name, s.TraceID(), s.StartTimestamp(), s.EndTimestamp(), s.Status().Code(), s.TraceState().AsRaw())
		}
		parent, kind := spans[exchange].SpanID().String(), ptrace.SpanKindInternal
		switch name {
		case exchange:
			parent, kind = clientSpan, ptrace.SpanKindServer
		case attempt:
			kind = ptrace.SpanKindClient
		}
		if s.ParentSpanID().String() != parent || s.Kind() != kind {
			t.Errorf("%s: parent %s, want %s; kind %v, want %v", name, s.ParentSpanID(), parent, s.Kind(), kind)
		}
	}
	wants(t, exchange, attributes(spans[exchange]), map[string]any{
		"http.request.method": "POST", "http.route": "/v1/messages", "url.path": "/v1/messages", "http.response.status_code": 200,
		"dragoman.tool_calls": []string{"clean"}, "dragoman.stop_reason": "tool_use", "dragoman.terminal": "complete", "gen_ai.conversation.id": "session-1",
	})
	got := attributes(spans[attempt])
	wants(t, attempt, got, map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "dragoman.simulated", "gen_ai.request.model": "claude-2.1", "gen_ai.request.stream": true,
		"gen_ai.request.max_tokens": 500, "gen_ai.request.temperature": 0.5, "gen_ai.response.finish_reasons": []string{"stop_sequence"},
		"gen_ai.conversation.id": "session-1", "dragoman.attempt": 1,
	})
	for _, key := range []string{"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.response.time_to_first_chunk", "gen_ai.response.id"} {
		if got[key] == nil {
			t.Errorf("%s has no %s", attempt, key)
		}
	}
	resource := c.spans.AllTraces()[0].ResourceSpans().At(0).Resource().Attributes().AsRaw()
	wants(t, "resource", resource, map[string]any{"service.name": "translator", "deployment.environment.name": "a,b", "telemetry.sdk.language": "go"})
	if text := fmt.Sprint(got, attributes(spans[exchange])); strings.Contains(text, "Oslo") || strings.Contains(text, "secret weather") {
		t.Errorf("the spans hold contents: %s", text)
	}
}

// TestMetrics: a real collector reads our metrics and Prometheus's metrics, in both generations.
func TestMetrics(t *testing.T) {
	for _, generation := range []struct {
		optIn    string
		protocol string
		counts   []string
	}{
		{"", "http/protobuf", []string{"gen_ai.client.token.usage", "gen_ai.client.operation.duration", "gen_ai.client.operation.time_to_first_chunk"}},
		{"gen_ai_latest_experimental", "grpc", []string{"gen_ai.client.inference.duration", "gen_ai.client.inference.usage.input_tokens", "gen_ai.client.inference.operation.output_tokens"}},
	} {
		t.Run(generation.optIn, func(t *testing.T) {
			c := startCollector(t, keeping)
			endpoint := map[string]string{"http/protobuf": c.url, "grpc": c.grpc}[generation.protocol]
			url := conformance.Serve(t, environment(endpoint, "OTEL_SEMCONV_STABILITY_OPT_IN="+generation.optIn, "OTEL_EXPORTER_OTLP_PROTOCOL="+generation.protocol), "--simulated")
			ask(t, url, "")
			names := append(generation.counts, "dragoman_requests_total", "go_goroutines")
			await(t, fmt.Sprint("the metrics ", names), func() bool {
				got := c.counted()
				return !slices.ContainsFunc(names, func(name string) bool { _, ok := got[name]; return !ok })
			})
			for name, m := range c.counted() {
				var labels pcommon.Map
				switch {
				case !strings.HasPrefix(name, "gen_ai."):
					continue
				case strings.Contains(name, ".usage.") && generation.optIn != "":
					labels = m.Sum().DataPoints().At(0).Attributes()
					if !m.Sum().IsMonotonic() {
						t.Errorf("%s is not a counter", name)
					}
				default:
					p := m.Histogram().DataPoints().At(0)
					labels = p.Attributes()
					sum := uint64(0)
					for _, n := range p.BucketCounts().All() {
						sum += n
					}
					if p.Count() == 0 || p.BucketCounts().Len() != p.ExplicitBounds().Len()+1 || p.ExplicitBounds().Len() != 14 || sum != p.Count() {
						t.Errorf("%s: %d values, %v in %v", name, p.Count(), p.BucketCounts().AsRaw(), p.ExplicitBounds().AsRaw())
					}
				}
				if m.Unit() != "s" && m.Unit() != "{token}" {
					t.Errorf("%s has the unit %q", name, m.Unit())
				}
				wants(t, name, labels.AsRaw(), map[string]any{"gen_ai.operation.name": "chat", "gen_ai.provider.name": "dragoman.simulated", "gen_ai.request.model": "claude-2.1"})
			}
		})
	}
}

// TestContent: contents are exported only on request.
func TestContent(t *testing.T) {
	c := startCollector(t, keeping)
	url := conformance.Serve(t, environment(c.url, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"), "--simulated")
	ask(t, url, "")
	wants(t, attempt, attributes(told(t, c, attempt)[attempt]), map[string]any{
		"gen_ai.input.messages":   `[{"role":"user","parts":[{"type":"text","content":"What is the weather in Oslo?"}]}]`,
		"gen_ai.tool.definitions": `[{"type":"function","name":"get_weather","description":"tells the secret weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]`,
	})
	if got := fmt.Sprint(attributes(c.all()[attempt])["gen_ai.output.messages"]); !strings.Contains(got, `"type":"tool_call"`) ||
		!strings.Contains(got, `"arguments":{"city":"Oslo"}`) || !strings.Contains(got, `"finish_reason":"stop_sequence"`) {
		t.Errorf("gen_ai.output.messages is %s", got)
	}
}

// TestPropagation: the upstream receives the span of the call, also if AWS signs the request.
func TestPropagation(t *testing.T) {
	var last http.Header
	upstreams := map[string]http.Handler{"anthropic": upstreamtest.NewMessages(nil), "openai": upstreamtest.NewChat(nil), "bedrock": upstreamtest.NewBedrock(nil)}
	for kind, up := range upstreams {
		t.Run(kind, func(t *testing.T) {
			seen := make(chan http.Header, 10)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost { // not a list of models
					seen <- r.Header.Clone()
				}
				up.ServeHTTP(w, r)
			}))
			defer s.Close()
			entry := map[string]string{
				"anthropic": "{kind: anthropic, base_url: " + s.URL + "}",
				"openai":    "{kind: openai, base_url: " + s.URL + "/v1}",
				"bedrock":   "{kind: bedrock, region: us-east-1, endpoint: " + s.URL + "}",
			}[kind]
			file := conformance.WriteConfig(t, "upstreams:\n  up: "+entry+"\nmodels:\n  - {name: claude-2.1, upstream: up, model: anthropic.claude-v2:1}\n")
			c := startCollector(t, keeping)
			url := conformance.Serve(t, environment(c.url, "AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=secret"), "--config", file)
			const attempt = "chat anthropic.claude-v2:1"
			for _, parent := range []string{unsampled, sampled} {
				ask(t, url, parent)
				last = <-seen
			}
			span := told(t, c, attempt, exchange)[attempt] // the span of the exchange is the last
			if want := "00-" + clientTrace + "-" + span.SpanID().String() + "-01"; last.Get("Traceparent") != want || last.Get("Tracestate") != "vendor=1" {
				t.Errorf("the upstream was sent %q and %q, want %q", last.Get("Traceparent"), last.Get("Tracestate"), want)
			}
			wants(t, attempt, attributes(span), map[string]any{"server.address": "127.0.0.1", "server.port": s.Listener.Addr().(*net.TCPAddr).Port,
				"gen_ai.provider.name": map[string]string{"anthropic": "anthropic", "openai": "openai", "bedrock": "aws.bedrock"}[kind]})
			if n := c.spans.SpanCount(); n != 4 {
				t.Errorf("%d spans of two exchanges, of which one is sampled; want 4", n)
			}
		})
	}
}

// TestFlush: remaining data is exported before the program ends.
func TestFlush(t *testing.T) {
	c := startCollector(t, keeping)
	t.Run("serve", func(t *testing.T) { // the program ends with the subtest, by SIGTERM
		ask(t, conformance.Serve(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.url}, "--simulated"), sampled)
	})
	if spans := c.all(); len(spans) != 4 {
		t.Errorf("the spans %v have come, want 4", spans)
	}
	if _, ok := c.counted()["gen_ai.client.token.usage"]; !ok {
		t.Error("the metrics have not come")
	}
}

// TestNoCollector: a collector that is missing, or does not answer, does not delay exchanges, and delays the
// end of the program only a little.
func TestNoCollector(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // connections wait in its queue
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for name, url := range map[string]string{"down": "http://" + freeAddress(t), "silent": "http://" + silent.Addr().String()} {
		for _, protocol := range []string{"http/protobuf", "grpc"} {
			t.Run(name+"/"+protocol, func(t *testing.T) {
				url := conformance.Serve(t, environment(url, "OTEL_EXPORTER_OTLP_TIMEOUT=500", "OTEL_BSP_MAX_QUEUE_SIZE=8", "OTEL_EXPORTER_OTLP_PROTOCOL="+protocol), "--simulated")
				for range 50 {
					if answer := ask(t, url, sampled); !strings.Contains(answer, "message_stop") {
						t.Fatalf("the answer is %s", answer)
					}
				}
			})
		}
	}
}

// TestPage: the collector in docs/how-to/telemetry.md receives the program's data.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/how-to/telemetry.md")
	if err != nil {
		t.Fatal(err)
	}
	_, configuration, _ := strings.Cut(string(page), "```yaml\n")
	configuration, _, found := strings.Cut(configuration, "```")
	if !found {
		t.Fatal("the page shows no collector")
	}
	configuration = strings.ReplaceAll(configuration, "exporters: [debug]", "exporters: [debug, keep]")
	configuration = strings.Replace(configuration, "\nexporters:\n", "\nexporters:\n  keep: {}\n", 1)
	c := startCollector(t, strings.Replace(configuration, "service:\n", "service:\n  telemetry: {metrics: {level: none}}\n", 1))
	ask(t, conformance.Serve(t, environment(c.url), "--simulated"), "")
	told(t, c, exchange, "render", attempt, "parse")
}
