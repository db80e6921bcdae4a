package translate

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// How a value is written to the input of the call: a string as it comes, any other value when it is
// whole, since its schema types the whole text.

// beginMember begins the member of the input that the value belongs to.
func (p *parser) beginMember() {
	if p.call.parameters == nil {
		p.call.parameters = map[string]bool{}
	}
	p.call.parameters[p.value.property] = true
	p.out.writeName(p.value.property)
}

// beginText begins to write the value as a string, as it comes.
func (p *parser) beginText() {
	p.value.mode = modeText
	p.beginMember()
	p.out.quote()
}

// writeValue adds text to the value: it is written, or held. It is not empty.
func (p *parser) writeValue(s []byte) {
	v := &p.value
	v.hasTags = v.hasTags || holdsTag(s)
	switch v.mode {
	case modeText:
		if v.cdata {
			p.out.writeEscaped(s)
			return
		}
		p.writeStringValue(s)
	case modeNullable:
		v.held = append(v.held, s...)
		if t := bytes.Trim(v.held, " \t\r\n"); len(v.held) > maxNull || string(t) != "null" && !markup.IsPrefixOf(t, "null") {
			p.writeAsText()
		}
	default:
		v.held = append(v.held, s...)
		if v.schema == nil {
			v.json.advance(s)
		}
	}
}

// maxNull bounds a null with white space around it.
const maxNull = 64

// writeAsText writes a value as a string that might have been null until now.
func (p *parser) writeAsText() {
	p.beginText()
	held := p.value.held
	p.value.held = nil
	p.writeValue(held)
}

// writeStringValue writes text of a value that is a string. A newline at the end of s is kept in
// lastNewline until more text comes, since it may be layout: see endsInLayout. It is called for each
// piece of a string that feedPlain cannot pass on, and must not allocate.
func (p *parser) writeStringValue(s []byte) {
	v := &p.value
	if v.lastNewline == "\r" && s[0] == '\n' {
		v.lastNewline, s = "\r\n", s[1:]
		if len(s) == 0 {
			return
		}
	}
	wrote := v.lastNewline != ""
	if wrote {
		p.out.writeEscapedString(v.lastNewline)
		v.lastNewline = ""
	}
	n := len(s)
	switch {
	case s[n-1] == '\n' && n > 1 && s[n-2] == '\r':
		v.lastNewline = "\r\n"
	case s[n-1] == '\n':
		v.lastNewline = "\n"
	case s[n-1] == '\r':
		v.lastNewline = "\r"
	}
	if s = s[:n-len(v.lastNewline)]; len(s) > 0 {
		v.endsBlank = markup.IsBlank(s[len(s)-1])
	} else {
		v.endsBlank = v.endsBlank || wrote
	}
	p.out.writeEscaped(s)
}

// endsInLayout reports whether the newline at the end of the value is layout. It is if a newline also
// stood after the opening tag, so that the value is on lines of its own, or if the value's closing
// tag is missing, so that the newline stands before a tag of the call. Otherwise it belongs to the
// value, like the last newline of a file.
func (v *valueSeen) endsInLayout() bool { return (v.padded || v.unclosed) && !v.cdata }

// endValue reads the closing tag of the value, of n bytes, and writes what is left of the value. It
// returns inCall, or the state after a call that is broken off.
func (p *parser) endValue(n int) state {
	v := &p.value
	p.in.take(n)
	v.open = false
	switch {
	case p.holdsTooMuch():
		return p.closeTooLong()
	case v.schema == nil:
		return p.endObject()
	case v.duplicate:
		return inCall
	case v.mode == modeText:
		return p.endString()
	}
	before := p.out.gathered()
	p.beginMember()
	if !p.writeTyped() {
		p.call.misfit = cmp.Or(p.call.misfit, "type")
		v.ambiguous = v.ambiguous || v.siblings.depth != nil
	}
	if !jsontext.Value(bytes.TrimSpace(v.held)).IsValid() {
		text := bytes.TrimRight(v.held, " \t\r\n")
		v.endsBlank = len(text) < len(markup.TrimLastNewline(string(v.held)))
		if p.isDoubtful() {
			p.out.truncate(before)
			return p.closeDoubtful()
		}
		p.noteSwallowed()
	}
	p.out.markWhole()
	return inCall
}

// endString is endValue for a string. A doubtful one is left without its closing quote.
func (p *parser) endString() state {
	v := &p.value
	if v.lastNewline == "\r" || !v.endsInLayout() {
		p.out.writeEscapedString(v.lastNewline)
	}
	if p.isDoubtful() {
		return p.closeDoubtful()
	}
	p.out.quote()
	p.noteSwallowed()
	p.out.markWhole()
	return inCall
}

// endObject is endValue for an input that is one JSON object. If it cannot be read as JSON it becomes
// stray text of the call, with which closeCall ends it as unreadable.
func (p *parser) endObject() state {
	text := bytes.TrimSpace(p.value.held)
	p.value.held, p.value.json = nil, jsonDepth{} // an open quote in it counts no longer: see wouldBeText
	p.call.jsonInput = p.out.writeObject(string(text))
	if !p.call.jsonInput {
		p.noteReason("invalid_json")
		if p.call.unoffered {
			return p.giveBackCall("invalid_json")
		}
		p.call.stray = text
		return inCall
	}
	if !p.call.parametersOpen {
		p.noteReason("no_parameters_tag")
	}
	return inCall
}

// writeTyped writes the value that was held, as its schema types it, and reports whether it fits.
// The elements of an array may stand each in a parameter of its own: <p>1</p><p>2</p>.
func (p *parser) writeTyped() (fits bool) {
	v := &p.value
	text := string(v.held)
	if array := v.schema.ArraySchema(); array != nil {
		if list := v.repeated(text, p.call.schema); list != nil && p.out.writeTypedItems(array, list) {
			return true
		}
	}
	if v.endsInLayout() {
		text = markup.TrimLastNewline(text)
	}
	return p.out.writeTyped(v.schema, text)
}

// repeated reads an array whose elements the model wrote as parameters of the same name. Of
// <p>1</p><p>2</p> the value is 1</p><p>2, and the elements are 1 and 2. It returns nil for any other
// text. s is the schema of the call's input.
func (v *valueSeen) repeated(text string, s *schema.Schema) (list []markup.Element) {
	closer := "</" + v.closer + ">"
	ambiguous := false
	if v.padded {
		text = "\n" + text // readValueStart has dropped it, and TrimNewlines has to see it
	}
	for {
		item, rest, more := strings.Cut(text, closer)
		ambiguous = ambiguous || v.holdsOwnTag(item, s) // it may be two elements, the closing tag of the first being wrong
		if !more {
			if list == nil {
				return nil
			}
			v.ambiguous = ambiguous
			if v.unclosed {
				item = markup.TrimLastNewline(item)
			}
			return append(list, markup.Element{Tag: v.tag, Text: markup.TrimNewlines(item)})
		}
		list = append(list, markup.Element{Tag: v.tag, Text: markup.TrimNewlines(item)})
		rest = strings.TrimLeft(rest, " \t\r\n")
		n := v.ownTagLen(rest, s)
		if n == 0 {
			return nil
		}
		text = rest[n:]
	}
}

// holdsOwnTag reports whether text holds an opening tag of the parameter, or </parameter>.
func (v *valueSeen) holdsOwnTag(text string, s *schema.Schema) bool {
	for ; ; text = text[1:] {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			return false
		}
		if text = text[i:]; v.ownTagLen(text, s) > 0 || strings.HasPrefix(text, "</parameter>") {
			return true
		}
	}
}

// ownTagLen returns the length of the opening tag of the parameter at the start of text, or 0.
func (v *valueSeen) ownTagLen(text string, s *schema.Schema) int {
	if len(text) < 2 || text[0] != '<' || v.element && text[1] != v.tag[0] && (v.property == "" || text[1] != v.property[0]) {
		return 0
	}
	t, verdict := markup.MatchTag([]byte(text[:min(len(text), markup.MaxTagLen)]), true)
	if verdict != markup.Match || t.Closing || t.Empty {
		return 0
	}
	if v.element {
		if string(t.Full) != v.tag || len(t.Attributes) > 0 {
			return 0
		}
		return t.Len
	}
	tag, ok := t.NameAttribute()
	if property, _, _ := s.PropertyByTag(tag); !ok || !t.Is("parameter") || property != v.property {
		return 0
	}
	return t.Len
}

// holdsTag reports whether s holds what looks like a tag: `<` with a slash or a name after it.
func holdsTag(s []byte) bool {
	for {
		i := bytes.IndexByte(s, '<')
		if i < 0 || i+1 == len(s) {
			return false
		}
		if c := s[i+1]; c == '/' || markup.IsTagByte(c) {
			return true
		}
		s = s[i+1:]
	}
}
