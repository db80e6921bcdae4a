package proxy

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// sending returns an upstream with the Messages API that answers with these events.
func sending(t *testing.T, events ...string) Upstream {
	t.Helper()
	fake := upstreamtest.NewMessages(upstreamtest.Answer(upstreamtest.Completion{}))
	fake.Native = func(string, []byte) []string { return events }
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	up, err := upstream.NewAnthropic(upstream.ServerOptions{BaseURL: server.URL, HTTPClient: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return up
}

// The events of these answers.
const (
	nativeBegins  = `{"type":"message_start","message":{"id":"msg_x","type":"message","role":"assistant","content":[],"usage":{"input_tokens":5}}}`
	nativeCalls   = `{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":8}}`
	nativeStopped = `{"type":"message_stop"}`
)

// nativeCall returns the events of a call as block 0: a start with this input, a delta for each piece, and a stop. The
// piece "text" does not belong into a call.
func nativeCall(input string, pieces ...string) []string {
	events := []string{`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"get_weather","input":` + input + `}}`}
	for _, piece := range pieces {
		if piece == "text" {
			events = append(events, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"text"}}`)
			continue
		}
		events = append(events, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":`+string(appendMarshaled(nil, piece))+`}}`)
	}
	return append(events, `{"type":"content_block_stop","index":0}`)
}

// TestNativeInput: a call's input may be in the block's start, in deltas, or in both. Deltas replace the start, in a
// Converse answer as in a stream.
func TestNativeInput(t *testing.T) {
	for name, tt := range map[string]struct {
		start  string
		deltas []string
		want   string
	}{
		"in the start, and text":    {`{"city":"Oslo"}`, []string{"text"}, `{"city":"Oslo"}`},
		"in deltas, and text":       {`{}`, []string{`{"city":`, "text", `"Oslo"}`}, `{"city":"Oslo"}`},
		"in the start":              {`{"city":"Oslo"}`, nil, `{"city":"Oslo"}`},
		"in the start, and blanks":  {`{"city":"Oslo"}`, []string{"", " "}, `{"city":"Oslo"}`},
		"in deltas":                 {`{}`, []string{"", `{"city":`, `"Oslo"}`}, `{"city":"Oslo"}`},
		"in both":                   {`{"city":"Rome"}`, []string{" ", `{"city":"Oslo"}`}, `{"city":"Oslo"}`},
		"nowhere":                   {`{}`, nil, `{}`},
		"nowhere, with a delta":     {`{}`, []string{""}, `{}`},
		"nowhere, with null for it": {`null`, nil, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			events := append([]string{nativeBegins}, nativeCall(tt.start, tt.deltas...)...)
			s := newServer(t, sending(t, append(events, nativeCalls, nativeStopped)...), withTools(ToolsNative))
			if got := read(t, postTo(s, conversePath, converseQuestion).Body); !strings.Contains(got, `"input":`+tt.want+`}`) || !strings.Contains(got, `"stopReason":"tool_use"`) {
				t.Errorf("whole: %s", got)
			}
			events = strings.Split(readEvents(t, postTo(s, converseStreamPath, converseQuestion).Body), "\n")
			var got string
			for _, event := range events {
				if _, delta, ok := strings.Cut(event, `"delta":`); ok {
					if _, delta, ok = strings.Cut(delta, `{"toolUse":{"input":`); !ok {
						t.Errorf("in a call: %s", event)
					}
					got += rawjson.StringOf(jsontext.Value(strings.TrimSuffix(delta, "}}}")))
				}
			}
			if got != tt.want || !slices.Contains(events, `messageStop {"stopReason":"tool_use"}`) {
				t.Errorf("streamed: %s\nof %q", got, events)
			}
		})
	}
}

// TestNativeInDisorder: events that do not form a message make the answer fail. A stream's client has what came before,
// including text that was held back because it might have become a call.
func TestNativeInDisorder(t *testing.T) {
	const (
		text   = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
		next   = `{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`
		held   = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"See <function_calls"}}`
		closed = `{"type":"content_block_stop","index":0}`
		late   = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"late"}}`
	)
	call := nativeCall(`{}`, `{"city":"Oslo"}`)
	for name, events := range map[string][]string{
		"a block without its end":      {text, held, nativeCalls, nativeStopped},
		"two blocks at once":           {text, held, next, `{"type":"content_block_stop","index":1}`, closed, nativeCalls, nativeStopped},
		"a delta behind its block":     {text, held, closed, late, nativeCalls, nativeStopped},
		"two ends":                     {text, held, closed, closed, nativeCalls, nativeStopped},
		"a call in a block":            append([]string{text, held}, append(call, closed, nativeCalls, nativeStopped)...),
		"a call without its end":       append(slices.Clone(call[:2]), nativeCalls, nativeStopped),
		"a call behind its own end":    {call[0], call[2], call[1], nativeCalls, nativeStopped},
		"a block behind the last":      {text, held, closed, nativeCalls, next, nativeStopped},
		"no reason for the end":        {text, held, closed, nativeStopped},
		"nothing but a block too late": {nativeCalls, text},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, sending(t, append([]string{nativeBegins}, events...)...), withTools(ToolsNative))
			if got := see(post(s, question)); got.status != 502 {
				t.Errorf("whole: %+v", got)
			}
			if w := postTo(s, conversePath, converseQuestion); w.StatusCode != 500 { // Bedrock has an exception for it
				t.Errorf("whole in Converse: %d %s", w.StatusCode, read(t, w.Body))
			}
			var text string
			got := post(s, streamed(question)).Body.String()
			for line := range strings.Lines(got) {
				text += rawjson.StringOf(rawjson.Lookup(rawjson.Lookup(jsontext.Value(strings.TrimPrefix(line, "data: ")), "delta"), "text"))
			}
			if want := slices.Contains(events, held); !strings.Contains(got, "in the wrong order") || strings.Contains(got, "message_stop") || want && text != "See <function_calls" {
				t.Errorf("streamed %q in\n%s", text, got)
			}
			if got := readEvents(t, postTo(s, converseStreamPath, converseQuestion).Body); strings.Contains(got, "messageStop") || !strings.Contains(got, "in the wrong order") {
				t.Errorf("streamed in Converse:\n%s", got)
			}
		})
	}
}

// TestNativeCutCall: a call's JSON is cut, although the model says that it called a tool. The answer ends as cut,
// streamed or not.
func TestNativeCutCall(t *testing.T) {
	for name, tt := range map[string]struct {
		pieces []string
		stop   string // of the model
		want   string
	}{
		"within a string":       {[]string{`{"city":"Os`}, "tool_use", "max_tokens"},
		"behind a string":       {[]string{`{"city":"Oslo"`}, "tool_use", "max_tokens"},
		"behind a quoted brace": {[]string{`{"city":"a\`, `"}`}, "end_turn", "max_tokens"},
		"behind a backslash":    {[]string{`{"city":"a\\"`, `,"b":[]`}, "tool_use", "max_tokens"},
		"in an array":           {[]string{`{"city":["Oslo"}`}, "tool_use", "max_tokens"},
		"and the model says so": {[]string{`{"city":"Os`}, "max_tokens", "max_tokens"},
		"and it has a reason":   {[]string{`{"city":"Os`}, "refusal", "refusal"},
		"not at all":            {[]string{`{"city":"{\"[\\`, `"}`}, "tool_use", "tool_use"},
		"without an input":      {nil, "tool_use", "tool_use"},
	} {
		t.Run(name, func(t *testing.T) {
			events := append([]string{nativeBegins}, nativeCall(`{}`, tt.pieces...)...)
			events = append(events, strings.Replace(nativeCalls, "tool_use", tt.stop, 1), nativeStopped)
			log := &logged{}
			s := newServer(t, sending(t, events...), withTools(ToolsNative), log.option)
			for path, body := range map[string]string{"/v1/messages": question, "streamed": streamed(question)} {
				got := post(s, body).Body.String()
				if !strings.Contains(got, `"stop_reason":"`+tt.want+`"`) || log.exchange(t)["stop_reason"] != tt.want {
					t.Errorf("%s: logged %v,\n%s", path, log.exchange(t)["stop_reason"], got)
				}
			}
			want := `"stopReason":"` + converseStop(messages.Stop(tt.want)) + `"`
			if got := read(t, postTo(s, conversePath, converseQuestion).Body); !strings.Contains(got, want) {
				t.Error(got)
			}
			if got := readEvents(t, postTo(s, converseStreamPath, converseQuestion).Body); !strings.Contains(got, want) {
				t.Error(got)
			}
		})
	}
}
