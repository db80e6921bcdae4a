package held

import (
	"bytes"
	"iter"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// Found is a call in JSON that stands in a text.
type Found struct {
	Tool     string
	From, To int // its object, in bytes of the text
}

// findPerByte bounds the work of Find: how many bytes it reads for each byte of the text.
const findPerByte = 4

// Find yields the calls in JSON in a text, whatever stands around them: objects that name an offered tool, and have all
// that the tool requires.
func Find(text []byte, tools *format.ToolNames, schemaOf func(*messages.Tool) *schema.Schema) iter.Seq[Found] {
	return func(yield func(Found) bool) {
		for from, work := 0, findPerByte*len(text); work > 0; {
			i := bytes.IndexByte(text[from:], '{')
			if i < 0 {
				return
			}
			from += i
			if !hasObjectKey(text[from:]) {
				from++
				continue
			}
			var depth Depth
			n, v := depth.ReadObject(text[from:])
			work -= n
			if v != markup.Match {
				from++
				continue
			}
			tool := namedTool(text[from:from+n], tools, schemaOf)
			if tool == "" {
				from++
				continue
			}
			if !yield(Found{tool, from, from + n}) {
				return
			}
			from += n
		}
	}
}

// hasObjectKey reports whether an object, which text begins with, may begin with one of ObjectKeys.
func hasObjectKey(text []byte) bool {
	rest, quoted := bytes.CutPrefix(bytes.TrimLeft(text[1:min(len(text), 256)], " \t\r\n"), []byte(`"`))
	for _, key := range ObjectKeys {
		if quoted && bytes.HasPrefix(rest, []byte(key+`"`)) {
			return true
		}
	}
	return false
}

// namedTool returns the name of the tool that an object calls; "" if it is no call of an offered tool, or lacks what
// that requires.
func namedTool(object []byte, tools *format.ToolNames, schemaOf func(*messages.Tool) *schema.Schema) string {
	o, ok := ReadObject(string(object), tools)
	if !ok {
		return ""
	}
	tool, _ := tools.Find(o.Tool())
	if tool == nil {
		return ""
	}
	t := Tool{Name: tool.Name, Schema: schemaOf(tool)}
	input, _, ok := t.Arguments(&o)
	if !ok || len(t.Schema.Missing(rawjson.MemberNames(input))) > 0 {
		return ""
	}
	return tool.Name
}
