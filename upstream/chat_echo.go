package upstream

import (
	"iter"
	"strings"

	"dragoman/translate"
)

// withoutEcho yields the chunks of the answer to a prompt. If the text of the answer begins with the prefill,
// withoutEcho removes the prefill once. llama.cpp repeats it, and so does a model that starts its answer
// again.
func withoutEcho(p *translate.Prompt, chunks iter.Seq2[translate.Chunk, error]) iter.Seq2[translate.Chunk, error] {
	prefill := prefillText(p)
	if prefill == "" {
		return chunks
	}
	return func(yield func(translate.Chunk, error) bool) {
		e := echo{prefill: prefill, looks: true}
		for c, err := range chunks {
			if err != nil && e.repeated > 0 && !yield(translate.Chunk{Text: e.giveBack()}, nil) {
				return
			}
			if err == nil && e.looks {
				e.pass(&c)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// prefillText returns the text of a last assistant turn as the server receives it; "" for no prefill.
func prefillText(p *translate.Prompt) string {
	if !prefilled(p) {
		return ""
	}
	return joinLines(p.Turns[len(p.Turns)-1].Parts)
}

// echo looks for a prefill at the beginning of a text that arrives in pieces.
type echo struct {
	prefill  string
	repeated int  // how many bytes of the prefill the text has repeated; they are held back
	looks    bool // the text may still repeat the whole prefill
}

// pass leaves in the chunk only the text that can be sent.
func (e *echo) pass(c *translate.Chunk) {
	if len(c.Calls) > 0 { // calls that the prefill began
		e.repeated, e.looks = 0, false
		return
	}
	rest := e.prefill[e.repeated:]
	switch after, whole := strings.CutPrefix(c.Text, rest); {
	case whole:
		c.Text, c.Repeats = after, e.repeated > 0
		e.repeated, e.looks = 0, false
	case strings.HasPrefix(rest, c.Text) && c.Stop == "":
		e.repeated += len(c.Text)
		c.Text = ""
	default:
		c.Text = e.giveBack() + c.Text
	}
}

// giveBack returns the held text. It is called when the text turns out not to repeat the prefill.
func (e *echo) giveBack() string {
	held := e.prefill[:e.repeated]
	e.repeated, e.looks = 0, false
	return held
}
