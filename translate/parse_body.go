package translate

import "bytes"

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
	t, v := matchTag(rest, p.eof)
	if v == matchMore {
		return nil
	}
	if v == matchNo {
		if p.eof && bytes.IndexByte(rest, '>') < 0 {
			p.pos = len(p.in)
			return p.endIncomplete() // the text ends in a tag
		}
		return p.strayText(rest)
	}
	if t.closing {
		return p.closingTag(t)
	}
	return p.openingTag(t)
}

// closingTag reads a closing tag between parameters.
func (p *parser) closingTag(t tag) state {
	switch {
	case t.is("invoke"):
		p.pos += t.n
		if p.inParams {
			p.fix("missing_closer")
		}
		return p.endCall("")
	case isWrapper(t):
		return p.endCall("missing_closer")
	case t.is("parameters"):
		p.inParams = false
	case p.tentative:
		return p.giveBackCall("stray_closer")
	default:
		if len(p.lost) > 0 {
			p.lost = append(p.lost, p.rest()[:t.n]...)
		}
		p.fix("stray_closer")
	}
	p.pos += t.n
	return bodyState
}

// openingTag reads an opening tag between parameters.
func (p *parser) openingTag(t tag) state {
	tag, child := string(t.full), true
	if t.is("parameter") {
		if name, ok := t.nameAttr(); ok {
			tag, child = name, false
		}
	}
	name, _, declared := p.schema.property(tag)
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
	if child && len(t.attr) > 0 {
		p.fix("attributes")
	}
	return p.startValue(t, name, tag, child)
}

// inPlace tells whether a tag that is ours stands where it belongs. There it is no
// parameter's: a property of that name is offered under another tag.
func (p *parser) inPlace(t tag) bool {
	return t.is("parameters") && len(p.seen) == 0 || !p.inParams && isReserved(string(t.full))
}

// structureTag reads an opening tag that is no parameter's, if it is one.
func (p *parser) structureTag(t tag) (next state, ok bool) {
	fresh := len(p.seen) == 0 && !p.object
	switch {
	case t.is("parameters") && p.object:
		return p.strayTag(t), true
	case t.is("parameters") && (!p.inParams || fresh):
		p.commitKnown()
		p.inParams = !t.empty
	case isWrapper(t) && fresh && p.inParams:
		p.restarted = true
		p.fix("restarted")
	case t.is("invoke") && p.restarted && fresh:
		if name, named := t.nameAttr(); named && name != p.tool {
			return p.endCall("missing_closer"), true
		}
	case t.is("invoke") && fresh && !p.inParams && p.again(t): // one call or two
		return p.endDoubtful(), true
	case isWrapper(t), t.is("invoke"), t.is("function_results"):
		return p.endCall("missing_closer"), true
	case t.is("tool_name") && (!p.inParams || p.restarted), !p.inParams && (t.is("tool_id") || t.is("id")) && (p.schema.more == nil || p.whole):
		return p.skipElement(t), true
	default:
		return nil, false
	}
	p.pos += t.n
	return bodyState, true
}

// again tells whether a tag opens the call once more.
func (p *parser) again(t tag) bool {
	name, ok := t.nameAttr()
	return ok && p.attribute && name == p.tool
}

// strayTag reads a tag that has no place in the call.
func (p *parser) strayTag(t tag) state {
	if p.tentative {
		return p.giveBackCall("stray_text")
	}
	p.lost = append(p.lost, p.rest()[:t.n]...)
	p.lostTag = true
	p.fix("stray_text")
	p.pos += t.n
	return bodyState
}

// commitKnown opens the block once the text is certainly a call to an offered tool.
func (p *parser) commitKnown() {
	if !p.whole {
		p.commit()
	}
}

// skipElement reads over a small element that is no parameter: a second name, an id.
func (p *parser) skipElement(t tag) state {
	rest := p.rest()[t.n:]
	if t.empty {
		p.pos += t.n
		return bodyState
	}
	near := rest[:min(len(rest), maxToolName)]
	end := bytes.Index(near, []byte("</"))
	if end < 0 {
		if len(near) < maxToolName && !p.eof {
			return nil
		}
		p.pos += t.n
		return bodyState
	}
	closer, v := matchTag(rest[end:], p.eof)
	switch v {
	case matchMore:
		return nil
	case matchYes:
		end += closer.n
	}
	p.fix("extra_element")
	p.pos += t.n + end
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
