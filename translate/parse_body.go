package translate

import (
	"bytes"

	"dragoman/translate/markup"
)

// Within a call, between its parameters: tags of the next parameter or of the call, and what
// models write there although it has no place.

// readCall reads between the parameters of a call, up to the next one or to the end of the call.
func (p *parser) readCall() state {
	call := &p.call
	if len(call.stray) > maxUndecided {
		return p.closeUnread()
	}
	blank := p.in.rest()
	more := p.in.skipBlanks()
	if len(call.stray) > 0 {
		call.stray = append(call.stray, blank[:len(blank)-len(p.in.rest())]...)
	}
	if !more {
		if !p.in.eof {
			return wait
		}
		return p.closeAtEOF()
	}
	rest := p.in.rest()
	if rest[0] != '<' {
		return p.readStrayText(rest)
	}
	t, v := markup.MatchTag(rest, p.in.eof)
	if v == markup.NeedMore {
		return wait
	}
	if v == markup.NoMatch {
		if p.in.eof && bytes.IndexByte(rest, '>') < 0 { // the text ends in a tag
			p.in.takeAll()
			return p.breakOff()
		}
		return p.readStrayText(rest)
	}
	if t.Closing {
		return p.readClosingTag(t)
	}
	return p.readOpeningTag(t)
}

// readClosingTag reads a closing tag between parameters.
func (p *parser) readClosingTag(t markup.Tag) state {
	switch {
	case t.Is("invoke"):
		p.in.take(t.Len)
		if p.call.parametersOpen {
			p.noteReason("missing_closer")
		}
		return p.closeCall("")
	case t.IsWrapper():
		return p.closeCall("missing_closer")
	case t.Is("parameters"):
		p.call.parametersOpen = false
	case p.out.pending:
		return p.giveBackCall("stray_closer")
	default:
		if len(p.call.stray) > 0 {
			p.call.stray = append(p.call.stray, p.in.rest()[:t.Len]...)
		}
		p.noteReason("stray_closer")
	}
	p.in.take(t.Len)
	return inCall
}

// readOpeningTag reads an opening tag between parameters: that of a parameter, of the call's own
// structure, or a stray one.
func (p *parser) readOpeningTag(t markup.Tag) state {
	call := &p.call
	tag, element := string(t.Full), true
	if t.Is("parameter") {
		if name, ok := t.NameAttribute(); ok {
			tag, element = name, false
		}
	}
	property, _, declared := call.schema.PropertyByTag(tag)
	if element && (!declared || p.isInPlace(t)) && !call.strayTag {
		if next, ok := p.readStructure(t); ok {
			return next
		}
	}
	switch {
	case call.jsonInput, call.strayTag, element && !declared && len(call.stray) > 0, bytes.IndexByte(call.stray, '{') >= 0:
		return p.readStrayTag(t)
	case len(call.parameters) == maxParameters:
		return p.closeTooLong()
	case call.wrapperOpen, !element, call.parametersOpen, declared:
		p.openOffered()
	}
	if element && !call.parametersOpen {
		p.noteReason("no_parameters_tag")
	}
	if element && len(t.Attributes) > 0 {
		p.noteReason("attributes")
	}
	return p.beginValue(t, property, tag, element)
}

// isInPlace reports whether a tag that is ours stands where it belongs. There it is no
// parameter's: a property of that name is offered under another tag.
func (p *parser) isInPlace(t markup.Tag) bool {
	return t.Is("parameters") && len(p.call.parameters) == 0 || !p.call.parametersOpen && markup.IsReserved(string(t.Full))
}

// readStructure reads an opening tag of the call's own structure: its parameters, the next call,
// the same call once more, its name once more. It is not ok for any other.
func (p *parser) readStructure(t markup.Tag) (next state, ok bool) {
	call := &p.call
	fresh := len(call.parameters) == 0 && !call.jsonInput
	switch {
	case t.Is("parameters") && call.jsonInput:
		return p.readStrayTag(t), true
	case t.Is("parameters") && (!call.parametersOpen || fresh):
		p.openOffered()
		call.parametersOpen = !t.Empty
	case t.IsWrapper() && fresh && call.parametersOpen:
		call.restarted = true
		p.noteReason("restarted")
	case t.Is("invoke") && call.restarted && fresh:
		if name, named := t.NameAttribute(); named && name != call.tool {
			return p.closeCall("missing_closer"), true
		}
	case t.Is("invoke") && fresh && !call.parametersOpen && p.opensAgain(t): // one call or two
		return p.closeDoubtful(), true
	case t.IsWrapper(), t.Is("invoke"), t.Is("function_results"):
		return p.closeCall("missing_closer"), true
	case t.Is("tool_name") && (!call.parametersOpen || call.restarted),
		!call.parametersOpen && (t.Is("tool_id") || t.Is("id")) && (call.schema.AdditionalProperties == nil || call.unoffered):
		return p.skipElement(t), true
	default:
		return wait, false
	}
	p.in.take(t.Len)
	return inCall, true
}

// opensAgain reports whether a tag opens the same call once more.
func (p *parser) opensAgain(t markup.Tag) bool {
	name, ok := t.NameAttribute()
	return ok && p.call.attributeForm && name == p.call.tool
}

// skipElement reads over a small element that is no parameter: a second name, an id.
func (p *parser) skipElement(t markup.Tag) state {
	rest := p.in.rest()[t.Len:]
	if t.Empty {
		p.in.take(t.Len)
		return inCall
	}
	near := rest[:min(len(rest), maxToolName)]
	end := bytes.Index(near, []byte("</"))
	if end < 0 {
		if len(near) < maxToolName && !p.in.eof {
			return wait
		}
		p.in.take(t.Len)
		return inCall
	}
	closer, v := markup.MatchTag(rest[end:], p.in.eof)
	switch v {
	case markup.NeedMore:
		return wait
	case markup.Match:
		end += closer.Len
	}
	p.noteReason("extra_element")
	p.in.take(t.Len + end)
	return inCall
}

// readStrayTag reads a tag that has no place in the call.
func (p *parser) readStrayTag(t markup.Tag) state {
	if p.out.pending {
		return p.giveBackCall("stray_text")
	}
	p.call.stray = append(p.call.stray, p.in.rest()[:t.Len]...)
	p.call.strayTag = true
	p.noteReason("stray_text")
	p.in.take(t.Len)
	return inCall
}

// readStrayText reads text where only tags belong. A JSON object is the whole input; other text
// has no place in a call. What a call to a tool that is not offered, or an <invoke> without a
// wrapper, is followed by must be a tag, or it is no call.
func (p *parser) readStrayText(rest []byte) state {
	call := &p.call
	if rest[0] == '{' && len(call.parameters) == 0 && len(call.stray) == 0 && !call.jsonInput {
		p.openOffered()
		return p.beginObject()
	}
	if p.out.pending {
		return p.giveBackCall("stray_text")
	}
	n := bytes.IndexByte(rest[1:], '<') + 1
	if n == 0 {
		n = len(rest)
	}
	if len(call.parameters) == 0 || len(call.stray) > 0 { // once something is stray, all is
		call.stray = append(call.stray, rest[:n]...)
	}
	p.in.take(n)
	p.noteReason("stray_text")
	return inCall
}
