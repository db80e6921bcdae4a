package upstream

import (
	"iter"
	"slices"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// splitStops divides the stop sequences of a prompt: the upstream gets send, and Dragoman itself looks for
// watch.
//
// names: the upstream says which sequence it met. If it does not, it gets only Dragoman's own sequences. The
// parser recognizes their end by the text before it, but could not tell the client's sequences apart. A model
// without stop sequences gets none. Dragoman does not look for its own either, because the parser finds the
// end of a call by itself.
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

// stoppedAt returns the stop reason of an answer that ended at a stop sequence, according to the upstream.
// sequence is "" if the upstream does not say which. asked are the sequences in the request. Any other
// sequence is built into the model, such as "\n\nHuman:" in text completions (docs/reference/bedrock.md §2b).
// Then the model has ended its turn, and the client does not learn of the sequence.
func stoppedAt(asked []string, sequence string) (messages.Stop, string) {
	if len(asked) == 0 || sequence != "" && !slices.Contains(asked, sequence) {
		return messages.StopEndTurn, ""
	}
	return messages.StopSequence, sequence
}

// watchStops yields the chunks of the answer to p up to the first stop sequence in their text, and then
// leaves the range. If the prompt shows a sequence escaped, the escaped spelling counts too. Text is held
// back only while it may be the beginning of a sequence.
func watchStops(p *translate.Prompt, stops []string, chunks iter.Seq2[translate.Chunk, error]) iter.Seq2[translate.Chunk, error] {
	return newStopWatch(p, stops).watch(chunks)
}

// stopWatch looks for stop sequences in a text that arrives in pieces, up to the first complete one.
type stopWatch struct {
	stops []stopMatch
	held  []byte // the end of the text, if it may be the beginning of a sequence
}

// watch yields chunks up to the first of the sequences: see [watchStops].
func (w *stopWatch) watch(chunks iter.Seq2[translate.Chunk, error]) iter.Seq2[translate.Chunk, error] {
	if len(w.stops) == 0 {
		return chunks
	}
	return func(yield func(translate.Chunk, error) bool) {
		for c, err := range chunks {
			if err != nil {
				if len(w.held) > 0 && !yield(translate.Chunk{Text: string(w.held)}, nil) {
					return
				}
				yield(c, err)
				return
			}
			if len(c.Calls) > 0 && len(w.held) > 0 { // the call comes after the held text
				if !yield(translate.Chunk{Text: string(w.held)}, nil) {
					return
				}
				w.restart()
			}
			if c = w.pass(c); !yield(c, nil) || c.Stop != "" {
				return
			}
		}
		if len(w.held) > 0 {
			yield(translate.Chunk{Text: string(w.held)}, nil)
		}
	}
}

// restart forgets the text so far.
func (w *stopWatch) restart() {
	w.held = nil
	for i := range w.stops {
		w.stops[i].matched = 0
	}
}

func newStopWatch(p *translate.Prompt, stops []string) *stopWatch {
	w := new(stopWatch)
	for _, stop := range stops {
		w.add(stop, stop)
		if escaped := p.Escape(stop); escaped != stop {
			w.add(escaped, stop)
		}
	}
	return w
}

// add adds a text to look for, unless it is empty. means is the stop sequence to report; "" if the text ends
// the turn.
func (w *stopWatch) add(text, means string) {
	if text != "" {
		w.stops = append(w.stops, newStopMatch(text, means))
	}
}

// pass returns the chunk with the text that can be sent. If a sequence is complete, this is the last chunk,
// and the caller leaves the upstream's answer.
func (w *stopWatch) pass(c translate.Chunk) translate.Chunk {
	text := append(w.held, c.Text...)
	keep := 0
	for end := len(w.held); end < len(text); end++ {
		var met *stopMatch
		keep = 0
		for i := range w.stops {
			m := &w.stops[i]
			m.read(text[end])
			if m.matched == len(m.stop) && (met == nil || len(m.stop) > len(met.stop)) {
				met = m
			}
			keep = max(keep, m.matched)
		}
		if met != nil {
			c.Text = string(text[:end+1-len(met.stop)])
			c.Stop, c.StopSequence, c.Left = messages.StopSequence, met.means, true
			if met.means == "" {
				c.Stop = messages.StopEndTurn
			}
			w.held = nil
			return c
		}
	}
	switch {
	case c.Stop != "":
		keep = 0
	case c.Text == "":
		keep = len(text)
	}
	c.Text = string(text[:len(text)-keep])
	w.held = append(w.held[:0], text[len(text)-keep:]...)
	return c
}

// stopMatch finds one sequence in a text. It reads each byte once, even if the text repeats parts of the
// sequence (Knuth, Morris and Pratt, 1977).
type stopMatch struct {
	stop    string
	means   string  // the stop sequence to report; "" if it ends the turn
	shorter []int32 // shorter[n]: the longest proper prefix of stop[:n] that is also its suffix
	matched int     // how many bytes of stop the text ends with
}

func newStopMatch(stop, means string) stopMatch {
	m := stopMatch{stop: stop, means: means, shorter: make([]int32, 1, len(stop)+1)}
	m.shorter = append(m.shorter, 0)
	for i := 1; i < len(stop); i++ {
		m.read(stop[i])
		m.shorter = append(m.shorter, int32(m.matched))
	}
	m.matched = 0
	return m
}

// read processes the next byte of the text.
func (m *stopMatch) read(c byte) {
	if m.matched == len(m.stop) {
		m.matched = int(m.shorter[m.matched])
	}
	for m.matched > 0 && m.stop[m.matched] != c {
		m.matched = int(m.shorter[m.matched])
	}
	if m.stop[m.matched] == c {
		m.matched++
	}
}
