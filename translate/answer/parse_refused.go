package answer

import (
	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/tagged"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// Calls that Dragoman refuses. The model meant such a call and finished it, but Dragoman cannot read it,
// and has sent nothing of it. The text of the call becomes text of the answer, in a block of its own.

// lacksArguments reports whether the parser has read no argument of the call, although the call should have
// some: its tool requires arguments, or the call's tag has attributes that may be arguments.
func (p *parser) lacksArguments() bool {
	call := &p.call
	none := len(call.Parameters) == 0 && !call.JSONInput && !call.Unoffered
	takesAny := len(call.Schema.Properties) > 0 || call.Schema.AdditionalProperties != nil
	return none && (len(call.Schema.Required) > 0 || len(call.attributes) > 0 && takesAny)
}

// readAttributes reads the attributes of the call's tag as parameters: <invoke name="read" path="a">, or
// <invoke name="read" parameter="path" value="a"/>. It returns false if the tool does not declare one of
// them.
func (p *parser) readAttributes() bool {
	list := p.call.attributes
	if len(list) == 2 && list[0][0] == "parameter" && list[1][0] == "value" {
		list = [][2]string{{list[0][1], list[1][1]}}
	}
	object := []byte{'{'}
	for i, a := range list {
		property, s, declared := p.call.Schema.PropertyByTag(a[0])
		if !declared || p.call.Unoffered {
			return false
		}
		if i > 0 {
			object = append(object, ',')
		}
		object = append(rawjson.AppendString(object, property), ':')
		object, _ = format.AppendTyped(object, s, a[1], true)
	}
	input, ok := p.out.WriteObject(string(append(object, '}')))
	if ok {
		p.call.NoteInput(input)
	}
	return ok
}

// refuse ends the pending call and returns the next state. Another call may follow. If it is not certain
// where the call ends, everything after it is text.
func (p *parser) refuse() state {
	call := &p.call
	if p.lacksArguments() && call.Unread && call.Reason != messages.ReasonAmbiguous {
		call.Reason = messages.ReasonNoArgumentsRead
	}
	return p.refuseAs(messages.Outcome{Kind: messages.OutcomeRefused, Tool: call.Tool, Reason: call.Reason, Unread: true, InText: true})
}

// refuseAs does what refuse does, with the given outcome.
func (p *parser) refuseAs(o messages.Outcome) state {
	call, broken := p.call, p.json.depth.Depth > 0 || p.tags.InObject()
	p.noteOutcome(o)
	p.calls.refused = true
	raw := p.unescaped(p.in.GiveBack())
	p.out.DropInput()
	p.json = jsonSeen{}
	p.tags.Begin()
	p.call = callSeen{begun: true, OpenCall: tagged.OpenCall{WrapperOpen: call.WrapperOpen}}
	p.dropBlank()
	p.out.OpenBlock(messages.BlockText, o.Unread)
	p.writeText(raw)
	switch g := call.Spelling; {
	case call.Reason == messages.ReasonAmbiguous:
		p.mayCall, p.call = false, callSeen{}
		return inText
	case g.IsJSON() && g.Ends():
		p.call.Spelling = g
		return inBrokenCall
	case broken && call.WrapperOpen && !call.AttributeForm: // a string in it may contain text that looks like a call
		p.call = callSeen{}
		return inForeignBlock
	case broken:
		return inBrokenCall
	}
	return betweenCalls
}

// readNameless refuses a call in JSON that begins at rest without the name of its tool, in its wrapper.
func (p *parser) readNameless(rest []byte) (next state, v markup.Verdict) {
	g := p.wrapperSpelling
	if !p.call.WrapperOpen || !g.IsJSON() || !g.Ends() {
		return wait, markup.NoMatch
	}
	if _, named := g.MatchListed(rest, false); named != markup.NoMatch { // with more text, it may be named
		return wait, markup.NoMatch
	}
	if t, v := p.matchOpener(rest); v == markup.NeedMore || v == markup.Match && t.Spelling != nil { // in another format
		return wait, markup.NoMatch
	}
	n, v := g.MatchNameless(rest, p.in.EOF)
	if v != markup.Match {
		return wait, v
	}
	if !p.in.IsMarked() {
		p.beginNextCall(markup.Tag{Spelling: g})
	}
	p.call.Spelling = g
	p.in.Take(n, completion.SpanMarkup)
	return p.refuseAs(messages.Outcome{Kind: messages.OutcomeRefused, Reason: messages.ReasonNoToolFits, Unread: p.endedByModel(), InText: true}), v
}

// holdsRefused reports whether the answer has refused calls and no others.
func (p *parser) holdsRefused() bool { return p.calls.refused && !p.calls.opened }

// takeMarkup reads n bytes of markup after a call. After refused calls, they are text, as the calls are.
func (p *parser) takeMarkup(n int) {
	kind := completion.SpanMarkup
	if p.holdsRefused() {
		p.writeText(p.in.Rest()[:n])
		kind = completion.SpanText
	}
	p.in.Take(n, kind)
}

// readRefusedEnd reads a closing tag after refused calls.
func (p *parser) readRefusedEnd(t markup.Tag) state {
	p.takeMarkup(t.Len)
	if t.IsWrapper() {
		p.call = callSeen{}
		return inText
	}
	return betweenCalls
}
