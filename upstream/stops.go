package upstream

import (
	"iter"
	"strings"

	"dragoman/translate"
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
		w := stopWatch{stops: stops}
		for c, err := range chunks {
			if err != nil {
				if w.held != "" && !yield(translate.Chunk{Text: w.held}, nil) {
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
		if w.held != "" {
			yield(translate.Chunk{Text: w.held}, nil)
		}
	}
}

// stopWatch looks for stop sequences in a text that comes in pieces.
type stopWatch struct {
	stops []string
	held  string // text that may be the beginning of one
	read  int    // bytes of text so far
}

// pass returns the chunk with the text that can go on. If a sequence is whole, it
// is the last one: the upstream is left before it tells how much it wrote.
func (w *stopWatch) pass(c translate.Chunk) translate.Chunk {
	text := w.held + c.Text
	w.held = ""
	if at, stop := firstStop(text, w.stops); stop != "" {
		c.Text, c.Stop, c.StopSequence = text[:at], translate.StopSequence, stop
		c.Usage.OutputTokens = max(c.Usage.OutputTokens, translate.EstimateTokens(w.read))
		return c
	}
	if c.Stop == "" {
		keep := heldBack(text, w.stops)
		w.held = text[keep:]
		text = text[:keep]
	}
	c.Text = text
	return c
}

// firstStop returns the sequence that is whole first, and where it begins; of two
// that end at the same place, the longer one.
func firstStop(text string, stops []string) (at int, stop string) {
	end := len(text) + 1
	for _, s := range stops {
		i := strings.Index(text, s)
		if s == "" || i < 0 {
			continue
		}
		if e := i + len(s); e < end || e == end && i < at {
			at, stop, end = i, s, e
		}
	}
	return at, stop
}

// heldBack returns where the longest end of the text begins that is the beginning
// of a sequence.
func heldBack(text string, stops []string) int {
	from := len(text)
	for _, s := range stops {
		for at := max(0, len(text)-len(s)+1); at < from; at++ {
			if strings.HasPrefix(s, text[at:]) {
				from = at
				break
			}
		}
	}
	return from
}
