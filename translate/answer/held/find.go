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

// Found is a JSON call inside a text.
type Found struct {
	Tool     string
	From, To int // the object of the call, in bytes of the text
}

// findPerByte limits the work of Find: how many bytes it reads for each byte of the text.
const findPerByte = 4

// Find yields the JSON calls in a text, regardless of the text around them. A call is an object that names an
// offered tool and has every parameter that the tool requires.
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

// hasObjectKey reports whether the object at the start of text may begin with a name from ObjectKeys.
func hasObjectKey(text []byte) bool {
	rest, quoted := bytes.CutPrefix(bytes.TrimLeft(text[1:min(len(text), 256)], " \t\r\n"), []byte(`"`))
	for _, key := range ObjectKeys {
		if quoted && bytes.HasPrefix(rest, []byte(key+`"`)) {
			return true
		}
	}
	return false
}

// namedTool returns the name of the tool that an object calls. It returns "" if the object calls no offered tool,
// or lacks a required parameter.
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
