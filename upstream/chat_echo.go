package upstream

import (
	"iter"
	"strings"

	"dragoman/translate"
)

// withoutEcho yields the chunks of the answer to a prompt. If its text begins with that of the prefill, that
// is left out, once: llama.cpp repeats it, and so does a model that begins its answer anew.
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

// prefillText returns the text of a last assistant turn, as the server is sent it; "" if there is none.
func prefillText(p *translate.Prompt) string {
	if !prefilled(p) {
		return ""
	}
	return joinLines(p.Turns[len(p.Turns)-1].Parts)
}

// echo looks for a prefill at the beginning of a text that comes in pieces.
type echo struct {
	prefill  string
	repeated int  // how many bytes of it have come again, and were held back
	looks    bool // it is not known yet whether all of it comes again
}

// pass leaves in the chunk the text that can go on.
func (e *echo) pass(c *translate.Chunk) {
	if len(c.Calls) > 0 { // of which the prefill was the beginning
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

// giveBack returns what was held back of a text that does not begin with the prefill.
func (e *echo) giveBack() string {
	held := e.prefill[:e.repeated]
	e.repeated, e.looks = 0, false
	return held
}
