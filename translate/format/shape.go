package format

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// shape is how a format writes a call, as data: the text around names and values. The format's
// [markup.Spelling] is how the parser reads calls.
type shape struct {
	// Call is the text before the name of the tool, after the name, and after the parameters.
	Call [3]string
	// empty is the text after the name if there are no parameters; "" means Call[1] and Call[2].
	empty string
	// Param is the text before the name of a parameter, after the name, and after the value. If it
	// is empty, the parameters are one JSON object.
	Param [3]string
	// other is the text after the name of a parameter if the value is not a string; "" means
	// Param[1].
	other string
	// second is the value of a second parameter in the example; "" if the example has only one
	// parameter.
	second string
	// Lines: each value is on lines of its own. sections: a string with markup or a newline is in a
	// CDATA section.
	Lines, sections bool
	// Id is the label of a call, with NAME for the tool's name and N for the number of earlier
	// calls in the conversation. "" means the name alone.
	Id string
}

// Label returns the label of the nth call in a conversation, which names the tool.
func (s *shape) Label(name string, n int) string {
	if s.Id == "" {
		return name
	}
	return strings.NewReplacer("NAME", name, "N", strconv.Itoa(n)).Replace(s.Id)
}

// example is [Format.Example]: a call with one parameter, with before and after as the texts around
// the calls of a turn.
func (s *shape) example(before, after string) string {
	call := before + s.Call[0] + s.Label("$TOOL_NAME", 0) + s.Call[1]
	if s.IsJSON() {
		call += `{"$PARAMETER_NAME": $PARAMETER_VALUE, ...}` + s.Call[2]
	} else {
		value := "$PARAMETER_VALUE"
		if s.Lines {
			value = "\n" + value + "\n"
		}
		call += s.Param[0] + "$PARAMETER_NAME" + s.Param[1] + value + s.Param[2]
		if s.second != "" {
			call += s.Param[0] + "$PARAMETER_NAME_2" + s.Param[1] + strings.Replace(value, "$PARAMETER_VALUE", s.second, 1) + s.Param[2]
		}
		call = strings.TrimSuffix(call, "\n") + "\n...\n" + strings.TrimPrefix(s.Call[2], "\n")
	}
	return strings.TrimSuffix(call+after, "\n") + "\n"
}

// IsJSON reports whether the parameters are one JSON object.
func (s *shape) IsJSON() bool { return s.Param[0] == "" }

// prefill is [Format.CallPrefill].
func (s *shape) prefill(before, name string, n int) string {
	if name == "" {
		text, _, _ := strings.Cut(s.Call[0]+s.Label("\x00", n), "\x00")
		return before + text
	}
	return before + strings.TrimRight(s.Call[0]+s.Label(name, n)+s.Call[1], "\n")
}

// writeShaped is [Format.WriteCall] by the format's shape. If the parser could not read a parameter
// back, all parameters are one JSON object.
func (f *Format) writeShaped(b *markup.Buffer, name string, n int, input jsontext.Value, in *schema.Schema) {
	s := &f.Shape
	before, after, _ := strings.Cut(s.Label("\x00", n), "\x00")
	b.Write(s.Call[0]).Write(before).WriteText(name).Write(after)
	named := len(b.Out)
	begun := len(b.Write(s.Call[1]).Out)
	switch {
	case s.IsJSON():
		b.WriteValue(f.json(input), "")
	case !f.writeParams(b, input, in):
		b.Truncate(begun)
		b.WriteValue(f.json(input), "").Write("\n")
	case len(b.Out) == begun && s.empty != "":
		b.Truncate(named)
		b.Write(s.empty)
		return
	}
	b.Write(s.Call[2])
}

// writeParams writes the parameters as elements. It returns false if the parser could not read one
// of them back: as another value, or because its name does not fit in the tag.
func (f *Format) writeParams(b *markup.Buffer, input jsontext.Value, in *schema.Schema) bool {
	s := &f.Shape
	for name, value := range rawjson.NamedMembers(input) {
		read, ps, _ := in.PropertyByTag(name)
		known := value
		switch typed := f.isTyped(); {
		case typed && value.Kind() == '"':
			known = nil // the tag marks it as a string, which is used as it is
		case typed && ps.IsContested():
			ps = AnyValue // the tag says that it is not a string
		}
		text, ok := f.ElementText(ps, value)
		if f.isTyped() && value.Kind() == '"' && ps.AcceptsString() {
			text, ok = rawjson.Unquote(value), true // the tag says that it is a string
		}
		if !ok || read != name || !s.takesName(name) || b.Escape.Spells(name) {
			return false
		}
		b.Write(s.Param[0]).Write(name)
		if value.Kind() != '"' && s.other != "" {
			b.Write(s.other)
		} else {
			b.Write(s.Param[1])
		}
		switch {
		case s.Lines:
			writeLines(b, text, name)
		case s.sections && isPlainString(ps) && strings.ContainsAny(text, "<&\n") && !strings.Contains(text, "]]>"):
			b.Write("<![CDATA[").WriteText(text).Write("]]>")
		case f.Spelling != nil && f.Spelling.Bare:
			b.WriteValue(text, name)
		default:
			writeOnLines(b, text, name)
		}
		b.Write(s.Param[2])
		in = in.Given(name, known)
	}
	return true
}

// pythonValues is which values are written as in Python.
type pythonValues uint8

const (
	noPython      pythonValues = iota
	pythonScalars              // True, False and None
	pythonAll                  // lists and dicts too
)

// has reports whether values of this kind are written as in Python.
func (p pythonValues) has(k jsontext.Kind) bool {
	return p == pythonAll && k != '"' || p == pythonScalars && (k == 't' || k == 'f' || k == 'n')
}

// pythonText returns a value as Python writes it; it is not a string. If the parser would read that
// as another value, because the schema also allows strings, pythonText returns text, which is the
// value's JSON.
func (f *Format) pythonText(s *schema.Schema, value jsontext.Value, text string) string {
	if repr := string(rawjson.AppendRepr(nil, rawjson.Compact(value))); readsAs(s, repr, value, true) {
		return repr
	}
	return text
}

// isPlainString reports whether a schema allows only strings. Otherwise the parser may read the
// text as JSON.
func isPlainString(s *schema.Schema) bool {
	plain, nullable := s.IsString()
	return plain && !nullable
}

// json returns a value as JSON in the style of the format's calls.
func (f *Format) json(value jsontext.Value) string {
	text := rawjson.CompactString(value)
	if f.spaced {
		text = string(rawjson.AppendSpaced(nil, jsontext.Value(text)))
	}
	return text
}

// ThinkingTag returns the name of the tags around the model's thinking.
func (f *Format) ThinkingTag() string { return cmp.Or(f.thinkTag, "thinking") }

// isTyped reports whether the tag of a value says whether it is a string.
func (f *Format) isTyped() bool { return f.Spelling != nil && f.Spelling.Typed != "" }

// takesName reports whether a parameter's name fits in a tag, in quotes or without.
func (s *shape) takesName(name string) bool {
	breaks := "\"<>&\r\n"
	if !strings.HasSuffix(s.Param[0], `"`) {
		breaks = "\"<>&\r\n'[{"
	}
	return name != "" && len(name) <= markup.MaxParamTagLen && strings.TrimSpace(name) == name && !strings.ContainsAny(name, breaks)
}

// Describe writes the description of a tool: see [Format.tool].
func (f *Format) Describe(w *ToolWriter, t *messages.Tool) error {
	if f.describeTool != nil {
		return f.describeTool(w, t)
	}
	w.Write(f.tool[0])
	if err := w.writeObject(t); err != nil {
		return err
	}
	w.Write(f.tool[1])
	return nil
}

// AddResult writes a result: see [Format.Result].
func (f *Format) AddResult(w resultWriter, tool string, n int, b *messages.BlockParam) {
	if f.writeResult != nil {
		f.writeResult(w, tool, n, b)
		return
	}
	before, after, named := strings.Cut(f.Result[0], "ID")
	w.Write(before)
	if named {
		id, rest, _ := strings.Cut(f.Shape.Label("\x00", n), "\x00")
		w.Write(id).WriteText(tool).Write(rest).Write(after)
	}
	if b.IsError {
		w.Write(w.ErrorLabel())
	}
	w.WriteContent(b.Content)
	w.Write(f.Result[1])
}
