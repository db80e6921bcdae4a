package held

import (
	"bytes"
	"iter"
	"strings"

	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// shapes are texts in the shape of a call that Dragoman reads in no format.
var shapes = []struct {
	opener string
	line   bool // the opener begins a line
	// name returns the name of the tool in the text behind the opener. ok: the text goes on like a call. An empty name
	// is that of a call without one.
	name func(rest []byte) (name []byte, ok bool)
}{
	{"Action:", true, nameBeforeInput}, // ReAct
	{"[Calling tool:", false, nameBeforeBracket},
	{"functions.", false, nameBeforeBracket},
	{"<call_record ", false, nameInAttribute},
	{"<tool_invocation ", false, nameInAttribute},
	{"<tool_call:", false, nameInElement}, // tags with a suffix and without it
	{"[TOOL_CALL]", true, func([]byte) ([]byte, bool) { return nil, true }},
	{"<invoke>", false, func(rest []byte) ([]byte, bool) {
		return nil, bytes.HasPrefix(rest[markup.SkipBlanks(rest, 0, markup.MaxTagBlanks):], []byte("<parameters>"))
	}},
}

// maxShape limits how much text behind an opener is read for the name, in bytes.
const maxShape = 256

// FindShapes yields text in the shape of a call to one of the tools, or to a tool without a name. The work for each byte
// is limited.
func FindShapes(text []byte, tools *format.ToolNames) iter.Seq[Found] {
	return func(yield func(Found) bool) {
		for i := 0; i < len(text); i++ {
			for _, s := range shapes {
				if !markup.HasPrefix(text[i:], s.opener) || i > 0 && (s.line && text[i-1] != '\n' || markup.IsNameByte(text[i-1]) && markup.IsNameByte(text[i])) {
					continue
				}
				name, ok := s.name(text[i+len(s.opener):])
				if !ok {
					continue
				}
				found := Found{From: i, To: i + len(s.opener)}
				if tool, _ := tools.Find(string(name)); tool != nil {
					found.Tool = tool.Name
				}
				if (len(name) == 0 || found.Tool != "") && !yield(found) {
					return
				}
			}
		}
	}
}

// nameBeforeInput returns the rest of the line, before a line that begins with Action Input.
func nameBeforeInput(rest []byte) (name []byte, ok bool) {
	line, behind, _ := bytes.Cut(rest, []byte("\n"))
	name = bytes.TrimSpace(line[:min(len(line), maxShape)])
	return name, len(name) > 0 && bytes.HasPrefix(bytes.TrimLeft(behind[:min(len(behind), maxShape)], "\r\n"), []byte("Action Input:"))
}

// nameBeforeBracket returns the text before an opening parenthesis.
func nameBeforeBracket(rest []byte) (name []byte, ok bool) {
	name, _, ok = bytes.Cut(rest[:min(len(rest), maxShape)], []byte("("))
	name = bytes.TrimSpace(name)
	return name, ok && len(name) > 0
}

// nameInElement returns the text between the end of a tag and the next tag.
func nameInElement(rest []byte) (name []byte, ok bool) {
	_, behind, _ := bytes.Cut(rest[:min(len(rest), maxShape)], []byte(">"))
	name, _, ok = bytes.Cut(behind, []byte("<"))
	name = bytes.TrimSpace(name)
	return name, ok && len(name) > 0
}

// nameInAttribute returns the value of the attribute tool or name of a tag.
func nameInAttribute(rest []byte) (name []byte, ok bool) {
	rest = rest[:min(len(rest), maxShape)]
	if end := bytes.IndexAny(rest, "<>"); end >= 0 {
		rest = rest[:end]
	}
	for _, attribute := range []string{`tool="`, `name="`} {
		if _, value, found := strings.Cut(" "+string(rest), " "+attribute); found {
			value, _, ok = strings.Cut(value, `"`)
			return []byte(value), ok && value != ""
		}
	}
	return nil, false
}
