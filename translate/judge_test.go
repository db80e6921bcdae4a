package translate

import (
	"iter"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/messages"
)

// TestJudge checks the outcomes for calls of a model with a tool API of its own.
func TestJudge(t *testing.T) {
	tools := []messages.Tool{
		{Name: "solve", InputSchema: jsontext.Value(`{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"]}`)},
		{Name: "strict", InputSchema: jsontext.Value(`{"type":"object","properties":{"a":{}}}`), Strict: true},
		{Name: "typed", InputSchema: jsontext.Value(`{"type":"object","properties":{"limit":{"type":"integer"}}}`)},
	}
	for _, tt := range []struct {
		tool   string
		pieces []string
		others bool
		want   messages.Outcome
	}{
		{"solve", []string{`{"a":1,`, `"b":2}`}, false, messages.Outcome{Kind: messages.OutcomeClean, Tool: "solve"}},
		{"solve", []string{`{"parameter":"a"}`}, false, messages.Outcome{Kind: messages.OutcomeInvalid, Tool: "solve", Reason: messages.ReasonMissingParameters}},
		{"solve", nil, false, messages.Outcome{Kind: messages.OutcomeInvalid, Tool: "solve", Reason: messages.ReasonMissingParameters}},
		{"strict", []string{`{"a":1,"x":2}`}, false, messages.Outcome{Kind: messages.OutcomeInvalid, Tool: "strict", Reason: messages.ReasonUndeclaredParameters}},
		{"strict", nil, false, messages.Outcome{Kind: messages.OutcomeClean, Tool: "strict"}},
		{"solve", []string{`{"a":1,"b":"`}, false, messages.Outcome{Kind: messages.OutcomeIncomplete, Tool: "solve", Reason: messages.ReasonCutValue}},
		{"typed", []string{`{"limit":[true]}`}, false, messages.Outcome{Kind: messages.OutcomeTypeFallback, Tool: "typed", Reason: messages.ReasonType}},
		{"other", []string{`{}`}, false, messages.Outcome{Kind: messages.OutcomeUnknownTool, Tool: "other"}},
		{"other", []string{`{}`}, true, messages.Outcome{Kind: messages.OutcomeClean, Tool: "other"}},
	} {
		req := &messages.Request{Tools: tools, OtherTools: tt.others}
		var got []messages.Outcome
		pauses := 0
		for e, err := range Judge(req, nil, nativeCallEvents(tt.tool, tt.pieces)) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type == messages.MessageDelta {
				got = e.Message.Outcomes
			}
			if e.Type == messages.Pause {
				pauses++
			}
		}
		if want := len(tt.pieces) + 3; pauses != want { // one event has the next one at hand
			t.Errorf("%d pauses, want %d", pauses, want)
		}
		tt.want.FromServer = true
		if diff := cmp.Diff([]messages.Outcome{tt.want}, got); diff != "" {
			t.Errorf("%s %q: %s", tt.tool, tt.pieces, diff)
		}
	}
}

// nativeCallEvents returns the events of an answer with one call.
func nativeCallEvents(tool string, input []string) iter.Seq2[messages.Event, error] {
	raw := jsontext.Value(`{}`)
	return func(yield func(messages.Event, error) bool) {
		events := []messages.Event{
			{Type: messages.MessageStart, Message: &messages.Message{}, Raw: raw, More: true},
			{Type: messages.ContentBlockStart, Block: &messages.ContentBlock{Type: messages.BlockToolUse, Name: tool, Input: jsontext.Value("{}")}, Raw: raw},
		}
		for _, piece := range input {
			events = append(events, messages.Event{Type: messages.ContentBlockDelta, Delta: messages.InputJSONDelta, Text: []byte(piece), Raw: raw})
		}
		events = append(events, messages.Event{Type: messages.ContentBlockStop, Raw: raw},
			messages.Event{Type: messages.MessageDelta, Message: &messages.Message{StopReason: messages.StopToolUse}, Raw: raw})
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}
