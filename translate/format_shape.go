package translate

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

// shape is how a format writes a call, as data: what stands around names and values. How a model may
// write it is the format's [markup.Spelling].
type shape struct {
	// call stands before the name of the tool, behind it, and behind the parameters.
	call [3]string
	// empty stands behind the name of a call without parameters; "" for call[1] and call[2].
	empty string
	// param stands before the name of a parameter, behind it, and behind the value. With none, the
	// parameters are one JSON object.
	param [3]string
	// other stands behind the name of a parameter whose value is no string; "" for param[1].
	other string
	// second is the value of a second parameter in the example, if that shows one.
	second string
	// lines says that each value stands on lines of its own, and sections that a string with a character of
	// markup or a newline in it stands in a CDATA section.
	lines, sections bool
	// id is what stands for the name of the tool: NAME is that name, and N how many calls the
	// conversation has had before. "" is the name alone.
	id string
}

// label returns what stands for the name of the tool in the nth call of a conversation.
func (s *shape) label(name string, n int) string {
	if s.id == "" {
		return name
	}
	return strings.NewReplacer("NAME", name, "N", strconv.Itoa(n)).Replace(s.id)
}

// example is [format.example]: a call with one parameter, between what stands around the calls of a turn.
func (s *shape) example(before, after string) string {
	call := before + s.call[0] + s.label("$TOOL_NAME", 0) + s.call[1]
	if s.isJSON() {
		call += `{"$PARAMETER_NAME": $PARAMETER_VALUE, ...}` + s.call[2]
	} else {
		value := "$PARAMETER_VALUE"
		if s.lines {
			value = "\n" + value + "\n"
		}
		call += s.param[0] + "$PARAMETER_NAME" + s.param[1] + value + s.param[2]
		if s.second != "" {
			call += s.param[0] + "$PARAMETER_NAME_2" + s.param[1] + strings.Replace(value, "$PARAMETER_VALUE", s.second, 1) + s.param[2]
		}
		call = strings.TrimSuffix(call, "\n") + "\n...\n" + strings.TrimPrefix(s.call[2], "\n")
	}
	return strings.TrimSuffix(call+after, "\n") + "\n"
}

// isJSON reports whether the parameters are one JSON object.
func (s *shape) isJSON() bool { return s.param[0] == "" }

// prefill is [format.callPrefill].
func (s *shape) prefill(before, name string, n int) string {
	if name == "" {
		text, _, _ := strings.Cut(s.call[0]+s.label("\x00", n), "\x00")
		return before + text
	}
	return before + strings.TrimRight(s.call[0]+s.label(name, n)+s.call[1], "\n")
}

// appendShaped is [format.appendCall] by the shape of the format. Where a parameter cannot be written so
// that the parser reads it back, all stand as one JSON object.
func (f *format) appendShaped(e *markup.Escaper, dst []byte, name string, n int, input jsontext.Value, in *schema.Schema) []byte {
	s := &f.shape
	dst = append(dst, s.call[0]...)
	before, after, _ := strings.Cut(s.label("\x00", n), "\x00")
	dst = append(e.AppendText(append(dst, before...), name), after...)
	begun := len(dst)
	dst = append(dst, s.call[1]...)
	if !s.isJSON() {
		params, ok := f.appendParams(e, dst, input, in)
		switch {
		case ok && len(params) == len(dst) && s.empty != "":
			return append(params[:begun], s.empty...)
		case ok:
			return append(params, s.call[2]...)
		}
	}
	dst = e.AppendValue(dst, f.json(input), "")
	if !s.isJSON() {
		dst = append(dst, '\n')
	}
	return append(dst, s.call[2]...)
}

// appendParams appends the parameters as elements. It reports false if one cannot be written so that
// the parser reads it back: it would be read as another value, or its name cannot stand there.
func (f *format) appendParams(e *markup.Escaper, dst []byte, input jsontext.Value, in *schema.Schema) ([]byte, bool) {
	s := &f.shape
	for name, value := range rawjson.NamedMembers(input) {
		read, ps, _ := in.PropertyByTag(name)
		known := value
		switch typed := f.isTyped(); {
		case typed && value.Kind() == '"':
			known = nil // its tag says that it is a string, which is sent as it comes
		case typed && ps.IsContested():
			ps = anyValue // its tag says that it is no string
		}
		text, ok := valueText(ps, value, true)
		if k := value.Kind(); ok && (k == '{' || k == '[') {
			text = f.json(value)
		}
		if ok && f.python.has(value.Kind()) {
			text = f.pythonText(ps, value, text)
		}
		if f.isTyped() && value.Kind() == '"' && ps.AcceptsString() {
			text, ok = rawjson.Unquote(value), true // its tag says that it is a string
		}
		if !ok || read != name || !s.takesName(name) {
			return dst, false
		}
		dst = append(append(dst, s.param[0]...), name...)
		if value.Kind() != '"' && s.other != "" {
			dst = append(dst, s.other...)
		} else {
			dst = append(dst, s.param[1]...)
		}
		switch {
		case s.lines:
			dst = appendLines(e, dst, text, name)
		case s.sections && isPlainString(ps) && strings.ContainsAny(text, "<&\n") && !strings.Contains(text, "]]>"):
			dst = append(e.AppendText(append(dst, "<![CDATA["...), text), "]]>"...)
		case f.spelling != nil && f.spelling.Bare:
			dst = e.AppendValue(dst, text, name)
		default:
			dst = appendOnLines(e, dst, text, name)
		}
		dst = append(dst, s.param[2]...)
		in = in.Given(name, known)
	}
	return dst, true
}

// pythonValues says which values stand as Python writes them.
type pythonValues uint8

const (
	noPython      pythonValues = iota
	pythonScalars              // True, False and None
	pythonAll                  // lists and dicts, too
)

// has reports whether a value of the kind is one of them.
func (p pythonValues) has(k jsontext.Kind) bool {
	return p == pythonAll && k != '"' || p == pythonScalars && (k == 't' || k == 'f' || k == 'n')
}

// pythonText returns a value that is no string as Python writes it; or text, which is its JSON, where that
// would not be read as the value: a schema that takes strings as well has it for one.
func (f *format) pythonText(s *schema.Schema, value jsontext.Value, text string) string {
	if repr := string(rawjson.AppendRepr(nil, rawjson.Compact(value))); readsAs(s, repr, value, true) {
		return repr
	}
	return text
}

// isPlainString reports whether a schema takes strings alone. Text of any other value may be read as JSON.
func isPlainString(s *schema.Schema) bool {
	plain, nullable := s.IsString()
	return plain && !nullable
}

// json returns a value as JSON, as the format writes it in calls.
func (f *format) json(value jsontext.Value) string {
	text := rawjson.CompactString(value)
	if f.spaced {
		text = string(rawjson.AppendSpaced(nil, jsontext.Value(text)))
	}
	return text
}

// thinkingTag returns the name of the tags around what the model thinks aloud.
func (f *format) thinkingTag() string { return cmp.Or(f.thinkTag, "thinking") }

// isTyped reports whether the tag of a value says that it is a string.
func (f *format) isTyped() bool { return f.spelling != nil && f.spelling.Typed != "" }

// takesName reports whether the name of a parameter can stand where a tag has it: in quotes, or with
// nothing around it.
func (s *shape) takesName(name string) bool {
	breaks := "\"<>&\r\n"
	if !strings.HasSuffix(s.param[0], `"`) {
		breaks = "\"<>&\r\n'[{"
	}
	return name != "" && len(name) <= markup.MaxParamTagLen && strings.TrimSpace(name) == name && !strings.ContainsAny(name, breaks)
}

// describe writes the description of a tool: see [format.tool].
func (f *format) describe(w *toolWriter, t *messages.Tool) error {
	if f.describeTool != nil {
		return f.describeTool(w, t)
	}
	w.write(f.tool[0])
	if err := w.writeObject(t); err != nil {
		return err
	}
	w.write(f.tool[1])
	return nil
}

// addResult writes a result: see [format.result].
func (f *format) addResult(w resultWriter, tool string, n int, b *messages.BlockParam) {
	if f.writeResult != nil {
		f.writeResult(w, tool, n, b)
		return
	}
	before, after, named := strings.Cut(f.result[0], "ID")
	w.write(before)
	if named {
		id, rest, _ := strings.Cut(f.shape.label("\x00", n), "\x00")
		w.write(id)
		w.writeEscaped(tool)
		w.write(rest, after)
	}
	if b.IsError {
		w.write(w.errorLabel())
	}
	w.writeContent(b.Content)
	w.write(f.result[1])
}
