package translate

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// streamed is what a client gets of the first call of an answer: the deltas of its input in one,
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

// TestCutOpen cuts a call at every byte. The input that the client is streamed is the beginning of
// that of the whole call, and not valid JSON. The input of the collected message has the parameters
// that came whole, with their values in the whole call.
func TestCutOpen(t *testing.T) {
	tests := []struct{ name, format, end, text string }{
		{"legacy", FormatLegacy, "</invoke>", "Look.\n\n" + CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n<s>Oslo \"x\"\n</s>\n<n>12.50</n>\n" +
			"<a>[1,2]</a>\n<o>\n\\ a\r\n</o>\n<b>true</b>\n<m><k>v</k></m>\n<e>y</e>\n<any>Ünï</any>\n</parameters>\n</invoke>\n"},
		{"attribute", FormatAttribute, "</invoke>", CallsStart + "\n<invoke name=\"t\">\n<parameter name=\"s\">a <b>c</b></parameter>\n<parameter name=\"i\">7</parameter>\n" +
			"<parameter name=\"m\">{\"k\":\"v\"}</parameter>\n<parameter name=\"o\">null</parameter>\n</invoke>\n"},
		{"object", FormatLegacy, "</invoke>", CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n{\"s\": \"a\\nb\", \"n\": 125, \"m\": {\"k\": \"v\"}, \"a\": []}\n</parameters>\n</invoke>\n"},
		{"json", FormatJSON, "}}", "<tool_call>\n{\"name\": \"t\", \"arguments\": {\"s\": \"a\\nb\", \"n\": 125, \"m\": {\"k\": [1, 2]}, \"b\": false}}\n</tool_call>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := formatOf(tt.format)
			if err != nil {
				t.Fatal(err)
			}
			req, flows, holds := fuzzRequest(), &Prompt{format: f}, &Prompt{format: f, holdsValues: true}
			whole := streamOf(t, req, flows, completion{tt.text, messages.StopSequence, f.stopSequence}, 0)
			if whole.cut != 0 || whole.stop != messages.StopToolUse {
				t.Fatalf("the whole call: %+v", whole)
			}
			meant := jsontext.Value(whole.input)
			called := 0
			for at := range strings.LastIndex(tt.text, tt.end) + len(tt.end) {
				c := completion{tt.text[:at], messages.StopMaxTokens, ""}
				m := parseIn(t, f, req, c, 0)
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
					if !sameJSON(value, rawjson.Lookup(meant, name)) {
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
			if called < len(tt.text)/2 {
				t.Errorf("only %d of %d cuts were within the call", called, len(tt.text))
			}
		})
	}
}

// TestHoldValues holds that a tool decides whether its parameters are sent when they are whole, and
// the target decides for tools that do not say.
func TestHoldValues(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tool  messages.InputStreaming
		holds bool
		want  string
	}{
		{"as it is", messages.StreamAsTargeted, false, `{"path":"a","content":"half`},
		{"the model's entry", messages.StreamAsTargeted, true, `{"path":"a"`},
		{"the tool", messages.StreamWhole, false, `{"path":"a"`},
		{"the tool against the entry", messages.StreamEagerly, true, `{"path":"a","content":"half`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := benchRequest()
			req.Tools[0].Streaming = tt.tool
			text, _, _ := strings.Cut(valueCompletion("half"), "</content>")
			for n := range 4 {
				s := streamOf(t, req, &Prompt{holdsValues: tt.holds}, completion{text, messages.StopMaxTokens, ""}, n)
				if s.input != tt.want || s.stop != messages.StopMaxTokens {
					t.Errorf("pieces of %d: %+v, want %s", n, s, tt.want)
				}
			}
		})
	}
	// A parameter is sent as soon as it is whole, and does not wait for the next one.
	req := benchRequest()
	var got string
	head, tail, _ := strings.Cut(valueCompletion("long"), "\n<content>")
	chunks := func(yield func(Chunk, error) bool) {
		if !yield(Chunk{Text: head + "\n<content>lo"}, nil) {
			return
		}
		if got != `{"path":"a"` {
			t.Errorf("sent so far: %q", got)
		}
		_ = yield(Chunk{Text: strings.TrimPrefix(tail, "lo")}, nil) && yield(Chunk{Stop: messages.StopSequence, StopSequence: CallsEnd}, nil)
	}
	for e, err := range Events(req, &Prompt{holdsValues: true}, whatever(chunks)) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Delta == messages.InputJSONDelta {
			got += string(e.Text)
		}
	}
	if got != `{"path":"a","content":"long"}` {
		t.Errorf("sent: %q", got)
	}
}

// TestDoubtOpen holds that the JSON of a call with a doubtful value is left open, and that its
// collected input does not have the value.
func TestDoubtOpen(t *testing.T) {
	req := &messages.Request{Tools: []messages.Tool{{Name: "pair", InputSchema: jsontext.Value(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"n":{"type":"integer"}}}`)}}}
	for _, tt := range []struct{ name, params, stream, input string }{
		{"a value", "<b>x</b>\n<a>1 <n>2</n> </parameters>\n</invoke>", `{"b":"x","a":"1 <n>2</n> `, `{"b":"x"}`},
		{"a value of another type", "<b>x</b>\n<n>1</b>\n<b>2</n>\n</parameters>\n</invoke>", `{"b":"x"`, `{"b":"x"}`},
		{"a value that came whole, it seemed", "<parameter name=\"n\">1</parameter>\n<parameter name=\"a\">1 <parameter name=\"b\">2</parameter> 3</parameter>\n</parameters>\n</invoke>",
			`{"n":1,"a":"1 <parameter name=\"b\">2</parameter> 3"`, `{"n":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := completion{CallsStart + "\n<invoke>\n<tool_name>pair</tool_name>\n<parameters>\n" + tt.params, messages.StopSequence, CallsEnd}
			for n := range 4 {
				s := streamOf(t, req, &Prompt{}, c, n)
				m := parse(t, req, c, n)
				if s.input != tt.stream || s.stop != messages.StopMaxTokens || string(m.Content[0].Input) != tt.input {
					t.Errorf("pieces of %d: streamed %s, %s; at once %s", n, s.input, s.stop, m.Content[0].Input)
				}
			}
		})
	}
}

// TestUnnamedStopInValue holds that a tag at which an upstream stopped within a value is sent as text
// only if the upstream names it: else the model may have come to its end without writing the tag.
func TestUnnamedStopInValue(t *testing.T) {
	text := CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n<s>half"
	for sequence, want := range map[string]string{"": `{"s":"half`, CallsEnd: `{"s":"half` + CallsEnd} {
		if s := streamOf(t, fuzzRequest(), &Prompt{}, completion{text, messages.StopSequence, sequence}, 0); s.input != want || s.stop != messages.StopMaxTokens {
			t.Errorf("stop %q: streamed %s, %s", sequence, s.input, s.stop)
		}
	}
}

// TestCutBehindClosers cuts a value right after a closing tag of the call. Whether that tag is text of
// the value or ends it depends on what follows. If the text was cut, the tag is left out; if the
// model came to its end, the tag ends the value.
func TestCutBehindClosers(t *testing.T) {
	for _, closer := range []string{"</invoke>", "</parameters>", "</invoke>\n", "</parameters> "} {
		text := CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n<n>1</n>\n<s>a" + closer
		req := fuzzRequest()
		for n := range 4 {
			s := streamOf(t, req, &Prompt{}, completion{text, messages.StopMaxTokens, ""}, n)
			if s.input != `{"n":1,"s":"a` || s.cut != len(`{"n":1`) {
				t.Errorf("%q, pieces of %d: %+v", closer, n, s)
			}
			if m := parse(t, req, completion{text, messages.StopEndTurn, ""}, n); string(m.Content[0].Input) != `{"n":1,"s":"a"}` {
				t.Errorf("%q, pieces of %d, at the end of the turn: %s", closer, n, m.Content[0].Input)
			}
		}
	}
}

// TestWholeAtCut holds that a call is whole if the text is cut right after its end.
func TestWholeAtCut(t *testing.T) {
	for name, text := range map[string]string{
		FormatLegacy:    CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n<n>1</n>\n</parameters>\n</invoke>",
		FormatAttribute: CallsStart + "\n<invoke name=\"t\">\n<parameter name=\"n\">1</parameter>\n</invoke>",
		FormatJSON:      "<tool_call>\n{\"name\": \"t\", \"arguments\": {\"n\": 1}}",
	} {
		f, err := formatOf(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range []string{"", "\n", "\n<"} {
			for n := range 4 {
				s := streamOf(t, fuzzRequest(), &Prompt{format: f}, completion{text + end, messages.StopMaxTokens, ""}, n)
				if s.input != `{"n":1}` || s.cut != 0 || s.stop != messages.StopMaxTokens {
					t.Errorf("%s%q, pieces of %d: %+v", name, end, n, s)
				}
			}
		}
	}
}
