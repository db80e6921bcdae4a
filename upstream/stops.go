package upstream

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// splitStops divides the stop sequences of a prompt: send goes to the upstream, watch is
// looked for here.
//
// names says that the upstream tells which sequence it met. One that does not is sent
// ours alone: the parser knows that end by the text before it, but the client's
// sequences could not be told from each other. A model that takes none is sent none;
// ours are not watched for either, since the parser finds the end of a call by itself.
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

// stoppedAt returns why an answer ended of which the upstream says that a stop sequence
// ended it; sequence is "" if it does not say which. asked are the sequences that it was
// asked to stop at. Any other is the wire's own, such as the "\n\nHuman:" that is built
// into the models of text completions (docs/reference/bedrock.md §2b): the model had no
// more to say, and the client, which has not asked for it, is not told.
func stoppedAt(asked []string, sequence string) (messages.Stop, string) {
	if len(asked) == 0 || sequence != "" && !slices.Contains(asked, sequence) {
		return messages.StopEndTurn, ""
	}
	return messages.StopSequence, sequence
}

// watchStops yields the chunks up to the first of the stop sequences in their text, as
// an upstream does that knows them, and leaves the range there. Text is held back only
// while it may be the beginning of a sequence.
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

// stopWatch looks for stop sequences in a text that comes in pieces. It ends when one is
// whole.
type stopWatch struct {
	set  *stopSet
	at   int32        // the node of the set for the text so far
	held bytes.Buffer // the end of the text, if it may be the beginning of a sequence
	read int          // how many bytes of text have come
}

// pass returns the chunk with the text that can go on. If a sequence is whole, the chunk
// is the last one and has an estimate of the tokens written: the upstream is left before
// it tells how many there were.
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

// heldBack returns the index in the text of the longest end of it that is the beginning
// of s, len(text) if there is none.
func heldBack(text, s string) int {
	at := max(0, len(text)-len(s)+1)
	for !strings.HasPrefix(s, text[at:]) {
		at++
	}
	return at
}
