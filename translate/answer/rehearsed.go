package answer

import "dragoman/translate/messages"

// Calls in thinking that was closed are text of the thinking. A model that rehearses a call there usually makes
// it afterwards. If it makes none, the call may be a lost one: each such call then has an outcome.

// maxRehearsed bounds the thinking that is looked through for calls, in bytes.
const maxRehearsed = MaxUndecided

// keepRehearsed keeps the text after the mark, which is the rest of thinking that is closed.
func (p *parser) keepRehearsed() {
	if len(p.text.rehearsed)+p.in.pos-p.in.mark <= maxRehearsed {
		p.text.rehearsed = append(p.text.rehearsed, p.in.buf[p.in.mark:p.in.pos]...)
		p.text.rehearsals = append(p.text.rehearsals, len(p.text.rehearsed))
	}
}

// noteRehearsed records the whole calls in thinking, if the answer has ended without a call.
func (p *parser) noteRehearsed() {
	if p.calls.opened {
		return
	}
	from := 0
	for _, end := range p.text.rehearsals {
		p.noteCallsIn(string(p.text.rehearsed[from:end]))
		from = end
	}
}

// noteCallsIn records the whole calls in a text of thinking, which it reads as if the thinking were never closed.
func (p *parser) noteCallsIn(thinking string) {
	read := &parser{
		req: p.req, format: p.format, state: atAnswer, in: input{mark: -1},
		out:   emitter{yield: func(messages.Event, error) bool { return true }, seed: p.out.seed},
		Reads: p.Reads, escaped: p.escaped, mayCall: true, readsQuoted: p.readsQuoted, tools: p.tools, schemas: p.schemas,
		aloneStarts: p.aloneStarts, lineStarts: p.lineStarts, followed: p.followed,
		text: textSeen{neverClosed: true},
	}
	read.feed(thinking)
	read.finish(messages.StopEndTurn, "")
	p.followed = read.followed
	for _, o := range read.outcomes {
		if !o.InText && o.Kind != messages.OutcomeIncomplete && o.Kind != messages.OutcomeUnknownTool {
			p.noteOutcome(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: o.Tool, Reason: messages.ReasonThinking, InText: true})
		}
	}
}
