package upstream

import (
	"iter"
	"slices"

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

// watchStops yields the chunks of the answer to p up to the first of the stop sequences in
// their text, as an upstream does that knows them, and leaves the range there. A sequence
// that the prompt shows escaped is one in that spelling, too. Text is held back only while
// it may be the beginning of a sequence.
func watchStops(p *translate.Prompt, stops []string, chunks iter.Seq2[translate.Chunk, error]) iter.Seq2[translate.Chunk, error] {
	return newStopWatch(p, stops).watch(chunks)
}

// stopWatch looks for stop sequences in a text that comes in pieces. It ends when one is
// whole.
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
			if len(c.Calls) > 0 && len(w.held) > 0 { // the call stands behind the text that is held
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

// restart forgets what was read.
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

// add looks for one more text, unless it is empty. means is the sequence of the prompt; "" if the text ends the turn.
func (w *stopWatch) add(text, means string) {
	if text != "" {
		w.stops = append(w.stops, newStopMatch(text, means))
	}
}

// pass returns the chunk with the text that can go on. If a sequence is whole, the chunk
// is the last one, and the upstream is left there.
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

// stopMatch finds one sequence in a text and reads each byte once, however much of the
// sequence a text repeats (Knuth, Morris and Pratt, 1977).
type stopMatch struct {
	stop    string
	means   string  // the sequence of the prompt; "" for what ends the turn
	shorter []int32 // by how much is matched: the longest beginning of stop that this ends in, and that is shorter
	matched int     // how much of stop the text ends in
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

// read takes the next byte of the text.
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
