package fidelity

import (
	"fmt"
	"iter"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// This file has package translate read an answer.

// Answer is the whole answer of an upstream.
type Answer struct {
	Text     string
	Stop     messages.Stop // why the upstream stopped
	Sequence string        // the stop sequence where it stopped
}

// endedAnswer returns the answer of an upstream without stop sequences.
func endedAnswer(text string) Answer { return Answer{text, messages.StopEndTurn, ""} }

// stoppedAnswer returns the answer of an upstream that stops at our stop sequence and leaves it out. The
// sequence may end the last call.
func stoppedAnswer(text, sequence string) Answer {
	before, _ := strings.CutSuffix(text, sequence)
	return Answer{before, messages.StopSequence, sequence}
}

// translateAnswer returns the message that translate makes from an answer in pieces. cut returns the length
// of each piece.
func translateAnswer(req *messages.Request, prompt *translate.Prompt, a Answer, cut func() int) (*messages.Message, error) {
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

// pieceLengths returns a function that returns the length of each piece of an answer.
func pieceLengths(c chance) func() int {
	switch longest := pick(c, []int{0, 1, 4, 30, 300}); longest {
	case 0:
		return func() int { return 1 << 30 }
	default:
		return func() int { return 1 + c.IntN(longest) }
	}
}

// received is what the client gets from an answer.
type received struct {
	text  string // the text of all text blocks
	calls []ToolCall
	stop  messages.Stop
	raw   *messages.Message
}

// receive returns what the client gets in a message.
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
			r.calls = append(r.calls, ToolCall{Name: b.Name, Input: v})
		default:
			return r, fmt.Errorf("a block of type %s", b.Type)
		}
	}
	return r, nil
}

// wholeCalls returns the calls that look complete to the client.
func (r received) wholeCalls() (list []ToolCall) {
	i := 0
	for _, o := range r.raw.Outcomes {
		if o.InText || i == len(r.calls) {
			continue
		}
		if o.Kind != messages.OutcomeIncomplete && o.Kind != messages.OutcomeRefused {
			list = append(list, r.calls[i])
		}
		i++
	}
	return list
}

// String returns what the client gets, in readable form.
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
