package held

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json"

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
			o := See(text[from:from+n], tools, schemaOf)
			if !o.Whole {
				from++
				continue
			}
			if !yield(Found{o.Tool, from, from + n}) {
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

// Seen says how much of a call an object is. The zero value is no call.
type Seen struct {
	Tool    string // the name of the tool
	Offered bool   // the tool is offered
	Plain   bool   // the object has a name that a tool may have, arguments, and nothing else: see Object.IsPlain
	Whole   bool   // the tool is offered, and the call has every parameter that it requires
}

// IsNameless reports whether an object has nothing of a call but arguments, or nothing at all.
func IsNameless(object []byte) bool {
	var o Object
	return json.Unmarshal(object, &o) == nil && !o.isNamed() && len(o.Rest) == 0
}

// See says how much of a call an object is.
func See(object []byte, tools *format.ToolNames, schemaOf func(*messages.Tool) *schema.Schema) Seen {
	o, ok := ReadObject(string(object), tools)
	if !ok {
		return Seen{}
	}
	seen, t := Seen{Tool: o.Tool()}, Tool{Schema: schema.ObjectOfStrings, Unoffered: true}
	if tool, _ := tools.Find(o.Tool()); tool != nil {
		seen.Tool, seen.Offered = tool.Name, true
		t = Tool{Name: tool.Name, Schema: schemaOf(tool)}
	}
	input, _, ok := t.Arguments(&o)
	seen.Plain = ok && o.IsPlain(input) && format.IsToolName(seen.Tool)
	seen.Whole = ok && seen.Offered && len(t.Schema.Missing(rawjson.MemberNames(input))) == 0
	return seen
}
