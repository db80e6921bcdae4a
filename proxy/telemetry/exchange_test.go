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

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

var update = flag.Bool("update", false, "write the golden files")

// model is an upstream that answers each call in its turn, and the last answer again.
type model struct {
	tel     *Telemetry
	answers []answer
	asked   int
}

// answer is what a model says to one call: chunks, and an error or nil.
type answer struct {
	chunks []translate.Chunk
	err    error
}

func (m *model) Invoke(ctx context.Context, _ upstream.Model, _ *translate.Prompt) iter.Seq2[translate.Chunk, error] {
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

// send does what an upstream does with its request before it goes out.
func (m *model) send(ctx context.Context) {
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, "https://bedrock.test/model", nil)
	m.tel.OnRequest(r)
}

func (m *model) Passes(upstream.Model) bool { return true }

func (m *model) CountNative(context.Context, upstream.Model, upstream.Native) (int, error) {
	return 0, upstream.ErrNoCounter
}

func (m *model) Pass(ctx context.Context, _ upstream.Model, _ upstream.Native) iter.Seq2[messages.Event, error] {
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

// watched is a proxy whose exchanges telemetry watches, and that exports nothing.
type watched struct {
	*Telemetry
	*proxy.Server
}

// watch returns a proxy before models that give these answers, with the variables of OpenTelemetry.
func watch(t testing.TB, answers []answer, change func(*proxy.Options), variables ...string) watched {
	t.Helper()
	cfg, _, problems := read(append([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"}, variables...)...)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	tel := New(cfg, "test", zerolog.Nop())
	entry := func(upstreamName string) proxy.UpstreamModel {
		return proxy.UpstreamModel{Upstream: upstreamName, Features: upstream.Override{With: upstream.Prefill | upstream.Streaming}}
	}
	fallback := entry("relay")
	fallback.Model = "claude-of-relay"
	opt := proxy.Options{
		Routes:    []proxy.Route{{Name: "claude-*", UpstreamModel: entry("east"), Fallbacks: []proxy.UpstreamModel{fallback}}},
		Upstreams: map[string]proxy.Upstream{"east": &model{tel: tel, answers: answers}, "relay": &model{tel: tel, answers: []answer{whole}}},
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
	return watched{tel, s}
}

// post sends a request, with headers as name and value by turns, and returns the spans that came of it.
func (w watched) post(path, body string, header ...string) []*span {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	func() {
		defer func() { _ = recover() }() // http.ErrAbortHandler, for a client that has left
		w.Handler().ServeHTTP(httptest.NewRecorder(), r)
	}()
	if w.queue == nil {
		return nil
	}
	spans, _ := w.queue.take()
	return spans
}

// describe writes spans as text: what differs from run to run is left out.
func describe(spans []*span) string {
	var b strings.Builder
	names := map[spanID]string{}
	for _, s := range spans {
		names[s.span] = s.name
	}
	for _, s := range spans {
		parent, failed := names[s.parent], ""
		if parent == "" && s.parent != (spanID{}) {
			parent = "the client's"
		}
		if s.failed {
			failed = ", failed"
		}
		fmt.Fprintf(&b, "%s (kind %d, in %q%s)\n", s.name, s.kind, parent, failed)
		for _, a := range slices.SortedFunc(slices.Values(s.attributes), func(a, b attribute) int { return strings.Compare(a.key, b.key) }) {
			switch a.key {
			case attrRequestID, attrResponseID, attrFirstChunk, attrParseTime:
				a.value = "…"
			}
			fmt.Fprintf(&b, "  %s = %v\n", a.key, withoutIDs(fmt.Sprint(a.value)))
		}
		for _, e := range s.events {
			fmt.Fprintf(&b, "  event %s %v\n", e.name, e.attributes)
		}
	}
	return b.String()
}

// withoutIDs returns a text without the ids of calls that are made at random.
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

// TestSpans holds every name and value that is emitted, for exchanges of each kind.
func TestSpans(t *testing.T) {
	parent := []string{"Traceparent", "00-" + aTrace + "-" + aSpan + "-01"}
	claude := []string{"X-Claude-Code-Session-Id", "s-1", "X-Claude-Code-Agent-Id", "a-1", "X-Claude-Code-Parent-Agent-Id", "p-1", "User-Agent", "claude-cli/2", "X-Request-Id", "c-1"}
	native := func(o *proxy.Options) { o.Routes[0].Tools = proxy.ToolsNative }
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
			if s.trace != spans[0].trace || s.end.Before(s.start) || s.start.IsZero() {
				t.Errorf("%s: %s is in trace %s, from %v to %v", test.name, s.name, s.trace, s.start, s.end)
			}
		}
		text := describe(spans)
		if !slices.Contains(test.variables, content) && (strings.Contains(text, "-TEXT") || strings.Contains(text, "SECRET-")) {
			t.Errorf("%s: the spans hold what the client wrote:\n%s", test.name, text)
		}
		fmt.Fprintf(&all, "== %s\n%s\n", test.name, text)
	}
	const file = "testdata/spans.txt"
	if *update {
		if err := os.WriteFile(file, all.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), all.String()); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

// TestTraceInLog: the trace_id in the log is that of the span, and stays the client's where there is none.
func TestTraceInLog(t *testing.T) {
	const traced, untraced = "00-" + aTrace + "-" + aSpan + "-01", "00-" + aTrace + "-" + aSpan + "-00"
	for _, test := range []struct {
		parent, variable string
		spans            int
		clients          bool // the trace is that of the client
	}{
		{traced, "", 4, true}, {untraced, "", 0, true}, {"", "", 4, false}, {"nonsense", "", 4, false},
		{traced, "OTEL_PROPAGATORS=none", 4, false}, {traced, "OTEL_TRACES_SAMPLER=always_off", 0, true}, {untraced, "OTEL_TRACES_SAMPLER=always_on", 4, true},
	} {
		var log bytes.Buffer
		w := watch(t, []answer{whole}, func(o *proxy.Options) { o.Log = zerolog.New(&log) }, test.variable)
		spans := w.post("/v1/messages", question, "Traceparent", test.parent)
		_, id, _ := strings.Cut(log.String(), `"trace_id":"`)
		id, _, _ = strings.Cut(id, `"`)
		if len(spans) != test.spans || len(id) != 32 || (id == aTrace) != test.clients || len(spans) > 0 && spans[0].trace.String() != id {
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

// TestClientGone: a call that ends because its client has left has not failed by itself.
func TestClientGone(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	w := watch(t, nil, func(o *proxy.Options) {
		o.Upstreams["east"] = invoking(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
			leave()
			<-ctx.Done()
			yield(translate.Chunk{}, ctx.Err())
		})
	})
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/messages", strings.NewReader(question))
	func() {
		defer func() { _ = recover() }() // http.ErrAbortHandler
		w.Handler().ServeHTTP(httptest.NewRecorder(), r)
	}()
	spans, _ := w.queue.take()
	text := describe(spans)
	for _, want := range []string{"chat claude-2.1 (kind 3, in \"POST /v1/messages\", failed)", "  error.type = canceled\n", "  dragoman.terminal = client_gone\n", "POST /v1/messages (kind 2, in \"\")"} {
		if !strings.Contains(text, want) {
			t.Errorf("the spans have no %q:\n%s", want, text)
		}
	}
}

// invoking is an upstream that does what the function does.
type invoking func(ctx context.Context, yield func(translate.Chunk, error) bool)

func (f invoking) Invoke(ctx context.Context, _ upstream.Model, _ *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) { f(ctx, yield) }
}
