package fidelity

import (
	"fmt"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Answer is what an upstream says: all its text, and why it stopped.
type Answer struct {
	Text     string
	Stop     messages.Stop
	Sequence string
}

// whole is the answer of an upstream that has no stop sequences.
func endedAnswer(text string) Answer { return Answer{text, messages.StopEndTurn, ""} }

// stopped is the answer of an upstream that meets our stop sequence after the calls,
// and leaves it out: it may be the end of the last one.
func stoppedAnswer(text, sequence string) Answer {
	before, _ := strings.CutSuffix(text, sequence)
	return Answer{before, messages.StopSequence, sequence}
}

// read reads an answer that comes in pieces, as long as cut says.
func read(req *messages.Request, prompt *translate.Prompt, a Answer, cut func() int) (*messages.Message, error) {
	chunks := func(yield func(translate.Chunk, error) bool) {
		for text := a.Text; text != ""; {
			n := min(max(cut(), 1), len(text))
			if !yield(translate.Chunk{Text: text[:n]}, nil) {
				return
			}
			text = text[n:]
		}
		yield(translate.Chunk{Stop: a.Stop, StopSequence: a.Sequence}, nil)
	}
	return messages.Collect(translate.Events(req, prompt, func(*translate.Prompt) iter.Seq2[translate.Chunk, error] { return chunks }))
}

// cuts returns how long the pieces of a text are.
func pieceLengths(c chance) func() int {
	switch longest := pick(c, []int{0, 1, 4, 30, 300}); longest {
	case 0:
		return func() int { return 1 << 30 }
	default:
		return func() int { return 1 + c.IntN(longest) }
	}
}

// reading is what was read of an answer.
type received struct {
	text  string // all text blocks
	calls []Call
	stop  messages.Stop
	raw   *messages.Message
}

func receive(m *messages.Message) (r received, err error) {
	r.stop, r.raw = m.StopReason, m
	for _, b := range m.Content {
		switch b.Type {
		case messages.BlockText:
			r.text += b.Text
		case messages.BlockToolUse:
			v, err := ReadValue(b.Input)
			if err != nil {
				return r, err
			}
			r.calls = append(r.calls, Call{Name: b.Name, Input: v})
		default:
			return r, fmt.Errorf("a block of type %s", b.Type)
		}
	}
	return r, nil
}

// whole returns the calls that were read to their end.
func (r received) wholeCalls() (list []Call) {
	i := 0
	for _, o := range r.raw.Outcomes {
		if o.Kind == messages.OutcomeLeaked || i == len(r.calls) {
			continue
		}
		if o.Kind != messages.OutcomeIncomplete {
			list = append(list, r.calls[i])
		}
		i++
	}
	return list
}

// sameCalls tells whether the calls are those, exactly.
func sameCalls(a, b []Call) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || !a[i].Input.Equal(b[i].Input) {
			return false
		}
	}
	return true
}

func (r received) String() string {
	var b strings.Builder
	if r.text != "" {
		fmt.Fprintf(&b, "text %q\n", r.text)
	}
	b.WriteString(showCalls(r.calls))
	fmt.Fprintf(&b, "%s", r.stop)
	for _, o := range r.raw.Outcomes {
		fmt.Fprintf(&b, " %s(%s)", o.Kind, o.Reason)
	}
	return b.String()
}

func showCalls(calls []Call) string {
	var b strings.Builder
	for _, call := range calls {
		fmt.Fprintf(&b, "%s %s\n", call.Name, call.Input.JSON())
	}
	return b.String()
}

// RoundTrip makes the instance of a seed, writes it, reads it and returns an error
// if what is read is not what was meant.
func RoundTrip(seed uint64) error { return roundTrip(seeded(seed)) }

func roundTrip(c chance) error {
	inst := newInstance(c)
	req := inst.Request()
	prompt, text, prose, sequence := &translate.Prompt{}, "", "", translate.CallsEnd
	if c.one(3) {
		var err error
		if prompt, text, err = renderHistory(inst, req, pick(c, translate.Formats())); err != nil {
			return err
		}
		sequence = prompt.StopSequences[0]
	} else {
		w := write(c, inst)
		text, prose = w.Text(), w.prose
	}
	a := endedAnswer(text)
	if c.one(2) {
		a = stoppedAnswer(text, sequence)
	}
	m, err := read(req, prompt, a, pieceLengths(c))
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	r, err := receive(m)
	if err != nil {
		return err
	}
	if !sameCalls(r.calls, inst.Calls) || r.stop != messages.StopToolUse || strings.TrimSpace(r.text) != prose {
		return fmt.Errorf("tools\n%s\nmeant\n%s\nwritten\n%q\nread\n%s", inst.schemas(), showCalls(inst.Calls), text, r)
	}
	return nil
}

func (inst *Instance) schemas() string {
	var b strings.Builder
	for _, t := range inst.Tools {
		fmt.Fprintf(&b, "%s %s\n", t.Name, t.Schema)
	}
	return b.String()
}

// past returns the calls as they are shown to the model once they are history, in a
// format.
func renderHistory(inst *Instance, req *messages.Request, format string) (*translate.Prompt, string, error) {
	answer := messages.MessageParam{Role: messages.RoleAssistant}
	results := messages.MessageParam{Role: messages.RoleUser}
	for i, call := range inst.Calls {
		id := fmt.Sprint("toolu_", i)
		answer.Content = append(answer.Content, messages.BlockParam{Type: messages.BlockToolUse, ID: id, Name: call.Name,
			Input: jsontext.Value(call.Input.JSON())})
		results.Content = append(results.Content, messages.BlockParam{Type: messages.BlockToolResult, ToolUseID: id,
			Content: []messages.BlockParam{{Type: messages.BlockText, Text: "done"}}})
	}
	with := *req
	with.Messages = append(with.Messages[:1:1], answer, results)
	prompt, err := translate.Render(&with, translate.Target{Format: format})
	if err != nil {
		return nil, "", err
	}
	var b strings.Builder
	for _, part := range prompt.Turns[1].Parts {
		b.WriteString(part.Text)
	}
	return prompt, b.String(), nil
}
