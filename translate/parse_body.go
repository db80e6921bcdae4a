package translate

import (
	"bytes"
	"dragoman/translate/markup"
)

// bodyState reads within a call, between its parameters.
func bodyState(p *parser) state {
	if len(p.lost) > maxUndecided {
		return p.endUnread()
	}
	start := p.pos
	more := p.skip()
	if len(p.lost) > 0 {
		p.lost = append(p.lost, p.in[start:p.pos]...)
	}
	if !more {
		if !p.eof {
			return nil
		}
		return p.endAtEOF()
	}
	rest := p.rest()
	if rest[0] != '<' {
		return p.strayText(rest)
	}
	t, v := markup.MatchTag(rest, p.eof)
	if v == markup.NeedMore {
		return nil
	}
	if v == markup.NoMatch {
		if p.eof && bytes.IndexByte(rest, '>') < 0 {
			p.pos = len(p.in)
			return p.endIncomplete() // the text ends in a tag
		}
		return p.strayText(rest)
	}
	if t.Closing {
		return p.closingTag(t)
	}
	return p.openingTag(t)
}

// closingTag reads a closing tag between parameters.
func (p *parser) closingTag(t markup.Tag) state {
	switch {
	case t.Is("invoke"):
		p.pos += t.Len
		if p.inParams {
			p.fix("missing_closer")
		}
		return p.endCall("")
	case isWrapper(t):
		return p.endCall("missing_closer")
	case t.Is("parameters"):
		p.inParams = false
	case p.tentative:
		return p.giveBackCall("stray_closer")
	default:
		if len(p.lost) > 0 {
			p.lost = append(p.lost, p.rest()[:t.Len]...)
		}
		p.fix("stray_closer")
	}
	p.pos += t.Len
	return bodyState
}

// openingTag reads an opening tag between parameters.
func (p *parser) openingTag(t markup.Tag) state {
	tag, child := string(t.Full), true
	if t.Is("parameter") {
		if name, ok := t.NameAttribute(); ok {
			tag, child = name, false
		}
	}
	name, _, declared := p.schema.PropertyByTag(tag)
	if child && (!declared || p.inPlace(t)) && !p.lostTag {
		if next, ok := p.structureTag(t); ok {
			return next
		}
	}
	if p.object || p.lostTag || child && !declared && len(p.lost) > 0 || bytes.IndexByte(p.lost, '{') >= 0 {
		return p.strayTag(t)
	}
	if len(p.seen) == maxParams {
		return p.endTooLong()
	}
	if !p.whole && (p.wrapped || !child || p.inParams || declared) {
		p.commit()
	}
	if child && !p.inParams {
		p.fix("no_parameters_tag")
	}
	if child && len(t.Attributes) > 0 {
		p.fix("attributes")
	}
	return p.startValue(t, name, tag, child)
}

// inPlace tells whether a tag that is ours stands where it belongs. There it is no
// parameter's: a property of that name is offered under another tag.
func (p *parser) inPlace(t markup.Tag) bool {
	return t.Is("parameters") && len(p.seen) == 0 || !p.inParams && markup.IsReserved(string(t.Full))
}

// structureTag reads an opening tag that is no parameter's, if it is one.
func (p *parser) structureTag(t markup.Tag) (next state, ok bool) {
	fresh := len(p.seen) == 0 && !p.object
	switch {
	case t.Is("parameters") && p.object:
		return p.strayTag(t), true
	case t.Is("parameters") && (!p.inParams || fresh):
		p.commitKnown()
		p.inParams = !t.Empty
	case isWrapper(t) && fresh && p.inParams:
		p.restarted = true
		p.fix("restarted")
	case t.Is("invoke") && p.restarted && fresh:
		if name, named := t.NameAttribute(); named && name != p.tool {
			return p.endCall("missing_closer"), true
		}
	case t.Is("invoke") && fresh && !p.inParams && p.again(t): // one call or two
		return p.endDoubtful(), true
	case isWrapper(t), t.Is("invoke"), t.Is("function_results"):
		return p.endCall("missing_closer"), true
	case t.Is("tool_name") && (!p.inParams || p.restarted), !p.inParams && (t.Is("tool_id") || t.Is("id")) && (p.schema.AdditionalProperties == nil || p.whole):
		return p.skipElement(t), true
	default:
		return nil, false
	}
	p.pos += t.Len
	return bodyState, true
}

// again tells whether a tag opens the call once more.
func (p *parser) again(t markup.Tag) bool {
	name, ok := t.NameAttribute()
	return ok && p.attribute && name == p.tool
}

// strayTag reads a tag that has no place in the call.
func (p *parser) strayTag(t markup.Tag) state {
	if p.tentative {
		return p.giveBackCall("stray_text")
	}
	p.lost = append(p.lost, p.rest()[:t.Len]...)
	p.lostTag = true
	p.fix("stray_text")
	p.pos += t.Len
	return bodyState
}

// commitKnown opens the block once the text is certainly a call to an offered tool.
func (p *parser) commitKnown() {
	if !p.whole {
		p.commit()
	}
}

// skipElement reads over a small element that is no parameter: a second name, an id.
func (p *parser) skipElement(t markup.Tag) state {
	rest := p.rest()[t.Len:]
	if t.Empty {
		p.pos += t.Len
		return bodyState
	}
	near := rest[:min(len(rest), maxToolName)]
	end := bytes.Index(near, []byte("</"))
	if end < 0 {
		if len(near) < maxToolName && !p.eof {
			return nil
		}
		p.pos += t.Len
		return bodyState
	}
	closer, v := markup.MatchTag(rest[end:], p.eof)
	switch v {
	case markup.NeedMore:
		return nil
	case markup.Match:
		end += closer.Len
	}
	p.fix("extra_element")
	p.pos += t.Len + end
	return bodyState
}

// strayText reads text where only tags belong. A JSON object is the whole
// input; other text has no place in a call. What a call to an unknown tool or a
// bare <invoke> is followed by must be a tag, or it is no call.
func (p *parser) strayText(rest []byte) state {
	if rest[0] == '{' && len(p.seen) == 0 && len(p.lost) == 0 && !p.object {
		p.commitKnown()
		return p.startObject()
	}
	if p.tentative {
		return p.giveBackCall("stray_text")
	}
	n := bytes.IndexByte(rest[1:], '<') + 1
	if n == 0 {
		n = len(rest)
	}
	if len(p.seen) == 0 || len(p.lost) > 0 { // once something is, all is
		p.lost = append(p.lost, rest[:n]...)
	}
	p.pos += n
	p.fix("stray_text")
	return bodyState
}
