package telemetry

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

const (
	aTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	aSpan  = "00f067aa0ba902b7"
)

var update = flag.Bool("update", false, "write the golden files")

// model is an upstream that gives its answers in turn, and repeats the last one.
type model struct {
	upstream.Func
	tel     *Telemetry
	answers []answer
	asked   int
	sent    http.Header // headers of the last call
}

// answer is a model's answer to one call: chunks, and an error or nil.
type answer struct {
	chunks []translate.Chunk
	err    error
}

func (m *model) Prepare(upstream.Model, *translate.Prompt) (*upstream.Call, error) {
	return &upstream.Call{Chunks: m.answer}, nil
}

func (m *model) answer(ctx context.Context) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		m.send(ctx)
		a := m.answers[min(m.asked, len(m.answers)-1)]
		m.asked++
		for _, c := range a.chunks {
			if !yield(c, nil) {
				return
			}
		}
		if a.err != nil {
			yield(translate.Chunk{}, a.err)
		}
	}
}

// send does what an upstream does with its request before sending it.
func (m *model) send(ctx context.Context) {
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, "https://bedrock.test/model", nil)
	m.tel.OnRequest(r)
	m.sent = r.Header
}

func (m *model) PrepareNative(upstream.Model, upstream.Native) (*upstream.Call, error) {
	return &upstream.Call{Events: m.pass}, nil
}

func (m *model) pass(ctx context.Context) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		m.send(ctx)
		for _, e := range []messages.Event{
			{Type: messages.MessageStart, Message: &messages.Message{ID: "msg_1", Model: "claude-4-of-today", RequestID: "req-native", Usage: messages.Usage{InputTokens: 5, CacheReadInputTokens: 100}}},
			{Type: messages.ContentBlockStart, Block: &messages.ContentBlock{Type: messages.BlockText}},
			{Type: messages.ContentBlockDelta, Delta: messages.TextDelta, Text: []byte("Fine.")},
			{Type: messages.ContentBlockStop},
			{Type: messages.MessageDelta, Message: &messages.Message{StopReason: messages.StopEndTurn, Usage: messages.Usage{OutputTokens: 8}}},
			{Type: messages.MessageStop},
		} {
			e.Raw = e.AppendJSON(nil)
			if !yield(e, nil) {
				return
			}
		}
	}
}

var (
	busy    = &upstream.Error{Status: 529, Type: messages.ErrorOverloaded, Message: "busy"}
	whole   = answer{chunks: []translate.Chunk{{RequestID: "req-1", Usage: messages.Usage{InputTokens: 11, CacheCreationInputTokens: 3}}, {Text: "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Os"}, {Text: "lo</city>\n</parameters>\n</invoke>\n"}, stop}}
	stop    = translate.Chunk{Stop: messages.StopSequence, StopSequence: translate.CallsEnd, Usage: messages.Usage{OutputTokens: 7}}
	stopped = answer{chunks: []translate.Chunk{whole.chunks[1], stop}}
	rest    = answer{chunks: []translate.Chunk{whole.chunks[2], stop}}
)

const question = `{"model": "claude-2.1", "max_tokens": 100, "stream": true, "temperature": 0.5, "top_p": 0.25, "top_k": 4, "stop_sequences": ["STOP-TEXT"], "service_tier": "auto",
	"system": "SYSTEM-TEXT", "messages": [
		{"role": "user", "content": "QUESTION-TEXT"},
		{"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "INPUT-TEXT"}}]},
		{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "RESULT-TEXT"}]}],
	"tools": [{"name": "get_weather", "description": "TOOL-TEXT", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}]}`

// watched is a proxy with telemetry that exports nothing.
type watched struct {
	*Telemetry
	*proxy.Server
	spans *tracetest.SpanRecorder
	east  *model // the first upstream
}

// with returns telemetry for these variables, each as NAME=value. The SDK reads its own variables from the environment.
func with(t testing.TB, log zerolog.Logger, variables ...string) *Telemetry {
	t.Helper()
	for _, v := range os.Environ() { // remove variables of the previous telemetry
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, "")
		}
	}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		if name != "" {
			t.Setenv(name, value)
		}
	}
	cfg, problems := Read(os.Getenv)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return New(cfg, "test", log)
}

// watch returns a proxy for models that give these answers, with these OpenTelemetry variables.
func watch(t testing.TB, answers []answer, change func(*proxy.Options), variables ...string) watched {
	t.Helper()
	tel := with(t, zerolog.Nop(), append([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"}, variables...)...)
	spans := tracetest.NewSpanRecorder()
	tel.traces.RegisterSpanProcessor(spans)
	entry := func(upstreamName string) proxy.UpstreamModel {
		return proxy.UpstreamModel{Upstream: upstreamName, Features: upstream.Override{With: upstream.Prefill | upstream.Streaming}}
	}
	fallback := entry("relay")
	fallback.Model = "claude-of-relay"
	east := &model{tel: tel, answers: answers}
	opt := proxy.Options{
		Routes:    []proxy.Route{{Name: "claude-*", UpstreamModel: entry("east"), Fallbacks: []proxy.UpstreamModel{fallback}}},
		Upstreams: map[string]proxy.Upstream{"east": east, "relay": &model{tel: tel, answers: []answer{whole}}},
		Attempts:  1,
		Observe:   []proxy.Observe{tel.Observer(map[string]string{"east": "aws.bedrock", "relay": "anthropic"})},
	}
	if change != nil {
		change(&opt)
	}
	tel.Serve(opt.Routes)
	s, err := proxy.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return watched{tel, s, spans, east}
}

// post sends a request, with alternating header names and values, and returns its spans.
func (w watched) post(path, body string, header ...string) []trace.ReadOnlySpan {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w.serve(r)
	spans := w.spans.Ended()
	w.spans.Reset()
	return spans
}

// serve answers a request whose client may leave.
func (w watched) serve(r *http.Request) {
	defer func() { _ = recover() }() // http.ErrAbortHandler
	w.Handler().ServeHTTP(httptest.NewRecorder(), r)
}

// describe writes spans as text, without the parts that differ from run to run.
func describe(spans []trace.ReadOnlySpan) string {
	var b strings.Builder
	names := map[string]string{}
	for _, s := range spans {
		names[s.SpanContext().SpanID().String()] = s.Name()
	}
	for _, s := range spans {
		parent, failed := names[s.Parent().SpanID().String()], ""
		if parent == "" && s.Parent().IsValid() {
			parent = "the client's"
		}
		if s.Status().Code == codes.Error {
			failed = ", failed"
		}
		fmt.Fprintf(&b, "%s (kind %d, in %q%s)\n", s.Name(), s.SpanKind(), parent, failed)
		for _, a := range slices.SortedFunc(slices.Values(s.Attributes()), func(a, b attribute.KeyValue) int { return strings.Compare(string(a.Key), string(b.Key)) }) {
			value := withoutIDs(fmt.Sprint(a.Value.AsInterface()))
			switch a.Key {
			case attrRequestID, attrResponseID, attrFirstChunk, attrParseTime:
				value = "…"
			}
			fmt.Fprintf(&b, "  %s = %v\n", a.Key, value)
		}
		for _, e := range s.Events() {
			fmt.Fprintf(&b, "  event %s [{%s %s}]\n", e.Name, e.Attributes[0].Key, e.Attributes[0].Value.AsString())
		}
	}
	return b.String()
}

// withoutIDs returns a text without the random ids of calls.
func withoutIDs(s string) string {
	const prefix = `"id":"toolu_`
	before, after, found := strings.Cut(s, prefix)
	if !found {
		return s
	}
	id, after, _ := strings.Cut(after, `"`)
	if len(id) > 1 {
		id = "…"
	}
	return before + prefix + id + `"` + withoutIDs(after)
}

// TestSpans fixes every emitted name and value, for exchanges of each kind.
func TestSpans(t *testing.T) {
	parent := []string{"Traceparent", "00-" + aTrace + "-" + aSpan + "-01"}
	claude := []string{"X-Claude-Code-Session-Id", "s-1", "X-Claude-Code-Agent-Id", "a-1", "X-Claude-Code-Parent-Agent-Id", "p-1", "User-Agent", "claude-cli/2", "X-Request-Id", "c-1"}
	native := func(o *proxy.Options) { o.Routes[0].Kind, o.Routes[0].Tools = upstream.KindBedrock, proxy.ToolsNative }
	const latest, content = "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"
	var all bytes.Buffer
	for _, test := range []struct {
		name      string
		answers   []answer
		change    func(*proxy.Options)
		variables []string
		path      string
		body      string
		header    []string
	}{
		{"answered", []answer{whole}, nil, nil, "/v1/messages", question, append(parent, claude...)},
		{"in the other generation", []answer{whole}, nil, []string{latest}, "/v1/messages", question, claude},
		{"with contents", []answer{whole}, nil, []string{content}, "/v1/messages", question, nil},
		{"over the model's own tool API", nil, native, nil, "/v1/messages", question, nil},
		{"over the model's own tool API, with contents", nil, native, []string{content}, "/v1/messages", question, nil},
		{"continued", []answer{stopped, rest}, nil, nil, "/v1/messages", question, nil},
		{"continued, with contents", []answer{stopped, rest}, nil, []string{content}, "/v1/messages", question, nil},
		{"passed over", []answer{{err: busy}}, nil, nil, "/v1/messages", question, nil},
		{"broken off", []answer{{chunks: whole.chunks[:2], err: busy}}, nil, []string{latest}, "/v1/messages", question, nil},
		{"refused by the model", []answer{{err: &upstream.Error{Status: 400, Type: messages.ErrorInvalidRequest, Message: "too long"}}}, nil, nil, "/v1/messages", question, nil},
		{"refused by us", nil, nil, nil, "/v1/messages", `{"model": "claude-2.1"}`, nil},
		{"nowhere", nil, nil, nil, "/v1/SECRET-PATH", "", nil},
		{"on Bedrock's route", []answer{whole}, nil, nil, "/model/claude-2.1/converse", `{"messages": [{"role": "user", "content": [{"text": "Hello."}]}]}`, nil},
	} {
		w := watch(t, test.answers, test.change, test.variables...)
		spans := w.post(test.path, test.body, test.header...)
		for _, s := range spans {
			if s.SpanContext().TraceID() != spans[0].SpanContext().TraceID() || s.EndTime().Before(s.StartTime()) || s.StartTime().IsZero() {
				t.Errorf("%s: %s is in trace %s, from %v to %v", test.name, s.Name(), s.SpanContext().TraceID(), s.StartTime(), s.EndTime())
			}
		}
		text := describe(spans)
		if !slices.Contains(test.variables, content) && (strings.Contains(text, "-TEXT") || strings.Contains(text, "SECRET-")) {
			t.Errorf("%s: the spans hold what the client wrote:\n%s", test.name, text)
		}
		fmt.Fprintf(&all, "== %s\n%s\n", test.name, text)
	}
	hold(t, "testdata/spans.txt", all.String())
}

// hold compares a text with a file, or with -update writes the file.
func hold(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// TestTraceInLog: the trace_id in the log is the span's. Without a span, it is the client's.
func TestTraceInLog(t *testing.T) {
	const traced, untraced = "00-" + aTrace + "-" + aSpan + "-01", "00-" + aTrace + "-" + aSpan + "-00"
	for _, test := range []struct {
		parent, variable string
		spans            int
		clients          bool // the client's trace is used
	}{
		{traced, "", 4, true}, {untraced, "", 0, true}, {"", "", 4, false}, {"nonsense", "", 4, false},
		{traced, "OTEL_PROPAGATORS=none", 4, false}, {traced, "OTEL_TRACES_SAMPLER=always_off", 0, true}, {untraced, "OTEL_TRACES_SAMPLER=always_on", 4, true},
	} {
		var log bytes.Buffer
		w := watch(t, []answer{whole}, func(o *proxy.Options) { o.Log = zerolog.New(&log) }, test.variable)
		spans := w.post("/v1/messages", question, "Traceparent", test.parent)
		_, id, _ := strings.Cut(log.String(), `"trace_id":"`)
		id, _, _ = strings.Cut(id, `"`)
		if len(spans) != test.spans || len(id) != 32 || (id == aTrace) != test.clients || len(spans) > 0 && spans[0].SpanContext().TraceID().String() != id {
			t.Errorf("%+v: %d spans, trace %s", test, len(spans), id)
		}
	}
	var log bytes.Buffer
	w := watch(t, []answer{whole}, func(o *proxy.Options) { o.Log = zerolog.New(&log) }, "OTEL_TRACES_EXPORTER=none")
	w.post("/v1/messages", question, "Traceparent", traced)
	if text := w.describeMetrics(t); !strings.Contains(log.String(), aTrace) || !strings.Contains(text, "gen_ai.client.token.usage") {
		t.Errorf("with metrics alone: log %s, metrics %s", &log, text)
	}
}

// TestClientGone: a call that ends because its client left does not count as failed.
func TestClientGone(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	w := watch(t, nil, func(o *proxy.Options) {
		o.Upstreams["east"] = invoking(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
			leave()
			<-ctx.Done()
			yield(translate.Chunk{}, ctx.Err())
		})
	})
	w.serve(httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/messages", strings.NewReader(question)))
	text := describe(w.spans.Ended())
	for _, want := range []string{"chat claude-2.1 (kind 3, in \"POST /v1/messages\", failed)", "  error.type = canceled\n", "  dragoman.terminal = client_gone\n", "POST /v1/messages (kind 2, in \"\")"} {
		if !strings.Contains(text, want) {
			t.Errorf("the spans have no %q:\n%s", want, text)
		}
	}
}

// invoking is an upstream that does what the function does.
func invoking(f func(ctx context.Context, yield func(translate.Chunk, error) bool)) upstream.Func {
	return func(ctx context.Context, _ upstream.Model, _ *translate.Prompt) iter.Seq2[translate.Chunk, error] {
		return func(yield func(translate.Chunk, error) bool) { f(ctx, yield) }
	}
}

// The reason for the end is the upstream's own word, if it is a word.
func TestOwnFinishReason(t *testing.T) {
	for word, want := range map[string]string{"tool_calls": "tool_calls", "": "end_turn", "what the user wrote": "end_turn"} {
		w := watch(t, []answer{{chunks: []translate.Chunk{{Text: "Fine."}, {Stop: messages.StopEndTurn, StopWord: word}}}}, nil)
		if text := describe(w.post("/v1/messages", question)); !strings.Contains(text, "finish_reasons = ["+want+"]") {
			t.Errorf("%q: %s", word, text)
		}
	}
}
