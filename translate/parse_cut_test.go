package translate

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// streamed is what a client gets of the first call in an answer: the joined deltas of its input,
// the cut of its block, and the stop_reason.
type streamed struct {
	input string
	cut   int
	stop  messages.Stop
}

func streamOf(t *testing.T, req *messages.Request, prompt *Prompt, c completion, n int) (s streamed) {
	t.Helper()
	call := -1
	for e, err := range checked(t, Events(req, prompt, c.chunks(n))) {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Type == messages.ContentBlockStart && e.Block.Type == messages.BlockToolUse && call < 0:
			call = e.Index
		case e.Type == messages.ContentBlockDelta && e.Index == call:
			s.input += string(e.Text)
		case e.Type == messages.ContentBlockStop && e.Index == call:
			s.cut = e.Cut
		case e.Type == messages.MessageDelta:
			s.stop = e.Message.StopReason
		}
	}
	return s
}

// TestCutOpen cuts a call at every byte. The streamed input is the start of the whole call's input,
// and not valid JSON. The collected input has the complete parameters, with the same values as in
// the whole call.
func TestCutOpen(t *testing.T) {
	type test struct{ name, Format, end, text string }
	tests := []test{
		{"legacy", FormatLegacy, "</invoke>", "Look.\n\n" + CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n<s>Oslo \"x\"\n</s>\n<n>12.50</n>\n" +
			"<a>[1,2]</a>\n<o>\n\\ a\r\n</o>\n<b>true</b>\n<m><k>v</k></m>\n<e>y</e>\n<any>Ünï</any>\n</parameters>\n</invoke>\n"},
		{"attribute", FormatAttribute, "</invoke>", CallsStart + "\n<invoke name=\"t\">\n<parameter name=\"s\">a <b>c</b></parameter>\n<parameter name=\"i\">7</parameter>\n" +
			"<parameter name=\"m\">{\"k\":\"v\"}</parameter>\n<parameter name=\"o\">null</parameter>\n</invoke>\n"},
		{"object", FormatLegacy, "</invoke>", CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n{\"s\": \"a\\nb\", \"n\": 125, \"m\": {\"k\": \"v\"}, \"a\": []}\n</parameters>\n</invoke>\n"},
		{"pythonic", format.Pythonic, ")", "<|python_start|>[t(s=\"a\\nb\", n=125, m={\"k\": [1, 2]}, b=False)]<|python_end|>"},
		{"gemma", format.Gemma, "}", "<|tool_call>call:t{s:<|\"|>a\nb<|\"|>,n:125,m:{k:[1,2]},b:false}<tool_call|>"},
		{"json", FormatJSON, "}}", "<tool_call>\n{\"name\": \"t\", \"arguments\": {\"s\": \"a\\nb\", \"n\": 125, \"m\": {\"k\": [1, 2]}, \"b\": false}}\n</tool_call>"},
	}
	s := schema.Compile(fuzzRequest().Tools[0].InputSchema)
	for _, f := range format.List {
		if f.IsData() {
			text := f.BeforeCalls + writtenCall(f, &markup.Escaper{}, "t", 0, jsontext.Value(`{"s":"a <b>c</b>\nd","i":7,"m":{"k":"v"},"b":true}`), s)
			end, _, _ := strings.Cut(strings.TrimSpace(f.Shape.Call[2]), "\n")
			if f.Shape.IsJSON() { // the object has its own end
				end = "}"
			}
			tests = append(tests, test{"written as " + f.Name, f.Name, end, text})
		}
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := format.Named(tt.Format)
			if err != nil {
				t.Fatal(err)
			}
			req, holds, flows := fuzzRequest(), &Prompt{Asking: asking{Declared: f}}, &Prompt{Asking: asking{Declared: f, Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}
			whole := streamOf(t, req, flows, completion{tt.text, messages.StopSequence, f.StopSequence}, 0)
			if whole.cut != 0 || whole.stop != messages.StopToolUse {
				t.Fatalf("the whole call: %+v", whole)
			}
			meant := jsontext.Value(whole.input)
			called := 0
			for at := range strings.LastIndex(tt.text, tt.end) + len(tt.end) {
				c := completion{tt.text[:at], messages.StopMaxTokens, ""}
				m := parseIn(t, &Prompt{Asking: asking{Declared: f}}, req, c, 0)
				if m.StopReason != messages.StopMaxTokens {
					t.Fatalf("cut at %q: stop_reason %s", tt.text[:at], m.StopReason)
				}
				if n := len(m.Content); n == 0 || m.Content[n-1].Type != messages.BlockToolUse {
					continue
				}
				called++
				b := m.Content[len(m.Content)-1]
				if b.Cut == nil {
					t.Fatalf("cut at %q: the call looks whole", tt.text[:at])
				}
				for name, value := range rawjson.NamedMembers(b.Input) {
					if !format.SameJSON(value, rawjson.Lookup(meant, name)) {
						t.Fatalf("cut at %q: %s is %s", tt.text[:at], name, value)
					}
				}
				for _, n := range []int{0, 1, 3} {
					if s := streamOf(t, req, flows, c, n); !strings.HasPrefix(whole.input, s.input) || s.cut == 0 {
						t.Fatalf("cut at %q: streamed %q", tt.text[:at], s.input)
					}
					if s := streamOf(t, req, holds, c, n); s.input+"}" != string(b.Input) {
						t.Fatalf("cut at %q: streamed %q where nothing half may be, and %s at once", tt.text[:at], s.input, b.Input)
					}
				}
				var replayed string
				for e := range messages.Replay(m, 0) {
					if e.Delta == messages.InputJSONDelta {
						replayed += string(e.Text)
					}
				}
				if replayed+"}" != string(b.Input) {
					t.Fatalf("cut at %q: replayed as %q", tt.text[:at], replayed)
				}
			}
			if called < len(tt.text)/4 {
				t.Errorf("only %d of %d cuts were within the call", called, len(tt.text))
			}
		})
	}
}

// TestFlowValues checks when a parameter is sent: when it is complete or, if its tool or else the
// target says so, while the model writes it.
func TestFlowValues(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tool  messages.InputStreaming
		flows bool
		want  string
	}{
		{"as it is", messages.StreamAsTargeted, false, `{"path":"a"`},
		{"the model's entry", messages.StreamAsTargeted, true, `{"path":"a","content":"half`},
		{"the tool", messages.StreamEagerly, false, `{"path":"a","content":"half`},
		{"the tool against the entry", messages.StreamWhole, true, `{"path":"a"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := benchRequest()
			req.Tools[0].Streaming = tt.tool
			text, _, _ := strings.Cut(valueCompletion("half"), "</content>")
			for n := range 4 {
				s := streamOf(t, req, &Prompt{Asking: asking{Target: Target{ModelOptions: ModelOptions{StreamValues: when(tt.flows, ValuesFlow)}}}}, completion{text, messages.StopMaxTokens, ""}, n)
				if s.input != tt.want || s.stop != messages.StopMaxTokens {
					t.Errorf("pieces of %d: %+v, want %s", n, s, tt.want)
				}
			}
		})
	}
}

// TestDoubtOpen checks that the JSON of a call with a doubtful value stays open, and that its
// collected input lacks the value.
func TestDoubtOpen(t *testing.T) {
	req := &messages.Request{Tools: []messages.Tool{{Name: "pair", InputSchema: jsontext.Value(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"n":{"type":"integer"}}}`)}}}
	for _, tt := range []struct{ name, params, stream, input string }{
		{"a value", "<b>x</b>\n<a>1 \n</parameters>\n</invoke>", `{"b":"x","a":"1 `, `{"b":"x"}`},
		{"a value of another type", "<b>x</b>\n<n>y \n\n</parameters>\n</invoke>", `{"b":"x"`, `{"b":"x"}`},
		{"a value that is held", "<n>1</n>\n<a>x<b>\n</parameters>\n</invoke>", `{"n":1,"a":"x`, `{"n":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := completion{CallsStart + "\n<invoke>\n<tool_name>pair</tool_name>\n<parameters>\n" + tt.params, messages.StopSequence, CallsEnd}
			for n := range 4 {
				s := streamOf(t, req, &Prompt{Asking: asking{Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, c, n)
				m := parse(t, req, c, n)
				if s.input != tt.stream || s.stop != messages.StopMaxTokens || string(m.Content[0].Input) != tt.input {
					t.Errorf("pieces of %d: streamed %s, %s; at once %s", n, s.input, s.stop, m.Content[0].Input)
				}
			}
		})
	}
}

// TestUnnamedStopInValue checks a stop inside a value. The stop sequence becomes text of the value
// only if the upstream names it. Otherwise the model may have ended without writing it.
func TestUnnamedStopInValue(t *testing.T) {
	text := CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n<s>half"
	for sequence, want := range map[string]string{"": `{"s":"half`, CallsEnd: `{"s":"half` + CallsEnd} {
		if s := streamOf(t, fuzzRequest(), &Prompt{Asking: asking{Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, completion{text, messages.StopSequence, sequence}, 0); s.input != want || s.stop != messages.StopMaxTokens {
			t.Errorf("stop %q: streamed %s, %s", sequence, s.input, s.stop)
		}
	}
}

// TestCutBehindClosers cuts a value directly after a closing tag of the call, which may be text of
// the value or end it. If the text was cut, the tag is left out. If the model ended there, the tag
// ends the value.
func TestCutBehindClosers(t *testing.T) {
	for _, closer := range []string{"</invoke>", "</parameters>", "</invoke>\n", "</parameters> "} {
		text := CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n<n>1</n>\n<s>a" + closer
		req := fuzzRequest()
		for n := range 4 {
			s := streamOf(t, req, &Prompt{Asking: asking{Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, completion{text, messages.StopMaxTokens, ""}, n)
			if s.input != `{"n":1,"s":"a` || s.cut != len(`{"n":1`) {
				t.Errorf("%q, pieces of %d: %+v", closer, n, s)
			}
			if m := parse(t, req, completion{text, messages.StopEndTurn, ""}, n); string(m.Content[0].Input) != `{"n":1,"s":"a"}` {
				t.Errorf("%q, pieces of %d, at the end of the turn: %s", closer, n, m.Content[0].Input)
			}
		}
	}
}

// TestWholeAtCut checks that a call is complete if the text is cut directly after its end.
func TestWholeAtCut(t *testing.T) {
	for name, text := range map[string]string{
		FormatLegacy:    CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n<n>1</n>\n</parameters>\n</invoke>",
		FormatAttribute: CallsStart + "\n<invoke name=\"t\">\n<parameter name=\"n\">1</parameter>\n</invoke>",
		FormatJSON:      "<tool_call>\n{\"name\": \"t\", \"arguments\": {\"n\": 1}}",
		format.Mistral:  `[TOOL_CALLS]t[ARGS]{"n": 1}`,
		format.Llama:    `<|python_tag|>{"name": "t", "parameters": {"n": 1}}`,
	} {
		f, err := format.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range []string{"", "\n", "\n<"} {
			for n := range 4 {
				s := streamOf(t, fuzzRequest(), &Prompt{Asking: asking{Declared: f}}, completion{text + end, messages.StopMaxTokens, ""}, n)
				if s.input != `{"n":1}` || s.cut != 0 || s.stop != messages.StopMaxTokens {
					t.Errorf("%s%q, pieces of %d: %+v", name, end, n, s)
				}
			}
		}
	}
}

// White space between a label and the tag after it does not change the verdict, however long it is.
func TestBlanksBehindLabel(t *testing.T) {
	req := spoken("x")
	prompt := mustRender(t, req, Target{ModelOptions: ModelOptions{Format: format.GLM}})
	for n := 480; n < 530; n++ {
		c := completion{"<tool_call>f" + strings.Repeat("\n", n) + "<arg_key>p</arg_key><arg_value>1</arg_value></tool_call>", messages.StopEndTurn, ""}
		want := show(parseIn(t, prompt, req, c, 0))
		for _, pieces := range []int{1, 7} {
			if got := show(parseIn(t, prompt, req, c, pieces)); got != want {
				t.Fatalf("%d blanks, in pieces of %d:\n%s\nat once:\n%s", n, pieces, got, want)
			}
		}
	}
}

// TestCallOpens checks when the block of a call opens: with its first whole parameter or, if values flow, with the opening
// tag of that parameter. A call without parameters opens at its end.
func TestCallOpens(t *testing.T) {
	const name, opener, value, end = "<function_calls>\n<invoke name=\"f\">\n", "<parameter name=\"a\">1", "</parameter>\n<parameter name=\"b\">", "/invoke>\n"
	for _, tt := range []struct {
		name  string
		flows bool
		parts []string // texts in turn; the call opens in the last one
	}{
		{"a whole parameter", false, []string{name + opener, value}},
		{"the opening tag", true, []string{name, opener}},
		{"no parameters", false, []string{name + "<", end}},
		{"no parameters, and values flow", true, []string{name + "<", end}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := &messages.Request{ID: "msg_opens", Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(`{"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`)}}}
			sent := 0
			chunks := func(yield func(Chunk, error) bool) {
				for i, part := range tt.parts {
					if sent = i; !yield(Chunk{Text: part}, nil) {
						return
					}
				}
				sent = len(tt.parts)
				yield(Chunk{Stop: messages.StopMaxTokens}, nil)
			}
			opened := -1
			for e, err := range Events(req, &Prompt{Asking: asking{Target: Target{ModelOptions: ModelOptions{StreamValues: when(tt.flows, ValuesFlow)}}}}, whatever(chunks)) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Type == messages.ContentBlockStart && e.Block.Type == messages.BlockToolUse {
					opened = sent
				}
			}
			if want := len(tt.parts) - 1; opened != want {
				t.Errorf("the block opens with part %d, want %d", opened, want)
			}
		})
	}
}
