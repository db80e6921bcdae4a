package translate

import (
	"bytes"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// The beginning of a call: its wrapper, <invoke>, and the name of its tool. Until the name is
// that of an offered tool and what follows it belongs to a call, the call is pending: all of it
// may be given back as text.

// readWrapper reads on after <function_calls>: to be a block of calls, a call must follow. An
// empty block is nothing; one that holds something else is text.
func (p *parser) readWrapper() state {
	if !p.in.skipBlanks() {
		return p.waitOrGiveBack()
	}
	rest := p.in.rest()
	t, v := markup.MatchTag(rest, p.in.eof)
	switch {
	case rest[0] == '{':
		return atJSONName
	case rest[0] != '<' || v == markup.NoMatch:
		return p.giveBack()
	case v == markup.NeedMore:
		return wait
	case t.Is("invoke") && !t.Closing:
		p.call.namespace = t.Namespace()
		return atInvoke
	case t.Closing && t.IsWrapper():
		return p.readEmptyBlock(t)
	case t.IsWrapper() || p.calls.whole > 0:
		return p.giveBack()
	}
	p.giveBackText()
	return inForeignBlock
}

// readEmptyBlock reads the end of a wrapper without calls: nothing, on lines of its own; text,
// if the line goes on.
func (p *parser) readEmptyBlock(t markup.Tag) state {
	after := p.in.rest()[t.Len:]
	if v := p.in.matchLineEnd(after); v == markup.NeedMore {
		return wait
	} else if v == markup.NoMatch && len(after) > 0 {
		p.in.take(t.Len)
		return p.giveBack()
	}
	p.in.take(t.Len)
	p.in.unmark()
	p.call, p.out.callInput = callSeen{}, callInput{}
	if p.calls.whole > 0 {
		p.call.begun = true
		return betweenCalls
	}
	return inText
}

// readInvoke reads <invoke>, whose tool is named by the element that follows, or
// <invoke name="…">.
func (p *parser) readInvoke() state {
	t, v := markup.MatchTag(p.in.rest(), p.in.eof)
	if v == markup.NeedMore {
		return wait
	}
	if v == markup.NoMatch {
		return p.giveBack()
	}
	p.in.take(t.Len)
	if name, ok := t.NameAttribute(); ok {
		p.call.attributeForm = true
		if next := p.nameTool(name); next != wait {
			return next
		}
		if t.Empty {
			return p.closeCall("")
		}
		return inCall
	}
	if len(t.Attributes) > 0 || t.Empty {
		return p.giveBack()
	}
	return atToolName
}

// maxToolName bounds the name of a tool, with blanks around it. The API's own bound is 200
// (docs/reference/messages-api.md §9).
const maxToolName = 512

// readToolName reads <tool_name>x</tool_name>, or a bare x that names an offered tool and stands
// before <parameters>.
func (p *parser) readToolName() state {
	if !p.in.skipBlanks() {
		return p.waitOrGiveBack()
	}
	rest, opening := p.in.rest(), 0
	tagged := rest[0] == '<'
	if tagged {
		t, v := markup.MatchTag(rest, p.in.eof)
		switch {
		case v == markup.NeedMore:
			return wait
		case v == markup.NoMatch || !t.Is("tool_name") || t.Closing || t.Empty:
			return p.giveBack()
		}
		opening = t.Len
	}
	rest = rest[opening:]
	end := bytes.IndexByte(rest, '<')
	if end < 0 || end > maxToolName {
		if end < 0 && len(rest) <= maxToolName && !p.in.eof {
			return wait
		}
		return p.giveBack()
	}
	t, v := markup.MatchTag(rest[end:], p.in.eof)
	if v == markup.NeedMore {
		return wait
	}
	name := strings.Trim(string(rest[:end]), " \t\r\n")
	_, offered := p.tools.find(name)
	switch {
	case tagged && v == markup.Match && t.Is("tool_name") && t.Closing:
		p.in.take(opening + end + t.Len)
	case !tagged && v == markup.Match && t.Is("parameters") && !t.Closing && offered:
		p.in.take(end)
		p.noteReason("bare_tool_name")
	default:
		return p.giveBack()
	}
	if next := p.nameTool(name); next != wait {
		return next
	}
	return inCall
}

// nameTool takes the name of the tool. It returns wait, or the state that follows if this is no
// call. In a wrapper, an offered tool makes it one.
func (p *parser) nameTool(name string) state {
	tool, offered := p.tools.find(name)
	if !offered && !isToolName(name) {
		p.call.tool = ""
		return p.giveBackCall("tool_name")
	}
	p.call.tool, p.call.schema, p.call.unoffered = name, schema.ObjectOfStrings, !offered
	if offered {
		p.call.tool, p.call.schema = tool.Name, p.schemas.of(tool)
		p.out.holdsValues = tool.HoldsValues(p.holdsValues)
		if tool.Name != name {
			p.noteReason("name_case")
		}
		if p.call.wrapperOpen {
			p.openCall()
		}
	}
	return wait
}

// isToolName reports whether the API allows the name (docs/reference/messages-api.md §5).
func isToolName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !markup.IsNameByte(c) || c == '.' || c == ':' || c >= 0x80 {
			return false
		}
	}
	return name != "" && len(name) <= 128
}
