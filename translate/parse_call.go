package translate

import (
	"bytes"
	"strings"
)

// currentCall is the call that is being read.
type currentCall struct {
	inCall    bool // a call has begun, or its wrapper has
	wrapped   bool // in <function_calls>
	tentative bool // its block is not open: it may yet be text
	whole     bool // tentative to its end: the tool was not offered
	inParams  bool // in <parameters>
	restarted bool // the model has begun the call that a prefill had opened once more
	attribute bool // <invoke name="…">
	tool      string
	schema    *schema
	seen      map[string]bool // tags of the parameters so far
	repair    string          // why the call is not clean
	misfit    string          // a value did not fit its schema
	lost      []byte          // what could not be read of it: with this it is not whole
}

// startCall marks where text begins that may become a call.
func (p *parser) startCall(t textTag) {
	p.flush()
	p.mark = p.pos
	p.currentCall = currentCall{inCall: true, tentative: true}
	p.setNamespace(t.tag)
}

// giveBack turns what was read since the mark into text: it was no call. After
// calls it is prose, which ends the answer.
func (p *parser) giveBack() state {
	if p.calls > 0 {
		return p.runOn()
	}
	p.giveBackText()
	return textState
}

func (p *parser) giveBackText() {
	said := p.mark + p.hidden
	p.pos = max(p.pos, said)
	raw := bytes.Clone(p.in[said:p.pos])
	p.mark, p.hidden = -1, 0
	p.out = p.out[:0]
	p.currentCall = currentCall{}
	if len(raw) > 0 {
		p.text(raw)
	}
}

// giveBackCall is giveBack for text that has named a tool, or tried to.
func (p *parser) giveBackCall(reason string) state {
	p.outcomes = append(p.outcomes, Outcome{Kind: OutcomeLeaked, Tool: p.tool, Reason: reason})
	wrapped := p.wrapped
	switch {
	case p.calls > 0 && !wrapped:
		return p.runOn()
	case p.calls > 0:
		p.giveBackText()
		p.currentCall = currentCall{inCall: true, wrapped: true}
		return brokenCallState
	}
	p.giveBackText()
	return textState
}

// brokenCallState reads the rest of a call among others that was given back: it
// is text, up to the next call.
func brokenCallState(p *parser) state {
	for {
		rest := p.rest()
		n := bytes.IndexByte(rest, '<')
		if n < 0 {
			n = len(rest)
		}
		if n > 0 {
			p.text(rest[:n])
			p.pos += n
		}
		if n == len(rest) {
			return nil
		}
		t, v := matchTag(rest[n:], p.eof)
		switch {
		case v == matchMore:
			return nil
		case v == matchYes && (t.is("invoke") && !t.closing || isWrapper(t) && t.closing):
			return betweenCallsState
		}
		p.text(rest[n : n+1])
		p.pos++
	}
}

// wrapperState reads on after <function_calls>: to be one, a call must follow.
func wrapperState(p *parser) state {
	if !p.skip() {
		return p.orGiveBack()
	}
	t, v := matchTag(p.rest(), p.eof)
	switch {
	case p.rest()[0] != '<' || v == matchNo:
		return p.giveBack()
	case v == matchMore:
		return nil
	case t.is("invoke") && !t.closing:
		p.setNamespace(t)
		return invokeState
	case t.closing && isWrapper(t):
		return p.emptyBlock(t)
	}
	return p.giveBack()
}

// emptyBlock reads the end of a wrapper without calls: nothing, on lines of its
// own; text, if the line goes on.
func (p *parser) emptyBlock(t tag) state {
	after := p.rest()[t.n:]
	if v := p.newlineAfter(after); v == matchMore {
		return nil
	} else if v == matchNo && len(after) > 0 {
		p.pos += t.n
		return p.giveBack()
	}
	p.pos += t.n
	p.mark, p.hidden = -1, 0
	p.currentCall = currentCall{}
	if p.calls > 0 {
		p.inCall = true
		return betweenCallsState
	}
	return textState
}

// orGiveBack waits for more text, or gives back if there is none.
func (p *parser) orGiveBack() state {
	if p.eof {
		return p.giveBack()
	}
	return nil
}

func isWrapper(t tag) bool {
	for _, known := range textTags {
		if known.kind == tagIsWrapper && t.is(known.name) {
			return true
		}
	}
	return false
}

// invokeState reads <invoke> or <invoke name="…">.
func invokeState(p *parser) state {
	t, v := matchTag(p.rest(), p.eof)
	if v == matchMore {
		return nil
	}
	if v == matchNo {
		return p.giveBack()
	}
	p.pos += t.n
	if name, ok := t.nameAttr(); ok {
		p.attribute = true
		if next := p.named(name); next != nil {
			return next
		}
		if t.empty {
			return p.endCall("")
		}
		return bodyState
	}
	if len(t.attr) > 0 || t.empty {
		return p.giveBack()
	}
	return toolNameState
}

// maxToolName bounds the name of a tool, with blanks around it. The API's own
// bound is 200 (reference/messages-api.md §9).
const maxToolName = 512

// toolNameState reads <tool_name>x</tool_name>, or a bare x that names an offered
// tool and stands before <parameters>.
func toolNameState(p *parser) state {
	if !p.skip() {
		return p.orGiveBack()
	}
	rest := p.rest()
	tagged := rest[0] == '<'
	if tagged {
		t, v := matchTag(rest, p.eof)
		switch {
		case v == matchMore:
			return nil
		case v == matchNo || !t.is("tool_name") || t.closing || t.empty:
			return p.giveBack()
		}
		rest = rest[t.n:]
	}
	end := bytes.IndexByte(rest, '<')
	if end < 0 || end > maxToolName {
		if end < 0 && len(rest) <= maxToolName && !p.eof {
			return nil
		}
		return p.giveBack()
	}
	t, v := matchTag(rest[end:], p.eof)
	if v == matchMore {
		return nil
	}
	name := strings.Trim(string(rest[:end]), " \t\r\n")
	_, offered := p.resolve(name)
	switch {
	case tagged && v == matchYes && t.is("tool_name") && t.closing:
		p.pos = len(p.in) - len(rest) + end + t.n
	case !tagged && v == matchYes && t.is("parameters") && !t.closing && offered:
		p.pos = len(p.in) - len(rest) + end
		p.fix("bare_tool_name")
	default:
		return p.giveBack()
	}
	if next := p.named(name); next != nil {
		return next
	}
	return bodyState
}

// named takes the name of the tool. It returns a state if this is no call.
func (p *parser) named(name string) state {
	tool, offered := p.resolve(name)
	if !offered && !isToolName(name) {
		p.tool = ""
		return p.giveBackCall("tool_name")
	}
	p.tool, p.schema, p.whole = name, stringsSchema, !offered
	if offered {
		p.tool, p.schema = tool.Name, p.schemaOf(tool)
		if tool.Name != name {
			p.fix("name_case")
		}
		if p.wrapped {
			p.commit()
		}
	}
	return nil
}

// schemaOf returns the schema of an offered tool.
func (p *parser) schemaOf(tool *Tool) *schema {
	s := p.schemas[tool]
	if s == nil {
		if p.schemas == nil {
			p.schemas = map[*Tool]*schema{}
		}
		s = compileSchema(tool.InputSchema)
		p.schemas[tool] = s
	}
	return s
}

// stringsSchema is that of a tool that was not offered.
var stringsSchema = &schema{kinds: kindObject, more: stringSchema}

// resolve returns the offered tool that a name stands for: the one of that name,
// or the only one that differs in case alone.
func (p *parser) resolve(name string) (tool *Tool, offered bool) {
	alike := 0
	for i := range p.req.Tools {
		switch t := &p.req.Tools[i]; {
		case t.Name == name:
			return t, true
		case strings.EqualFold(t.Name, name):
			tool = t
			alike++
		}
	}
	return tool, alike == 1
}

// isToolName tells whether the API allows the name (reference/messages-api.md §5).
func isToolName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isNameByte(c) || c == '.' || c == ':' || c >= 0x80 {
			return false
		}
	}
	return name != "" && len(name) <= 128
}

// fix notes that the call was malformed but its meaning certain.
func (p *parser) fix(reason string) {
	if p.repair == "" {
		p.repair = reason
	}
}

// commit opens the block of the call: from here on it is one.
func (p *parser) commit() {
	if !p.tentative {
		return
	}
	p.tentative = false
	p.mark, p.hidden = -1, 0
	p.blank = p.blank[:0]
	p.stopBlock()
	p.open = BlockToolUse
	p.send(Event{Type: ContentBlockStart, Index: p.index, Block: &ContentBlock{
		Type: BlockToolUse, ID: toolUseID(p.req.ID, p.index), Name: p.tool, Input: emptyObject,
	}})
}

var emptyObject = []byte("{}")

// bodyState reads within a call, between its parameters.
func bodyState(p *parser) state {
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
	default:
		p.fix("stray_closer")
	}
	p.pos += t.n
	return bodyState
}

// openingTag reads an opening tag between parameters.
func (p *parser) openingTag(t tag) state {
	tag, closer := string(t.full), string(t.full)
	if t.is("parameter") {
		if name, ok := t.nameAttr(); ok {
			tag, closer = name, "parameter"
		}
	}
	name, _, declared := p.schema.property(tag)
	if closer == tag && !declared {
		if next, ok := p.structureTag(t); ok {
			return next
		}
	}
	if p.object {
		return p.strayTag(t)
	}
	if !p.whole && (p.wrapped || closer != tag || p.inParams || declared) {
		p.commit()
	}
	if closer == tag && !p.inParams {
		p.fix("no_parameters_tag")
	}
	if closer == tag && len(t.attr) > 0 {
		p.fix("attributes")
	}
	return p.startValue(t, name, tag, closer)
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
	case isWrapper(t), t.is("invoke"), t.is("function_results"):
		return p.endCall("missing_closer"), true
	case t.is("tool_name") && (!p.inParams || p.restarted), !p.inParams && (t.is("tool_id") || t.is("id")):
		return p.skipElement(t), true
	default:
		return nil, false
	}
	p.pos += t.n
	return bodyState, true
}

// strayTag reads a tag that has no place in the call.
func (p *parser) strayTag(t tag) state {
	if p.tentative {
		return p.giveBackCall("stray_text")
	}
	p.lost = append(p.lost, p.rest()[:t.n]...)
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
	if len(p.seen) == 0 {
		p.lost = append(p.lost, rest[:n]...)
	}
	p.pos += n
	p.fix("stray_text")
	return bodyState
}

// endAtEOF ends a call whose text has ended between its parameters.
func (p *parser) endAtEOF() state {
	if p.cutShort {
		return p.endIncomplete()
	}
	return p.endCall("missing_closer")
}

// endCall ends a whole call.
func (p *parser) endCall(repair string) state {
	if len(p.lost) > 0 && len(p.seen) == 0 {
		return p.endUnread()
	}
	if repair != "" {
		p.fix(repair)
	}
	p.commit()
	p.endInput()
	o := Outcome{Tool: p.tool, Kind: OutcomeClean}
	switch {
	case p.whole:
		o.Kind = OutcomeUnknownTool
	case p.misfit != "":
		o.Kind, o.Reason = OutcomeTypeFallback, p.misfit
	case p.repair != "":
		o.Kind, o.Reason = OutcomeRepaired, p.repair
	}
	p.outcomes = append(p.outcomes, o)
	p.calls++
	p.currentCall = currentCall{inCall: true, wrapped: p.wrapped}
	if p.req.ToolChoice.DisableParallelToolUse {
		p.callsEnded = true
		return cutState
	}
	return betweenCallsState
}

// endInput closes the JSON object of the input, and the block.
func (p *parser) endInput() {
	switch {
	case p.object:
	case len(p.seen) == 0:
		p.out = append(p.out, '{', '}')
	default:
		p.out = append(p.out, '}')
	}
	p.object = false
	p.closeBlock()
}

// endIncomplete ends a call that was not read to its end. Its input is what had
// arrived of it, as valid JSON; the message's stop_reason says that it is cut.
func (p *parser) endIncomplete() state {
	if p.tentative {
		return p.giveBackCall("incomplete")
	}
	p.endInput()
	p.outcomes = append(p.outcomes, Outcome{Kind: OutcomeIncomplete, Tool: p.tool, Reason: p.repair})
	p.incomplete = true
	return cutState
}

// endUnread ends a call whose parameters could not be read. Its block is open
// and cannot be taken back, so it counts as incomplete; what was not read follows as text.
func (p *parser) endUnread() state {
	lost := p.lost
	p.endInput()
	p.outcomes = append(p.outcomes, Outcome{Kind: OutcomeIncomplete, Tool: p.tool, Reason: p.repair})
	p.incomplete = true
	p.currentCall = currentCall{inCall: true, wrapped: p.wrapped}
	p.text(bytes.TrimSpace(lost))
	return betweenCallsState
}

// betweenCallsState reads after a call: another one, the end of the calls, or
// text, which was written without their results and ends the answer.
func betweenCallsState(p *parser) state {
	if !p.skip() {
		return nil
	}
	t, v := matchTag(p.rest(), p.eof)
	switch {
	case p.rest()[0] != '<' || v == matchNo:
		return p.runOn()
	case v == matchMore:
		return nil
	case t.is("invoke") && !t.closing:
		p.startCallAgain(t)
		return invokeState
	case isWrapper(t) && t.closing:
		p.pos += t.n
		p.wrapped, p.callsEnded = false, true
		return betweenCallsState
	case isWrapper(t):
		p.startCallAgain(t)
		p.wrapped = true
		p.pos += t.n
		return wrapperState
	case t.closing && (t.is("invoke") || t.is("parameters")):
		p.pos += t.n
		return betweenCallsState
	}
	return p.runOn()
}

// startCallAgain is startCall after a call.
func (p *parser) startCallAgain(t tag) {
	wrapped := p.wrapped
	p.callsEnded = false
	p.startCall(textTag{tag: t})
	p.wrapped = wrapped
}

// runOn ends the answer where the model goes on after its calls.
func (p *parser) runOn() state {
	p.blank = p.blank[:0]
	if n := len(p.outcomes); n > 0 && p.outcomes[n-1].Kind == OutcomeClean {
		p.outcomes[n-1].Kind, p.outcomes[n-1].Reason = OutcomeRepaired, "ran_on"
	}
	p.callsEnded = true
	return cutState
}
