package upstream

import (
	"bytes"
	"iter"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// splitStops says who finds which stop sequence of a prompt: the upstream is sent
// those whose meeting it reports so that it cannot be taken for another end, and
// the others are watched for here.
//
// names says that the upstream tells which sequence it met. One that does not can
// be sent ours alone: the parser knows that end by the text before it.
func splitStops(p *translate.Prompt, can Features, names bool) (send, watch []string) {
	client := p.ClientStops()
	switch {
	case can.Has(StopSequences) && names:
		return p.StopSequences, nil
	case can.Has(StopSequences):
		return p.StopSequences[:len(p.StopSequences)-len(client)], client
	}
	return nil, client
}

// watchStops ends the chunks before the first of the stop sequences in their text,
// as an upstream does that knows them, and leaves the range there. Text is held
// back only while it may be the beginning of one.
func watchStops(stops []string, chunks iter.Seq2[translate.Chunk, error]) iter.Seq2[translate.Chunk, error] {
	if len(stops) == 0 {
		return chunks
	}
	return func(yield func(translate.Chunk, error) bool) {
		w := stopWatch{set: newStopSet(stops)}
		for c, err := range chunks {
			if err != nil {
				if w.held.Len() > 0 && !yield(translate.Chunk{Text: w.held.String()}, nil) {
					return
				}
				yield(c, err)
				return
			}
			w.read += len(c.Text)
			if c = w.pass(c); !yield(c, nil) || c.Stop != "" {
				return
			}
		}
		if w.held.Len() > 0 {
			yield(translate.Chunk{Text: w.held.String()}, nil)
		}
	}
}

// stopWatch looks for stop sequences in a text that comes in pieces.
type stopWatch struct {
	set  *stopSet
	at   int32        // node of the set
	held bytes.Buffer // text that may be the beginning of one
	read int          // bytes of text so far
}

// pass returns the chunk with the text that can go on. If a sequence is whole, it
// is the last one: the upstream is left before it tells how much it wrote.
func (w *stopWatch) pass(c translate.Chunk) translate.Chunk {
	before := w.held.Len()
	w.held.WriteString(c.Text)
	for i := range len(c.Text) {
		w.at = w.set.next(w.at, c.Text[i])
		if stop := w.set.met(w.at); stop != "" {
			c.Text = string(w.held.Next(before + i + 1 - len(stop)))
			c.Stop, c.StopSequence = messages.StopSequence, stop
			c.Usage.OutputTokens = max(c.Usage.OutputTokens, translate.EstimateTokens(w.read))
			return c
		}
	}
	keep := 0
	if c.Stop == "" {
		keep = int(w.set.nodes[w.at].depth)
	}
	c.Text = string(w.held.Next(w.held.Len() - keep))
	return c
}

// heldBack returns where the longest end of the text begins that is the beginning
// of s.
func heldBack(text, s string) int {
	at := max(0, len(text)-len(s)+1)
	for !strings.HasPrefix(s, text[at:]) {
		at++
	}
	return at
}
