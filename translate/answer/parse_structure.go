package answer

import (
	"bytes"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// The tags of a call's own structure: those that begin it again, those of the next one, and elements that
// are no parameters.

// readStructure reads an opening tag of the call's own structure, and returns the next state. It
// reports false, and reads nothing, if t is none of these:
//
//	<parameters>                 the parameters begin
//	<function_calls>, <invoke>   as the first thing in <parameters>, or in a call that a prefill has
//	                             opened: the model begins it again; elsewhere this call was not closed, and
//	                             the next one begins. <invoke> with the same name, as the first
//	                             thing in a call, begins it again, too: see closeCall
//	<function_results>           this call was not closed, and the model makes up its result
//	<tool_name>, <id>            the name once more, or an id that the model made up: dropped
func (p *parser) readStructure(t markup.Tag) (next state, ok bool) {
	call := &p.call
	fresh := len(call.parameters) == 0 && !call.jsonInput
	switch {
	case t.Is("parameters") && call.jsonInput:
		return p.readStrayTag(t), true
	case t.Is("parameters") && (!call.parametersOpen || fresh):
		p.holdOffered()
		call.unread = call.unread || t.HasValues()
		call.parametersOpen = !t.Empty
		if !call.strayTag {
			call.stray = nil // text before <parameters> was not meant as the input
		}
	case t.IsWrapper() && fresh && call.parametersOpen:
		call.restarted = true
		p.noteReason("restarted")
	case t.IsWrapper() && fresh && p.isOpening() && !call.restarted:
		switch p.matchOpenedAgain(t) {
		case markup.NeedMore:
			return wait, true
		case markup.NoMatch:
			return p.closeCall("missing_closer"), true
		}
		call.restarted = true
		p.noteReason("restarted")
	case t.Is("invoke") && call.restarted && fresh:
		if _, named := t.NameAttribute(); named && !p.opensAgain(t) {
			return p.closeCall("missing_closer"), true
		}
	case t.Is("invoke") && fresh && !call.parametersOpen && p.opensAgain(t):
		call.begunTwice = true
		p.noteReason("restarted")
	case t.Is("invoke") && fresh && p.call.spelling != nil && p.call.spelling.Labels():
		return p.readMisopened(t), true
	case t.IsWrapper(), t.Is("invoke"), t.Is("function_results"):
		return p.closeCall("missing_closer"), true
	case t.Is("tool_name") && (!call.parametersOpen || call.restarted),
		!call.parametersOpen && (t.Is("tool_id") || t.Is("id")) && (call.schema.AdditionalProperties == nil || call.unoffered):
		return p.skipElement(t), true
	default:
		return wait, false
	}
	p.in.take(t.Len, SpanMarkup)
	return inCall, true
}

// opensAgain reports whether t is <invoke name="…"> with the name of the call that is open.
func (p *parser) opensAgain(t markup.Tag) bool {
	name, ok := t.NameAttribute()
	if g := p.call.spelling; g != nil && g.IDs {
		name = p.tools.OfID(name)
	}
	return ok && p.call.attributeForm && name == p.call.tool
}

// isOpening reports whether the call is the one that the prefill has opened.
func (p *parser) isOpening() bool { return p.text.opening != "" && p.calls.whole == 0 }

// matchOpenedAgain reports whether t, a wrapper, is followed by the opening tag of the call that is open.
func (p *parser) matchOpenedAgain(t markup.Tag) markup.Verdict {
	rest := p.in.rest()
	i, v := p.in.matchBlanks(rest, t.Len, maxGap)
	switch {
	case v != markup.Match:
		return v
	case i == len(rest) || rest[i] != '<':
		return markup.NoMatch
	}
	next, v := p.matchTag(rest[i:])
	if v == markup.Match {
		v = markup.VerdictOf(next.Is("invoke") && !next.Closing && p.opensAgain(next))
	}
	return v
}

// skipElement drops a small element that is no parameter: a second name, or an id. Without a closing
// tag nearby, only the opening tag is dropped.
func (p *parser) skipElement(t markup.Tag) state {
	rest := p.in.rest()[t.Len:]
	if t.Empty {
		p.in.take(t.Len, SpanDropped)
		return inCall
	}
	near := rest[:min(len(rest), format.MaxToolName)]
	end := bytes.Index(near, []byte("</"))
	if end < 0 {
		if len(near) < format.MaxToolName && !p.in.eof {
			return wait
		}
		p.in.take(t.Len, SpanDropped)
		return inCall
	}
	closer, v := p.matchTag(rest[end:])
	switch v {
	case markup.NeedMore:
		return wait
	case markup.Match:
		end += closer.Len
	}
	p.noteReason("extra_element")
	p.in.take(t.Len+end, SpanDropped)
	return inCall
}
