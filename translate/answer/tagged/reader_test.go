package tagged

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/emit"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// read reads text as the rest of a call, after the name of its tool. The tool has the strings a and b and the
// integer n. The text arrives in pieces of the given size. read returns how the call ends, its input, and the text
// after the call.
func read(text string, piece int) (exit Exit, reason messages.Reason, input, behind string) {
	var sent strings.Builder
	out := emit.New(func(e messages.Event, _ error) bool { sent.Write(e.Text); return true }, "")
	out.HoldInput()
	out.OpenToolUse("t")
	out.StreamValues = true
	in := completion.New()
	call := OpenCall{Tool: "t", AttributeForm: true, WrapperOpen: true, Certain: true, Schema: schema.Compile(jsontext.Value(
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"n":{"type":"integer"}},"required":["a"]}`))}
	r := NewReader(&call, &in, &out, &format.Reads{}, &format.ToolNames{}, markup.Escapes{})
	r.Open, r.Whole, r.Hold = func() {}, func() {}, func() {}
	r.Begin()
	r.Enter()
	for from := 0; ; from += piece {
		if from < len(text) {
			in.Add(text[from:min(from+piece, len(text))])
		} else {
			in.End()
		}
		for exit = r.Step(); exit.Kind == Reads; exit = r.Step() {
		}
		out.Flush()
		if exit.Kind != Waits || in.EOF {
			if behind = string(in.Rest()); from+piece < len(text) {
				behind += text[from+piece:]
			}
			return exit, call.Reason, sent.String(), behind
		}
	}
}

// TestReader holds how a call is read by itself: the same in pieces of all sizes.
func TestReader(t *testing.T) {
	for _, tt := range []struct {
		name, text    string
		kind          ExitKind
		reason        messages.Reason
		input, behind string
	}{
		{"regular", "\n<parameter name=\"a\">x</parameter>\n<parameter name=\"n\">2</parameter>\n</invoke>\n</function_calls>", Closed, messages.ReasonNone, `{"a":"x","n":2`, "\n</function_calls>"},
		{"its own tags in pairs", "<parameter name=\"a\">say <parameter name=\"b\">y</parameter> so</parameter></invoke>", Closed, messages.ReasonNone, `{"a":"say <parameter name=\"b\">y</parameter> so"`, ""},
		{"no closing tag of a value", "<parameter name=\"a\">x\n<parameter name=\"b\">y</parameter>\n</invoke>\n</function_calls>", Closed, messages.ReasonMissingCloser, `{"a":"x","b":"y"`, "\n</function_calls>"},
		{"swapped", "<parameter name=\"a\">x</b>\n<parameter name=\"b\">y</parameter>\n</invoke>\n</function_calls>", Closed, messages.ReasonWrongCloser, `{"a":"x","b":"y"`, "\n</function_calls>"},
		{"the end of parameters that nothing opened", "<parameter name=\"a\">x</parameter>\n</parameters>\n</invoke>", Closed, messages.ReasonStrayCloser, `{"a":"x"`, ""},
		{"no end of the call", "<parameter name=\"a\">x</parameter>", Closed, messages.ReasonNone, `{"a":"x"`, ""},
		{"the next call", "<parameter name=\"a\">x</parameter>\n<invoke name=\"t\">", Closed, messages.ReasonNone, `{"a":"x"`, "<invoke name=\"t\">"},
		{"text behind a value", "<parameter name=\"a\">x</parameter> and so on </invoke>", Closed, messages.ReasonStrayText, `{"a":"x"`, ""},
		{"text without a parameter", " and so on </invoke>", Unreadable, messages.ReasonStrayText, ``, ""},
		{"cut in a value", "<parameter name=\"a\">x", Cut, messages.ReasonCutValue, `{"a":"x`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for piece := 1; piece <= len(tt.text); piece++ {
				exit, reason, input, behind := read(tt.text, piece)
				if exit.Kind != tt.kind || reason != tt.reason || input != tt.input || behind != tt.behind {
					t.Fatalf("in pieces of %d: %v, %q, %s, and then %q", piece, exit, reason, input, behind)
				}
			}
		})
	}
}
