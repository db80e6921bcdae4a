package answer

import (
	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/tagged"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// Calls that Dragoman refuses: the model meant a call, and wrote it to its end, but it cannot be read, and
// nothing of it was sent. All its text is text of the answer, in a block of its own.

// lacksArguments reports whether no argument of the call was read, although its tool requires one, or may take what
// stands in the tag of the call.
func (p *parser) lacksArguments() bool {
	call := &p.call
	none := len(call.Parameters) == 0 && !call.JSONInput && !call.Unoffered
	return none && (len(call.Schema.Required) > 0 || len(call.attributes) > 0 && len(call.Schema.Properties) > 0)
}

// readAttributes reads the attributes of the tag of the call as its parameters, and reports whether each is one that
// the tool declares: <invoke name="read" path="a">, or <invoke name="read" parameter="path" value="a"/>.
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
	p.call.Members, p.call.JSONInput = p.out.WriteObject(string(append(object, '}')))
	return p.call.JSONInput
}

// refuse ends the call that is pending, and returns the state in which the rest is read: the next call may
// follow. Where the end of the call is not certain, all that follows is text.
func (p *parser) refuse() state {
	call := &p.call
	if p.lacksArguments() && call.Unread && call.Reason != messages.ReasonAmbiguous {
		call.Reason = messages.ReasonNoArgumentsRead
	}
	return p.refuseAs(messages.Outcome{Kind: messages.OutcomeRefused, Tool: call.Tool, Reason: call.Reason, Unread: true, InText: true})
}

// refuseAs is refuse with the outcome of the call.
func (p *parser) refuseAs(o messages.Outcome) state {
	call, broken := p.call, p.json.depth.Depth > 0 || p.tags.InObject()
	p.noteOutcome(o)
	p.calls.refused = true
	raw := p.unescaped(p.in.GiveBack())
	p.out.DropInput()
	p.json = jsonSeen{}
	p.tags.Begin()
	p.call = callSeen{begun: true, Call: tagged.Call{WrapperOpen: call.WrapperOpen}}
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
	case broken && call.WrapperOpen && !call.AttributeForm: // a string may hold what looks like a call
		p.call = callSeen{}
		return inForeignBlock
	case broken:
		return inBrokenCall
	}
	return betweenCalls
}

// holdsRefused reports whether calls were refused, and none was read.
func (p *parser) holdsRefused() bool { return p.calls.refused && !p.calls.opened }

// readRefusedEnd reads a closing tag behind calls that were refused: it is text, too.
func (p *parser) readRefusedEnd(t markup.Tag) state {
	p.writeText(p.in.Rest()[:t.Len])
	p.in.Take(t.Len, completion.SpanText)
	if t.IsWrapper() {
		p.call = callSeen{}
		return inText
	}
	return betweenCalls
}
