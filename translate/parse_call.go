package translate

import (
	"bytes"
	"strings"
	"unicode"
)

// currentCall is the call that is being read.
type currentCall struct {
	inCall    bool // a call has begun, or its wrapper has
	wrapped   bool // in <function_calls>
	tentative bool // its block is not open: it may yet be text
	whole     bool // tentative to its end: the tool was not offered
	inParams  bool // in <parameters>
	continued bool // beyond a stop sequence in a value
	restarted bool // the model has begun the call that a prefill had opened once more
	attribute bool // <invoke name="…">
	tool      string
	schema    *schema
	seen      map[string]bool // tags of the parameters so far
	object    bool            // the whole input was one JSON object
	repair    string          // why the call is not clean
	misfit    string          // a value did not fit its schema
	swallowed []swallowed     // parameters that may be text of another's value
	written   int             // bytes of the input that were sent
	wholeTo   int             // bytes of the input up to the end of what came whole of it
	holds     bool            // each parameter is sent when it is whole
	lostTag   bool            // a tag in it is no part of it
	lost      []byte          // what could not be read of it: with this it is not whole
}

// swallowed is a parameter that may be text of the value of another, which begins
// behind so many bytes of the input.
type swallowed struct {
	name string
	from int
}

// startCall marks where text begins that may become a call.
func (p *parser) startCall(t textTag) {
	p.flush()
	p.mark = p.pos
	p.currentCall = currentCall{inCall: true, tentative: true}
	p.setNamespace(t.tag)
}

// wrapperState reads on after <function_calls>: to be one, a call must follow.
func wrapperState(p *parser) state {
	if !p.skip() {
		return p.orGiveBack()
	}
	t, v := matchTag(p.rest(), p.eof)
	switch {
	case p.rest()[0] == '{':
		return jsonNameState
	case p.rest()[0] != '<' || v == matchNo:
		return p.giveBack()
	case v == matchMore:
		return nil
	case t.is("invoke") && !t.closing:
		p.setNamespace(t)
		return invokeState
	case t.closing && isWrapper(t):
		return p.emptyBlock(t)
	case isWrapper(t) || p.calls > 0:
		return p.giveBack()
	}
	p.giveBackText()
	return foreignBlockState
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
		p.tool, p.schema, p.holds = tool.Name, p.schemaOf(tool), tool.holds(p.holdsValues)
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

// resolve returns the offered tool that a name stands for: the one of that name,
// or the only one that differs in case alone. Both tools and calls may be many, so the
// names are looked up.
func (p *parser) resolve(name string) (tool *Tool, offered bool) {
	if p.tools == nil {
		p.tools = map[string]*Tool{}
		p.alike = map[string][]*Tool{}
		for i := range p.req.Tools {
			t := &p.req.Tools[i]
			if p.tools[t.Name] == nil {
				p.tools[t.Name] = t
			}
			p.alike[folded(t.Name)] = append(p.alike[folded(t.Name)], t)
		}
	}
	if tool = p.tools[name]; tool != nil {
		return tool, true
	}
	if alike := p.alike[folded(name)]; len(alike) == 1 {
		return alike[0], true
	}
	return nil, false
}

// folded is the same for names that differ in case alone, as [strings.EqualFold] says.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
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
	p.stopBlock(0)
	p.open = BlockToolUse
	p.send(Event{Type: ContentBlockStart, Index: p.index, Block: &ContentBlock{
		Type: BlockToolUse, ID: toolUseID(p.req.ID, p.index), Name: p.tool, Input: emptyObject,
	}})
}

var emptyObject = []byte("{}")
