package answer

import (
	"bytes"
	"iter"
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/emit"
	"dragoman/translate/answer/held"
	"dragoman/translate/answer/tagged"
	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// Calls in the text of an answer that has no tool_use block. Such a call may be lost, so Dragoman records
// an outcome for it. There are four cases:
//
//   - A call in thinking that was closed or cut off. A model that rehearses a call there usually makes it afterwards.
//     This model did not.
//   - A call in a format that Dragoman does not read here.
//   - A call in a code fence.
//   - Text in the shape of a call that Dragoman reads nowhere.

// maxUnread is the most text that Dragoman searches for such calls, in bytes. The limit applies to the
// answer and, on its own, to thinking.
const maxUnread = tagged.MaxDoubt

// keepUnread keeps text of the completion, as long as the completion has no call.
func (r *reader) keepUnread(s string) {
	if r.calls.opened || !r.mayCall {
		r.unread = nil
	} else {
		room := max(0, maxUnread-len(r.unread)) // a prefill may be longer
		r.unread = append(r.unread, s[:min(len(s), room)]...)
	}
}

// noteUnread records the complete calls in the text of an answer, if the parser has found no call in it.
func (r *reader) noteUnread() {
	if r.calls.opened {
		return
	}
	r.noteRehearsed()
	if len(r.unread) == 0 || r.ended && len(r.outcomes) > 0 { // how much text follows the end depends on the pieces
		return
	}
	known := map[string]int{} // calls by tool that have an outcome
	for _, o := range r.outcomes {
		known[o.Tool]++
	}
	note := func(o messages.Outcome) {
		if known[o.Tool]--; known[o.Tool] < 0 {
			r.noteOutcome(o)
		}
	}
	all := format.ReadsOf(r.format, format.All(), 0)
	lost := messages.Outcome{Kind: messages.OutcomeLeaked, Reason: messages.ReasonOtherFormat, Unread: r.endedByModel(), InText: true}
	stop := messages.StopEndTurn
	if r.in.CutShort {
		stop = messages.StopMaxTokens
	}
	calls := r.callsIn(string(r.unread), all, textSeen{opened: r.begins}, stop)
	if len(calls) == 0 || calls[0].Reason == messages.ReasonQuotedCall {
		lost.Reason, lost.Unread = messages.ReasonQuoted, false
		calls = r.callsIn(withoutCode(string(r.unread)), all, textSeen{opened: r.begins}, stop)
	}
	for _, o := range calls {
		lost.Tool = o.Tool
		note(lost)
	}
	if len(calls) > 0 {
		return
	}
	var before code
	read := 0
	if len(r.outcomes) == 0 {
		for found := range held.FindShapes(r.unread, &r.tools) {
			before.advance(r.unread[read:found.From])
			read = found.From
			lost.Tool, lost.Reason = found.Tool, messages.ReasonOtherFormat
			if before.isOpen() {
				lost.Reason = messages.ReasonQuoted
			}
			note(lost)
		}
	}
	before, read = code{}, 0
	for found := range held.Find(r.unread, &r.tools, r.schemas.Of) {
		before.advance(r.unread[read:found.From])
		read = found.From
		note(r.unreadObject(found, before.isOpen()))
	}
}

// withoutCode returns text without the marks of Markdown code and of codeElements.
func withoutCode(text string) string {
	return strings.NewReplacer("`", "", "~~~", "", "<pre>", "", "<code>", "", "<pre ", "", "<code ", "", "</pre>", "", "</code>", "").Replace(text)
}

// FindCalls yields the calls in JSON to the request's tools in a text, wherever they stand: see
// [held.Find].
func FindCalls(req *messages.Request, text string) iter.Seq[held.Found] {
	return held.Find([]byte(text), &format.ToolNames{List: req.Tools}, new(prompt.ToolSchemas).Of)
}

// unreadObject returns the outcome for a call in JSON in an answer that has other text, too. If the call
// ends the answer, the model meant it. quoted: the call is in Markdown code.
func (r *reader) unreadObject(found held.Found, quoted bool) messages.Outcome {
	o := messages.Outcome{Kind: messages.OutcomeLeaked, Tool: found.Tool, Reason: messages.ReasonDiscussed, InText: true}
	switch {
	case quoted:
		o.Reason = messages.ReasonQuoted
	case len(bytes.TrimLeft(r.unread[found.To:], " \t\r\n]}")) == 0:
		o.Reason, o.Unread = messages.ReasonBareCall, r.endedByModel()
	}
	return o
}

// keepRehearsed keeps the text after the mark, up to maxUnread: the rest of thinking that is text. cut: the thinking has
// no end.
func (p *parser) keepRehearsed(cut bool) {
	marked := p.in.Marked()
	room := maxUnread - len(p.text.rehearsed)
	if room <= 0 {
		return
	}
	kept := marked[:min(len(marked), room)]
	p.text.rehearsed = append(p.text.rehearsed, kept...)
	p.text.rehearsals = append(p.text.rehearsals, rehearsal{len(p.text.rehearsed), cut || len(kept) < len(marked)})
}

// rehearsal is a text of thinking: where it ends in textSeen.rehearsed, and whether more of it is missing.
type rehearsal struct {
	end int
	cut bool
}

// noteRehearsed records the complete calls in thinking. To find them, it reads the thinking as if it was
// never closed.
func (p *parser) noteRehearsed() {
	if n := len(p.text.apartThinking); n > 0 {
		p.text.rehearsed = append(p.text.rehearsed, p.text.apartThinking...)
		p.text.rehearsals = append(p.text.rehearsals, rehearsal{len(p.text.rehearsed), n == maxUnread})
	}
	from := 0
	for _, r := range p.text.rehearsals {
		stop := messages.StopEndTurn
		if r.cut {
			stop = messages.StopMaxTokens
		}
		thought := string(p.text.rehearsed[from:r.end])
		calls := p.callsIn(thought, p.Reads, textSeen{neverClosed: true}, stop)
		if len(calls) == 0 {
			calls = p.callsIn(withoutCode(thought), p.Reads, textSeen{neverClosed: true}, stop)
		}
		for _, o := range calls {
			p.noteOutcome(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: o.Tool, Reason: messages.ReasonThinking, InText: true})
		}
		from = r.end
	}
}

// callsIn returns the outcomes of the complete calls to offered tools in a text. stop is why the text ends.
func (p *parser) callsIn(text string, reads *format.Reads, seen textSeen, stop messages.Stop) (calls []messages.Outcome) {
	read := &parser{
		req: p.req, format: p.format, state: atAnswer, in: completion.New(),
		out:   emit.New(func(messages.Event, error) bool { return true }, ""),
		Reads: reads, escaped: p.escaped, mayCall: true, quotedCalls: p.quotedCalls, tools: p.tools, schemas: p.schemas,
		text: seen,
	}
	read.prepare()
	read.tags.Followed = p.tags.Followed
	read.feed(text)
	read.finish(stop, "")
	p.tags.Followed = read.tags.Followed
	for _, o := range read.outcomes {
		if !o.InText && o.Kind != messages.OutcomeIncomplete && o.Kind != messages.OutcomeUnknownTool {
			calls = append(calls, o)
		}
	}
	return calls
}
