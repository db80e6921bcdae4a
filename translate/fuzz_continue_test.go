package translate

import (
	"cmp"
	"iter"
	"strings"
	"testing"

	"dragoman/translate/answer"
	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// FuzzContinue checks that a stopped and continued answer is read like the same text without a
// stop, in pieces of any size. If all stop tags are inside values of calls, the model writes the
// text to its end.
func FuzzContinue(f *testing.F) {
	for _, seed := range parseSeeds(f) {
		f.Add(seed, uint8(1))
	}
	for _, value := range []string{"%", "a%b%", "</s>%", "</s%x", "]]>%", "%\n%", "\r%\r", "<![CDATA[%]]></s>"} {
		call := strings.Replace(strings.ReplaceAll(callOf(strings.ReplaceAll(value, "%", CallsEnd)), "content>", "s>"), "write", "t", 1)
		f.Add(call, uint8(2))
		f.Add("`"+CallsEnd+"`\n"+call, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint8) {
		req := fuzzRequest()
		var got string
		for i, n := range []int{0, 1, 2, 3, 5, 1 + int(seed)} {
			w := &writer{t: t, text: text, pieces: n}
			m := w.message(req)
			if len(w.asked) > 1+answer.MaxContinuations {
				t.Fatalf("asked %d times", len(w.asked))
			}
			if i > 0 {
				if again := show(m); again != got {
					t.Fatalf("pieces of %d give\n%s\nat once\n%s", n, again, got)
				}
				continue
			}
			got = show(m)
			if want := parse(t, req, w.written(), 0); contents(m) != contents(want) {
				t.Fatalf("asked %d times: got\n%s\nwant\n%s", len(w.asked), got, show(want))
			}
			all := strings.TrimSuffix(text, CallsEnd)
			want := parse(t, req, completion{all, messages.StopSequence, CallsEnd}, 0)
			if inValues, clean := valueTagsOf(want); clean && inValues == strings.Count(all, CallsEnd) && inValues <= answer.MaxContinuations &&
				contents(m) != contents(want) {
				t.Fatalf("asked %d times: got\n%s\nwritten to its end\n%s", len(w.asked), got, show(want))
			}
		}
	})
}

// written returns everything that the model has written, as one completion. If it continued with
// only white space, that counts as if it had not been asked.
func (w *writer) written() completion {
	if before, ok := strings.CutSuffix(w.said, CallsEnd); ok && w.last.stop == messages.StopEndTurn && strings.Trim(w.last.text, " \t\r\n") == "" {
		return completion{before, messages.StopSequence, CallsEnd}
	}
	return completion{w.said + w.last.text, w.last.stop, w.last.sequence}
}

// valueTagsOf counts CallsEnd in the inputs of calls, and reports whether all calls are clean.
func valueTagsOf(m *messages.Message) (n int, clean bool) {
	for _, b := range m.Content {
		n += strings.Count(string(b.Input), CallsEnd)
	}
	for _, o := range m.Outcomes {
		if o.Kind != messages.OutcomeClean {
			return n, false
		}
	}
	return n, m.StopReason == messages.StopToolUse
}

// contents does what show does, without the outcomes.
func contents(m *messages.Message) string {
	s, _, _ := strings.Cut(show(m), "\n#")
	return s
}

// writer is a model that writes a given text. Its upstream stops it at the format's stop sequence.
// If it is asked with a prefill, it continues with the rest of the text. A token is a byte.
type writer struct {
	asksIn *format.Format // nil means the default
	t      testing.TB
	prompt *Prompt // the first prompt; nil: without a limit on tokens
	text   string
	pieces int // bytes in a chunk; 0: one chunk
	asked  []*Prompt
	said   string     // what the model wrote before the last answer
	last   completion // the last answer
}

// ask answers a prompt. It fails the test if the prefill is not the first one plus everything that
// the model has written since.
func (w *writer) ask(p *Prompt) iter.Seq2[Chunk, error] {
	w.t.Helper()
	stop := cmp.Or(w.asksIn, format.List[0]).StopSequence
	w.asked = append(w.asked, p)
	said, ok := strings.CutPrefix(prefillOf(p), prefillOf(w.asked[0]))
	if !ok || !strings.HasPrefix(w.text, said) || len(w.asked) > 1 && !strings.HasSuffix(said, stop) {
		w.t.Fatalf("the model is told that it said %q", said)
	}
	c := completion{w.text[len(said):], messages.StopEndTurn, ""}
	if at := strings.Index(c.text, stop); at >= 0 {
		c = completion{c.text[:at], messages.StopSequence, stop}
	}
	if p.MaxTokens < len(c.text) {
		c = completion{c.text[:p.MaxTokens], messages.StopMaxTokens, ""}
	}
	w.said, w.last = said, c
	return counted(c.chunks(w.pieces)(p), messages.Usage{InputTokens: 100, OutputTokens: len(c.text)})
}

// message returns the message that Events makes of the model's answer.
func (w *writer) message(req *messages.Request) *messages.Message {
	w.t.Helper()
	if w.prompt == nil {
		w.prompt = &Prompt{MaxTokens: 1 << 30, Turns: []Turn{{Role: messages.RoleUser}}, Asking: asking{Declared: w.asksIn, Continues: true}}
	}
	m, err := messages.Collect(checked(w.t, Events(req, w.prompt, w.ask)))
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// prefillOf returns the text of the last turn, if it is the assistant's.
func prefillOf(p *Prompt) (text string) {
	if n := len(p.Turns); n > 0 && p.Turns[n-1].Role == messages.RoleAssistant {
		for _, part := range p.Turns[n-1].Parts {
			text += part.Text
		}
	}
	return text
}
