package inspector

import (
	"slices"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// chunk keeps a piece of a completion, and what it was read as.
func (c *capture) chunk(chunk *translate.Chunk) {
	at, p := c.elapsed(), c.prompt
	var read translate.Step
	if c.trace != nil {
		read = c.trace.Read(*chunk)
	}
	completion := chunk.Completion()
	keep(c, &p.completion, completion, mostText)
	keep(c, &p.thinking, chunk.Thinking, mostText)
	room := c.store.reserve(c.exchange, pieceSize+len(read.Spans)*spanSize) > 0
	c.change(func() {
		if c.gone { // what was kept is let go
			c.trace = nil
			return
		}
		c.line.Completion += int64(len(completion) + len(chunk.Thinking))
		if c.call != nil && c.call.firstChunk == 0 {
			c.call.firstChunk = at
		}
		next := piece{at, p.completion.size, p.thinking.size}
		if n := len(p.chunks); room && n < mostPieces {
			p.chunks = append(p.chunks, next)
		} else if n > 0 {
			p.chunks[n-1] = next
		}
		if room {
			p.spans = readAs(p.spans, read)
		}
		if chunk.Stop != "" {
			p.stop, p.stopSequence = string(chunk.Stop), chunk.StopSequence
		}
	})
}

// event keeps an event that the client gets.
func (c *capture) event(e *messages.Event) {
	next := event{at: c.elapsed(), name: e.Name(), index: e.Index}
	data := e.Text
	if e.Type == messages.ContentBlockDelta && e.Delta != messages.OtherDelta {
		next.delta = e.Delta.String()
	} else {
		data = e.AppendJSON(nil)
	}
	keep(c, &c.eventText, data, mostText)
	room := c.store.reserve(c.exchange, eventSize) > 0
	var outcomes []outcome
	if e.Type == messages.MessageDelta {
		outcomes = c.keptOutcomes(e.Message.Outcomes)
	}
	c.change(func() {
		c.line.Events++
		if c.gone {
			return
		}
		next.end = c.eventText.size
		if n := len(c.events); room && n < mostPieces {
			c.events = append(c.events, next)
		} else if n > 0 {
			c.events[n-1].end = next.end
		}
		c.noteEvent(e, next.at)
		c.outcomes = append(c.outcomes, outcomes...)
	})
}

// keptOutcomes returns as many outcomes as may be kept.
func (c *capture) keptOutcomes(all []messages.Outcome) []outcome {
	var kept []outcome
	for _, o := range all[:c.store.reserve(c.exchange, len(all)*outcomeSize)/outcomeSize] {
		kept = append(kept, outcomeOf(o))
	}
	return kept
}

// noteEvent keeps what an event says of the answer. The lock is held.
func (c *capture) noteEvent(e *messages.Event, at int64) {
	if c.line.FirstEvent == 0 {
		c.line.FirstEvent = at
	}
	switch e.Type {
	case messages.ContentBlockStart:
		if e.Block.Type == messages.BlockToolUse && len(c.line.Tools) < mostTools {
			c.line.Tools = append(c.line.Tools, clip(e.Block.Name))
		}
	case messages.MessageStart:
		c.line.InputTokens = e.Message.Usage.InputTokens
	case messages.MessageDelta:
		for _, o := range e.Message.Outcomes {
			if read := outcomeOf(o).String(); o.Kind != messages.OutcomeClean && len(c.line.Misread) < mostTools && !slices.Contains(c.line.Misread, read) {
				c.line.Misread = append(c.line.Misread, read)
			}
		}
		c.line.StopReason = clip(string(e.Message.StopReason))
		c.line.InputTokens, c.line.OutputTokens = e.Message.Usage.InputTokens, e.Message.Usage.OutputTokens
	}
}
