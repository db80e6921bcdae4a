package translate

import (
	"bytes"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// The beginning of a call: its wrapper, <invoke>, and the name of its tool. The call is pending until
// it is certain to be one, and until then all of it may be given back as text. In a wrapper it is
// certain with the name of an offered tool, else with the first thing after that name that belongs to
// a call. The call of a tool that is not offered is pending up to its end.

// readWrapper is the state inWrapper: <function_calls>, or another wrapper, has been read, and the
// mark stands before it. A call must follow: <invoke> (atInvoke) or { (atJSONName). An empty wrapper
// is dropped (inText, betweenCalls). One that holds another tag is written as text up to its closing
// tag (inForeignBlock). Before anything else the wrapper is given back.
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

// readEmptyBlock reads the closing tag of a wrapper without calls. If its line ends there, the model
// has called nothing, and the wrapper is dropped; if the line goes on, it is prose about the tags.
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
	p.out.dropInput()
	p.call = callSeen{}
	if p.calls.whole > 0 {
		p.call.begun = true
		return betweenCalls
	}
	return inText
}

// readInvoke is the state atInvoke: <invoke> or <invoke name="…"> is next, and the mark stands before
// it or before its wrapper. After the first, the name of the tool must follow (atToolName); the
// second has it (inCall), and <invoke name="…"/> is a whole call. A tag with other attributes is
// given back.
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
		if next, ok := p.nameTool(name); !ok {
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

// maxToolName bounds the text that is read as the name of a tool, with blanks before and after it.
// The API's own bound is 200 (docs/reference/messages-api.md §9).
const maxToolName = 512

// readToolName is the state atToolName: <invoke> has been read. It reads <tool_name>x</tool_name>, or
// a bare x before <parameters> that is the name of an offered tool (inCall). Before anything else the
// call is given back.
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
	if next, ok := p.nameTool(name); !ok {
		return next
	}
	return inCall
}

// nameTool records the name of the call's tool. In a wrapper, the name of an offered tool makes it
// certain that this is a call. If no tool can have the name, this is none: nameTool gives it back,
// and returns the next state and false.
func (p *parser) nameTool(name string) (next state, ok bool) {
	tool, offered := p.tools.find(name)
	if !offered && !isToolName(name) {
		p.call.tool = ""
		return p.giveBackCall("tool_name"), false
	}
	p.call.tool, p.call.schema, p.call.unoffered = name, schema.ObjectOfStrings, !offered
	if offered {
		p.call.tool, p.call.schema = tool.Name, p.schemas.of(tool)
		p.out.holdsValues = tool.HoldsValues(p.holdsValues)
		if tool.Name != name { // docs/reference/legacy-format.md §12 row 9
			p.noteReason("name_case")
		}
		if p.call.wrapperOpen {
			p.openCall()
		}
	}
	return wait, true
}

// isToolName reports whether the API allows a tool to have the name (docs/reference/messages-api.md §5).
func isToolName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !markup.IsNameByte(c) || c == '.' || c == ':' || c >= 0x80 {
			return false
		}
	}
	return name != "" && len(name) <= 128
}
