package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

type passer interface {
	PrepareNative(upstream.Model, upstream.Native) (*upstream.Call, error)
}

// pass passes a request to a model, and returns the events of the answer.
func pass(up passer, ctx context.Context, m upstream.Model, n upstream.Native) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		call, err := up.PrepareNative(m, n)
		if err != nil {
			yield(messages.Event{}, err)
			return
		}
		call.Events(ctx)(yield)
	}
}

// nativeEvents is an answer with members that Dragoman does not need to know. They must arrive unchanged.
var nativeEvents = []string{
	`{"type":"message_start","message":{"id":"msg_x","type":"message","role":"assistant","model":"m","content":[],"new":[1],"usage":{"input_tokens":25,"cache_read_input_tokens":3}}}`,
	`{"type":"ping"}`,
	`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"abc="}}`,
	`{"type":"content_block_stop","index":0}`,
	`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
	`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hé"}}`,
	`{"type":"content_block_delta", "index":1, "delta":{"type":"text_delta","text":"!","more":1}}`,
	`{"type":"content_block_stop","index":1}`,
	`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{},"caller":{"type":"direct"}}}`,
	`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}`,
	`{"type":"content_block_stop","index":2}`,
	`{"type":"surprise","x":1}`,
	`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":9}}`,
	`{"type":"message_stop"}`,
}

func answerNatively(string, []byte) []string { return nativeEvents }

// nativeWire is a wire to models with a tool API of their own.
type nativeWire struct {
	name  string
	model string
	serve func(upstreamtest.Script) fake
	dial  func(t *testing.T, server *httptest.Server) passer
	// failure is the wire's name for the error "overloaded" in an answer.
	failure string
}

var nativeWires = []nativeWire{{
	name: "bedrock", model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
	serve: func(s upstreamtest.Script) fake {
		f := upstreamtest.NewBedrock(s)
		f.Native = answerNatively
		return f
	},
	dial:    func(t *testing.T, server *httptest.Server) passer { return dialBedrock(t, server) },
	failure: "ServiceUnavailableException",
}, {
	name: "anthropic", model: "claude-sonnet-4-5",
	serve: func(s upstreamtest.Script) fake {
		f := upstreamtest.NewMessages(s)
		f.Native = answerNatively
		return f
	},
	dial: func(t *testing.T, server *httptest.Server) passer {
		up, err := upstream.NewAnthropic(upstream.ServerOptions{BaseURL: server.URL, HTTPClient: server.Client()})
		if err != nil {
			t.Fatal(err)
		}
		return up
	},
	failure: "overloaded_error",
}, {
	name: "vertex", model: "claude-sonnet-4-5@20250929",
	serve: func(s upstreamtest.Script) fake {
		f := upstreamtest.NewVertex(s)
		f.Native = answerNatively
		return f
	},
	dial: func(t *testing.T, server *httptest.Server) passer {
		return vertexWire("", upstream.Model{}, func(v *upstream.Vertex) invoker { return v }).dial(t, server).(passer)
	},
	failure: "UNAVAILABLE",
}}

// pass sends a request over the wire, and returns the answer up to its end.
func (w nativeWire) pass(t *testing.T, model string, c upstreamtest.Completion, n upstream.Native) (events []messages.Event, raw []string, f fake, err error) {
	t.Helper()
	f = w.serve(upstreamtest.Answer(c))
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	var e messages.Event
	for e, err = range pass(w.dial(t, server), t.Context(), upstream.Model{ID: model}, n) {
		if err == nil {
			raw = append(raw, string(e.Raw))
			e.Raw = nil
			events = append(events, e)
		}
	}
	return events, raw, f, err
}

func TestPass(t *testing.T) {
	const body = `{"model":"asked","stream":true, "max_tokens":9,"tools":[{"name":"f","x":{"y": [1, 2]}}],"messages":"any","anthropic_version":"2026-10-21","anthropic_beta":["b","a"]}`
	for _, w := range nativeWires {
		t.Run(w.name, func(t *testing.T) {
			events, raw, f, err := w.pass(t, w.model, upstreamtest.Completion{}, upstream.Native{Body: jsontext.Value(body), Betas: []string{"c", "a"}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(nativeEvents, raw); diff != "" {
				t.Errorf("events (-sent +got):\n%s", diff)
			}
			first, end := events[0].Message, events[len(events)-2].Message
			if first.RequestID != "req-of-the-fake" || first.Usage.InputTokens != 25 ||
				end.StopReason != messages.StopToolUse || end.Usage != (messages.Usage{InputTokens: 25, OutputTokens: 9, CacheReadInputTokens: 3}) {
				t.Errorf("what we know of it: %+v, %+v", first, end)
			}
			if text := string(events[6].Text) + string(events[7].Text); text != "Hé!" || events[6].Index != 1 {
				t.Errorf("text %q of block %d", text, events[6].Index)
			}
			if b, d := events[9].Block, events[10]; b.ID != "toolu_1" || b.Name != "f" || d.Delta != messages.InputJSONDelta || string(d.Text) != `{"a":1}` {
				t.Errorf("call %+v, %+v", b, d)
			}
			sent := string(f.Requests()[0].Body)
			for _, part := range []string{`"max_tokens":9,"tools":[{"name":"f","x":{"y": [1, 2]}}],"messages":"any"`} {
				if !strings.Contains(sent, part) {
					t.Errorf("sent %s\nwithout %s", sent, part)
				}
			}
		})
	}
}

// TestPassFails breaks off an answer, and fails in its middle.
func TestPassFails(t *testing.T) {
	for _, w := range nativeWires {
		t.Run(w.name, func(t *testing.T) {
			body := upstream.Native{Body: jsontext.Value(`{"max_tokens":9}`)}
			for _, tt := range []struct {
				fault  *upstreamtest.Fault
				status int
			}{
				{upstreamtest.Fail(3, w.failure, "busy"), 529},
				{upstreamtest.End(900), 502},
				{upstreamtest.Corrupt(2), 502},
			} {
				events, _, _, err := w.pass(t, w.model, upstreamtest.Completion{Fault: tt.fault}, body)
				var failed *upstream.Error
				if !errors.As(err, &failed) || failed.Status != tt.status || len(events) == 0 {
					t.Errorf("%v after %d events", err, len(events))
				}
			}
		})
	}
}

// TestPassInDisorder sends events that do not form a message.
func TestPassInDisorder(t *testing.T) {
	start, stop := nativeEvents[0], nativeEvents[len(nativeEvents)-1]
	const (
		text, call  = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`
		word, input = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}`
		end0, end1  = `{"type":"content_block_stop","index":0}`, `{"type":"content_block_stop","index":1}`
		ends        = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{}}`
	)
	for _, events := range [][]string{
		{start, text, word, end0, end0, ends, stop},
		{start, text, word, end0, word, ends, stop},
		{start, text, word, end0, call, word, end1, ends, stop},
		{start, text, call, input, end1, end0, ends, stop},
		{start, text, word, call, end0, input, end1, ends, stop},
		{start, text, call, end1, ends, stop},
		{start, text, text, end0, ends, stop},
		{start, text, word, end0, text, end0, ends, stop},
		{start, text, word, end1, ends, stop},
		{start, text, input, end0, ends, stop},
		{start, text, word, ends, stop},
		{start, text, word, ends, end0, stop},
		{start, text, end0, ends, call, input, end1, stop},
		{start, text, end0, call, input, end1, ends, input, stop},
		{start, text, end0, stop},
		{start, text, stop},
		{start, ends, start, stop},
		{ends, start, stop},
		{start, stop},
		{stop},
		{nativeEvents[5], start},
		{start, start, stop},
		{start, `{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`},
		{start, `{"type":"content_block_start","index":-1,"content_block":{"type":"text","text":""}}`},
		{start, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`},
		{start, `{"type":"content_block_stop","index":3}`},
	} {
		f := upstreamtest.NewMessages(upstreamtest.Answer(upstreamtest.Completion{}))
		f.Native = func(string, []byte) []string { return events }
		server := httptest.NewServer(f)
		_, err := messages.Collect(pass(nativeWires[1].dial(t, server), t.Context(), upstream.Model{ID: "m"}, upstream.Native{Body: jsontext.Value(`{}`)}))
		server.Close()
		var failed *upstream.Error
		if !errors.As(err, &failed) || failed.Status != 502 {
			t.Errorf("%q: %v", events, err)
		}
	}
}

// TestPassTwoEnds sends the token counts after the stop reason, in their own message_delta.
func TestPassTwoEnds(t *testing.T) {
	f := upstreamtest.NewMessages(upstreamtest.Answer(upstreamtest.Completion{}))
	f.Native = func(string, []byte) []string {
		return []string{
			nativeEvents[0],
			`{"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"END"},"usage":{}}`,
			`{"type":"message_delta","delta":{},"usage":{"output_tokens":9}}`,
			`{"type":"message_stop"}`,
		}
	}
	server := httptest.NewServer(f)
	defer server.Close()
	m, err := messages.Collect(pass(nativeWires[1].dial(t, server), t.Context(), upstream.Model{ID: "m"}, upstream.Native{Body: jsontext.Value(`{}`)}))
	if err != nil || m.StopReason != messages.StopSequence || m.StopSequence != "END" || m.Usage.OutputTokens != 9 ||
		!strings.Contains(string(m.Raw), `"stop_reason":"stop_sequence","stop_sequence":"END"`) {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestPassHeaders checks that only the client's version and betas reach the server.
func TestPassHeaders(t *testing.T) {
	for _, w := range nativeWires[1:] {
		for _, version := range []string{"", "2026-10-21", "2024-01-01", "x\r\ny"} {
			_, _, f, err := w.pass(t, w.model, upstreamtest.Completion{}, upstream.Native{
				Body: jsontext.Value(`{"anthropic_beta":"b"}`), Version: version, Betas: []string{"c", "b", "a", "bad\xff", "", "x y", "oauth-2025-04-20"},
			})
			if err != nil {
				t.Fatal(err)
			}
			r := f.Requests()[0]
			if got := r.Header.Get("anthropic-beta"); got != "a,b,c" || strings.Contains(string(r.Body), "anthropic_beta") {
				t.Errorf("%s: betas %q, body %s", w.name, got, r.Body)
			}
			want := map[string]string{"": "2023-06-01", "x\r\ny": "2023-06-01"}[version]
			if want == "" {
				want = version
			}
			if got := r.Header.Get("anthropic-version"); w.name == "anthropic" && got != want {
				t.Errorf("version %q became %q", version, got)
			}
			if newer := strings.Contains(string(r.Body), `"anthropic_version":"2026-10-21"`); w.name == "vertex" && newer != (version == "2026-10-21") {
				t.Errorf("version %q: body %s", version, r.Body)
			}
		}
	}
}

// TestPassToBedrock checks the version for each model.
func TestPassToBedrock(t *testing.T) {
	w := nativeWires[0]
	for _, tt := range []struct{ model, version, body, want string }{
		{w.model, "2026-10-21", `{}`, "bedrock-2023-05-31"},
		{"anthropic.claude-opus-4-7", "2026-10-21", `{}`, "2026-10-21"},
		{"anthropic.claude-opus-4-7", "", `{"anthropic_version":"2026-10-21"}`, "2026-10-21"},
		{"anthropic.claude-opus-4-7", "2023-06-01", `{}`, "bedrock-2023-05-31"},
		{"global.anthropic.claude-sonnet-5-5", "2026-10-21", `{"anthropic_beta":"x"}`, "2026-10-21"},
	} {
		_, _, f, err := w.pass(t, tt.model, upstreamtest.Completion{}, upstream.Native{Body: jsontext.Value(tt.body), Version: tt.version})
		if err != nil {
			t.Fatal(err)
		}
		body := string(f.Requests()[0].Body)
		if !strings.Contains(body, fmt.Sprintf(`"anthropic_version":%q`, tt.want)) || strings.Contains(tt.body, "beta") != strings.Contains(body, `"anthropic_beta":["x"]`) {
			t.Errorf("%s, %s: %s", tt.model, tt.version, body)
		}
	}
}
