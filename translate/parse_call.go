package translate

import (
	"bytes"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
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
	schema    *schema.Schema
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
func (p *parser) startCall(t markup.TextTag) {
	p.flush()
	p.mark = p.pos
	p.currentCall = currentCall{inCall: true, tentative: true}
	p.setNamespace(t.Tag)
}

// wrapperState reads on after <function_calls>: to be one, a call must follow.
func wrapperState(p *parser) state {
	if !p.skip() {
		return p.orGiveBack()
	}
	t, v := markup.MatchTag(p.rest(), p.eof)
	switch {
	case p.rest()[0] == '{':
		return jsonNameState
	case p.rest()[0] != '<' || v == markup.NoMatch:
		return p.giveBack()
	case v == markup.NeedMore:
		return nil
	case t.Is("invoke") && !t.Closing:
		p.setNamespace(t)
		return invokeState
	case t.Closing && isWrapper(t):
		return p.emptyBlock(t)
	case isWrapper(t) || p.calls > 0:
		return p.giveBack()
	}
	p.giveBackText()
	return foreignBlockState
}

// emptyBlock reads the end of a wrapper without calls: nothing, on lines of its
// own; text, if the line goes on.
func (p *parser) emptyBlock(t markup.Tag) state {
	after := p.rest()[t.Len:]
	if v := p.newlineAfter(after); v == markup.NeedMore {
		return nil
	} else if v == markup.NoMatch && len(after) > 0 {
		p.pos += t.Len
		return p.giveBack()
	}
	p.pos += t.Len
	p.mark, p.hidden = -1, 0
	p.currentCall = currentCall{}
	if p.calls > 0 {
		p.inCall = true
		return betweenCallsState
	}
	return textState
}

func isWrapper(t markup.Tag) bool {
	for _, known := range markup.TextTags {
		if known.Kind == markup.KindWrapper && t.Is(known.Name) {
			return true
		}
	}
	return false
}

// invokeState reads <invoke> or <invoke name="…">.
func invokeState(p *parser) state {
	t, v := markup.MatchTag(p.rest(), p.eof)
	if v == markup.NeedMore {
		return nil
	}
	if v == markup.NoMatch {
		return p.giveBack()
	}
	p.pos += t.Len
	if name, ok := t.NameAttribute(); ok {
		p.attribute = true
		if next := p.named(name); next != nil {
			return next
		}
		if t.Empty {
			return p.endCall("")
		}
		return bodyState
	}
	if len(t.Attributes) > 0 || t.Empty {
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
		t, v := markup.MatchTag(rest, p.eof)
		switch {
		case v == markup.NeedMore:
			return nil
		case v == markup.NoMatch || !t.Is("tool_name") || t.Closing || t.Empty:
			return p.giveBack()
		}
		rest = rest[t.Len:]
	}
	end := bytes.IndexByte(rest, '<')
	if end < 0 || end > maxToolName {
		if end < 0 && len(rest) <= maxToolName && !p.eof {
			return nil
		}
		return p.giveBack()
	}
	t, v := markup.MatchTag(rest[end:], p.eof)
	if v == markup.NeedMore {
		return nil
	}
	name := strings.Trim(string(rest[:end]), " \t\r\n")
	_, offered := p.resolve(name)
	switch {
	case tagged && v == markup.Match && t.Is("tool_name") && t.Closing:
		p.pos = len(p.in) - len(rest) + end + t.Len
	case !tagged && v == markup.Match && t.Is("parameters") && !t.Closing && offered:
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
	p.tool, p.schema, p.whole = name, schema.ObjectOfStrings, !offered
	if offered {
		p.tool, p.schema, p.holds = tool.Name, p.schemaOf(tool), tool.HoldsValues(p.holdsValues)
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
func (p *parser) schemaOf(tool *messages.Tool) *schema.Schema {
	s := p.schemas[tool]
	if s == nil {
		if p.schemas == nil {
			p.schemas = map[*messages.Tool]*schema.Schema{}
		}
		s = schema.Compile(tool.InputSchema)
		p.schemas[tool] = s
	}
	return s
}

// resolve returns the offered tool that a name stands for: the one of that name,
// or the only one that differs in case alone. Both tools and calls may be many, so the
// names are looked up.
func (p *parser) resolve(name string) (tool *messages.Tool, offered bool) {
	if p.tools == nil {
		p.tools = map[string]*messages.Tool{}
		p.alike = map[string][]*messages.Tool{}
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
		if c := name[i]; !markup.IsNameByte(c) || c == '.' || c == ':' || c >= 0x80 {
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
	p.open = messages.BlockToolUse
	p.send(messages.Event{Type: messages.ContentBlockStart, Index: p.index, Block: &messages.ContentBlock{
		Type: messages.BlockToolUse, ID: toolUseID(p.req.ID, p.index), Name: p.tool, Input: emptyObject,
	}})
}

var emptyObject = []byte("{}")
