package translate

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// traced is what a reader of a Trace's steps knows about a completion.
type traced struct {
	spans  []Span
	events []messages.Event
	states []string
}

// trace reads a completion in pieces of n bytes (0: at once), with the stop in a chunk of its own.
// It checks that each step continues the one before.
func trace(t testing.TB, req *messages.Request, prompt *Prompt, c completion, n int) (seen traced) {
	t.Helper()
	tr := NewTrace(req, prompt)
	size := 0
	for chunk, err := range c.chunks(n)(prompt) {
		if err != nil {
			t.Fatal(err)
		}
		step := tr.Read(chunk)
		if step.From > size || step.End < size {
			t.Fatalf("a step from %d to %d after %d bytes", step.From, step.End, size)
		}
		size = step.End
		seen.apply(step)
		seen.events = append(seen.events, step.Events...)
		seen.states = append(seen.states, step.State)
		if end := endOf(seen.spans); end != size {
			t.Fatalf("the spans end at %d of %d bytes: %v", end, size, seen.spans)
		}
	}
	return seen
}

// apply replaces the spans from the step's start on with the step's spans.
func (s *traced) apply(step Step) {
	for n := len(s.spans); n > 0 && s.spans[n-1].End > step.From; n-- {
		if n > 1 && s.spans[n-2].End >= step.From || step.From == 0 {
			s.spans = s.spans[:n-1]
			continue
		}
		s.spans[n-1].End = step.From
	}
	whole := Step{From: 0, Spans: s.spans}
	for _, e := range step.Spans {
		whole.Add(e.End, e.Kind)
	}
	s.spans = whole.Spans
}

func endOf(list []Span) int {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1].End
}

// marked shows the spans of a text: [kind text].
func marked(text string, list []Span) string {
	var b strings.Builder
	at := 0
	for _, e := range list {
		fmt.Fprintf(&b, "[%s %s]", e.Kind, text[at:e.End])
		at = e.End
	}
	return b.String()
}

func TestTrace(t *testing.T) {
	req := &messages.Request{ID: "msg_t", Tools: fuzzRequest().Tools}
	for _, tt := range []struct{ text, want string }{
		{"Hi <b>.", "[text Hi <b>.]"},
		{"A\n<function_calls>\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n<s>a <b>c</b></s>\n<n>1</n>\n</parameters>\n</invoke>\n",
			"[text A\n][markup <function_calls>\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n<s>][value a <b>c</b>][markup </s>\n<n>]" +
				"[value 1][markup </n>\n</parameters>\n</invoke>\n]"},
		{"<function_calls> are tags", "[text <function_calls> are tags]"},
		{"<function_calls>\n<invoke>\n<tool_name>none</tool_name>\n<!-- so --></invoke></function_calls>\nand on",
			"[markup <function_calls>\n<invoke>\n<tool_name>none</tool_name>\n][dropped <!-- so -->][markup </invoke></function_calls>\n][dropped and on]"},
	} {
		c := completion{tt.text, messages.StopSequence, CallsEnd}
		if got := marked(tt.text, trace(t, req, &Prompt{}, c, 3).spans); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// Text that waits is held, and in doubt if a value may have ended, until later text settles it.
func TestTraceWaits(t *testing.T) {
	req := fuzzRequest()
	tr := NewTrace(req, &Prompt{Asking: asking{Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}) // else the call is held up to its first whole parameter
	open := "<function_calls>\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n"
	for _, tt := range []struct{ piece, state, want string }{
		{"So\n<fun", "inText", "[text So\n][held <fun]"},
		{open[4:30], "atToolName", "[text So\n][held " + open[:30] + "]"},
		{open[30:], "inCall", "[markup " + open + "]"},
		{"<s>x</", "inValue", "[markup " + open + "<s>][value x][held </]"},
		{"s> y <n>", "inDoubt", ""},
	} {
		step := tr.Read(Chunk{Text: tt.piece})
		if step.State != tt.state {
			t.Errorf("after %q the state is %s", tt.piece, step.State)
		}
		if waits := step.Spans[len(step.Spans)-1].Kind; tt.state == "inDoubt" && waits != SpanDoubt {
			t.Errorf("after %q the end is %s", tt.piece, waits)
		}
	}
	done := tr.Read(Chunk{Stop: messages.StopMaxTokens})
	if !done.Done || len(done.Outcomes) != 1 || done.Events[len(done.Events)-1].Type != messages.MessageStop {
		t.Errorf("the last step is %+v", done)
	}
}

// holdsTrace checks four rules. A trace has the events of Events. All of it is settled in the end.
// It is the same for every cut. Its text is the text of the message.
func holdsTrace(t testing.TB, req *messages.Request, prompt *Prompt, c completion, cuts ...int) {
	t.Helper()
	whole := trace(t, req, prompt, c, 0)
	for _, n := range cuts {
		if got := trace(t, req, prompt, c, n); fmt.Sprint(got.spans) != fmt.Sprint(whole.spans) {
			t.Fatalf("%q\nin pieces of %d\n%v\nat once\n%v", c.text, n, got.spans, whole.spans)
		}
	}
	for _, e := range whole.spans {
		if e.Kind >= SpanHeld {
			t.Fatalf("%q: in the end %v", c.text, whole.spans)
		}
	}
	got, err := messages.Collect(func(yield func(messages.Event, error) bool) {
		for _, e := range whole.events {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	once := *prompt
	once.Continues = false
	if want := show(parseIn(t, &once, req, c, 0)); show(got) != want {
		t.Fatalf("the events of the trace are\n%s\nwant\n%s", show(got), want)
	}
	if prompt.Escaped.Tags != 0 || req.Thinking == messages.ThinkingOmitted {
		return
	}
	var said, text strings.Builder
	for _, b := range got.Content {
		said.WriteString(b.Text)
	}
	read := string([]rune(c.text)) // U+FFFD in place of each byte that is not UTF-8
	at := 0
	for _, e := range whole.spans {
		if e.Kind == SpanText {
			text.WriteString(read[at:e.End])
		}
		at = e.End
	}
	implied, ok := strings.CutPrefix(withoutSpace(said.String()), withoutSpace(text.String()))
	if !ok || implied != "" && implied != prompt.Declared.ImpliedEnd && implied != c.sequence { // the part of a stop sequence that the parser reads
		t.Fatalf("%q\nthe text is\n%q\nbut the spans say\n%q", c.text, said.String(), text.String())
	}
}

func withoutSpace(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// FuzzTrace does what TestTraceSeeds does, for any text.
func FuzzTrace(f *testing.F) {
	for i, seed := range parseSeeds(f) {
		f.Add(seed, uint8(i), uint8(i), i%2 > 0)
		f.Add(strings.ReplaceAll(seed, "get_weather", "t"), uint8(i), uint8(i/3), i%3 > 1)
	}
	f.Fuzz(func(t *testing.T, text string, stop, seed uint8, escaped bool) {
		req := fuzzRequest()
		req.ToolChoice = fuzzChoices[seed%8]
		prompt := &Prompt{Asking: asking{Declared: format.List[int(seed)%len(format.List)], Target: Target{ModelOptions: ModelOptions{QuotedCalls: when(seed%5 > 2, QuotedRead)}}}}
		if escaped {
			prompt.Escaped = markup.Escapes{Tags: markup.InValues | markup.TagTurn | prompt.Declared.Protects}
		}
		c := fuzzStops[int(stop)%len(fuzzStops)]
		c.text = text
		holdsTrace(t, req, prompt, c, 1, 2, 3, 1+int(seed))
	})
}
