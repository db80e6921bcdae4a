package inspector

import (
	"slices"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// chunk keeps a piece of a completion, and how it was read.
func (c *capture) chunk(chunk *translate.Chunk) {
	at, p := c.elapsed(), c.prompt
	var read translate.Step
	if c.trace != nil {
		read = c.trace.Read(*chunk)
	}
	completion := chunk.Completion()
	keep(c, &p.completion, completion, mostText)
	keep(c, &p.thinking, chunk.Thinking, mostText)
	outcomes := c.keptOutcomes(read.Outcomes)
	room := c.store.reserve(c.keptExchange, pieceSize+len(read.Spans)*spanSize) > 0
	c.change(func() {
		if c.gone { // the content has been dropped
			c.trace = nil
			return
		}
		c.line.Completion += int64(len(completion) + len(chunk.Thinking))
		c.hear(at)
		p.served = p.served || len(chunk.Calls) > 0
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
		p.outcomes = append(p.outcomes, outcomes...)
	})
	if chunk.Stop != "" {
		c.findLost()
	}
}

// event keeps an event of the client's answer.
func (c *capture) event(e *messages.Event) {
	next := event{at: c.elapsed(), name: e.Name(), index: e.Index}
	data := e.Text
	if e.Type == messages.ContentBlockDelta && e.Delta != messages.OtherDelta {
		next.delta = e.Delta.String()
	} else {
		data = e.AppendJSON(nil)
	}
	var outcomes []outcome
	if e.Type == messages.MessageDelta {
		outcomes = c.keptOutcomes(e.Message.Outcomes)
	}
	c.keepEvent(next, data, func() {
		c.noteEvent(e, next.at)
		c.outcomes = append(c.outcomes, outcomes...)
	})
}

// keepEvent keeps an event and its data. Then note records what the event shows about the answer.
func (c *capture) keepEvent(next event, data []byte, note func()) {
	keep(c, &c.eventText, data, mostText)
	room := c.store.reserve(c.keptExchange, eventSize) > 0
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
		note()
	})
}

// keptOutcomes returns as many outcomes as may be kept.
func (c *capture) keptOutcomes(all []messages.Outcome) []outcome {
	var kept []outcome
	for _, o := range all[:c.store.reserve(c.keptExchange, len(all)*outcomeSize)/outcomeSize] {
		kept = append(kept, outcomeOf(o))
	}
	return kept
}

// noteEvent records what an event shows about the answer. The caller holds the lock.
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
		c.noteUsage(e.Message.Usage)
	case messages.MessageDelta:
		for _, o := range e.Message.Outcomes {
			c.noteMisread(outcomeOf(o))
		}
		c.line.StopReason = clip(string(e.Message.StopReason))
		c.noteUsage(e.Message.Usage)
	}
}

// noteUsage records the tokens of the answer so far. The caller holds the lock.
func (c *capture) noteUsage(u messages.Usage) {
	c.line.InputTokens, c.line.CachedTokens, c.line.OutputTokens = u.PromptTokens(), u.CacheReadInputTokens, u.OutputTokens
}

// noteMisread adds how a call was read to the list, if it is not clean, or a repeat. The caller holds the lock.
func (c *capture) noteMisread(o outcome) {
	l := &c.line
	fine := o.Kind == string(messages.OutcomeClean) && o.Reason != messages.ReasonRepeated
	if read := o.String(); !fine && len(l.Misread) < mostTools && !slices.Contains(l.Misread, read) {
		l.Misread = append(l.Misread, read)
	}
}
