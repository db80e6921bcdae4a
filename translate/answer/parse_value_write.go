package answer

import (
	"bytes"
	"cmp"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// How a value is written to the input of the call: a string as it comes, any other value when it is
// whole, since its schema types the whole text.

// beginMember begins the member of the input that the value belongs to.
func (p *parser) beginMember() {
	if p.call.parameters == nil {
		p.call.parameters = map[string]bool{}
	}
	p.call.parameters[p.value.text.Property] = true
	p.out.writeName(p.value.text.Property)
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
	v.edge.Add(s)
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
		if v.text.Schema == nil {
			v.json.Advance(s)
		} else if p.in.offset() >= v.text.JSONTo && held.IsTyped(v.text.Schema) {
			v.text.JSON.Advance(s)
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

// endValue reads the closing tag of the value, of n bytes, and writes what is left of the value. It
// returns inCall, or the state after a call that is broken off.
func (p *parser) endValue(n int) state {
	v := &p.value
	p.in.take(n, SpanMarkup)
	v.open = false
	if v.unclosed { // the white space before the next tag is at the end of the value
		p.call.gap = layout{lines: v.layout.lines, indent: v.layout.indent}
	}
	switch {
	case p.holdsTooMuch():
		return p.closeTooLong()
	case v.text.Schema == nil:
		return p.endObject()
	case v.duplicate:
		return inCall
	case v.mode == modeText:
		return p.endString()
	}
	if v.wraps && p.writeWrapped() {
		return inCall
	}
	before := p.out.gathered()
	p.beginMember()
	begun := p.out.gathered()
	if !p.writeTyped() {
		p.call.misfit = cmp.Or(p.call.misfit, "type")
		v.ambiguous = v.ambiguous || v.markup || v.text.HoldsMarkup() || (v.unclosed || v.misclosed) && bytes.IndexByte(v.held, '<') >= 0
	}
	if !v.heldIsJSON() {
		text := bytes.TrimRight(v.held, " \t\r\n")
		v.endsBlank = len(text) < len(v.layout.trimText(string(v.held), true))
		if v.isDoubtful() {
			p.out.truncate(before)
			return p.closeDoubtful()
		}
	}
	p.call.schema = p.call.schema.Given(v.tag, p.out.buf[begun:])
	p.out.markWhole()
	return inCall
}

// endString is endValue for a string. A doubtful one is left without its closing quote.
func (p *parser) endString() state {
	v := &p.value
	if v.cdata {
		p.writeTail(v.tail)
	} else {
		p.writeTail(v.layout.trim(v.tail, v.unclosed))
	}
	if v.isDoubtful() {
		return p.closeDoubtful()
	}
	p.out.quote()
	p.call.schema = p.call.schema.Given(v.tag, nil)
	p.out.markWhole()
	return inCall
}

// endObject is endValue for an input that is one JSON object. If it cannot be read as JSON it becomes
// stray text of the call, with which closeCall ends it as unreadable.
func (p *parser) endObject() state {
	text := bytes.TrimSpace(p.value.held)
	p.value.held, p.value.json = nil, held.Depth{} // an open quote in it counts no longer: see wouldBeText
	object, unfenced := text, true
	if p.call.fence != "" {
		object, unfenced = bytes.CutSuffix(text, []byte("```"))
	}
	object = bytes.TrimSpace(object)
	if quoted, ok := bytes.CutSuffix(object, []byte(`}"`)); ok { // with a quote too many, which no JSON ends with
		p.noteReason("mended_json")
		object = object[:len(quoted)+1]
	}
	if unfenced {
		p.call.members, p.call.jsonInput = p.out.writeObject(string(object))
	}
	if !p.call.jsonInput {
		p.noteReason("invalid_json")
		if p.isPending() {
			return p.giveBackCall("invalid_json")
		}
		p.in.seen.makeStray()
		p.call.stray = append(append(p.call.stray, p.call.fence...), text...)
		return inCall
	}
	p.call.stray = nil // lines of text before the object
	if p.call.fence != "" {
		p.noteReason("fenced_json")
	}
	if !p.call.parametersOpen {
		p.noteReason("no_parameters_tag")
	}
	return inCall
}

// isDoubtful reports whether it is doubtful that the value that has ended is what the model meant. It
// is not asked for a typed value that is valid JSON, which proves where the value ends.
func (v *valueSeen) isDoubtful() bool {
	return v.ambiguous || v.unclosed && v.endsBlank && !v.cdata || v.unsure && (v.unclosed || v.text.HoldsMarkup())
}

// writeTyped writes the value that was held, as its schema types it, and reports whether it fits.
// The elements of an array may stand each in a parameter of its own: <p>1</p><p>2</p>.
func (p *parser) writeTyped() (fits bool) {
	v := &p.value
	text := p.heldText()
	if array := v.text.Schema.ArraySchema(); array != nil && !v.heldIsJSON() {
		if list := p.repeated(text); list != nil && p.out.writeTypedItems(array, list) {
			return true
		}
	}
	if !v.cdata {
		text = v.layout.trimText(text, v.unclosed)
	}
	if v.isJSON {
		text = p.saidJSON(text)
	}
	if p.isSingleItem(text) && p.out.writeTypedItems(v.text.Schema.ArraySchema(), []markup.Element{{Tag: v.tag, Text: strings.TrimSpace(text)}}) {
		p.noteReason("single_item")
		return true
	}
	return p.out.writeTyped(v.text.Schema, text, p.call.attributeForm)
}

// isSingleItem reports whether a text is the one element of a list of strings: the schema takes nothing else, and
// nothing in the text may part it into several. A word for null is none.
func (p *parser) isSingleItem(text string) bool {
	s := p.value.text.Schema
	return !slices.Contains([]string{"None", "null", "nil"}, strings.TrimSpace(text)) && s.ArraySchema() != nil && s.ListsStrings() && !s.AcceptsString() && strings.TrimSpace(text) != "" && !strings.ContainsAny(strings.TrimSpace(text), ",;[]{}<>\r\n") &&
		!format.FitsText(s, text)
}

// heldText returns the text of the value that was held.
func (p *parser) heldText() string {
	if p.in.showsTokens {
		return markup.BlanksForTokens(string(p.value.held))
	}
	return string(p.value.held)
}

// saidJSON returns what text stands for whose tag says that it is no string: a string in quotes is meant
// without them. A parameter that no schema describes is typed by its text.
func (p *parser) saidJSON(text string) string {
	v := &p.value
	value := jsontext.Value(strings.TrimSpace(text))
	_, _, declared := p.call.schema.PropertyByTag(v.tag)
	str, _ := v.text.Schema.IsString()
	switch {
	case !value.IsValid():
	case v.text.Schema.IsContested(), !declared && (p.call.unoffered || p.call.schema.AdditionalProperties == nil):
		v.text.Schema = format.AnyValue
	case str && value.Kind() == '"':
		return rawjson.Unquote(value)
	}
	return text
}

// repeated reads an array whose elements the model wrote as parameters of the same name. Of
// <p>1</p><p>2</p> the value is 1</p><p>2, and the elements are 1 and 2. It returns nil for any other
// text.
func (p *parser) repeated(text string) (list []markup.Element) {
	v := &p.value
	closer, trim := "</"+v.text.Closer+">", markup.TrimNewlines
	if g := p.call.spelling; g != nil {
		closer = g.Closer()
		if g.Bare {
			trim = func(s string) string { return s }
		}
	}
	ambiguous := false
	if v.layout.padded {
		text = "\n" + text // readValueStart has dropped it, and TrimNewlines has to see it
	}
	for {
		item, rest, more := strings.Cut(text, closer)
		ambiguous = ambiguous || p.holdsOwnTag(item) // it may be two elements, the closing tag of the first being wrong
		if !more {
			if list == nil {
				return nil
			}
			v.ambiguous = v.ambiguous || ambiguous
			if v.unclosed {
				item = v.trimItem(item)
				v.ambiguous = v.ambiguous || v.text.Schema.ListsStrings() && strings.TrimRight(item, " \t\r\n") != item
				return append(list, markup.Element{Tag: v.tag, Text: item})
			}
			return append(list, markup.Element{Tag: v.tag, Text: trim(item)})
		}
		list = append(list, markup.Element{Tag: v.tag, Text: trim(item)})
		rest = strings.TrimLeft(rest, " \t\r\n")
		n := p.ownTagLen(rest)
		if n == 0 {
			return nil
		}
		text = rest[n:]
	}
}

// trimItem returns the text of the last element of a list, which is not closed, without its layout.
func (v *valueSeen) trimItem(item string) string {
	inner := strings.TrimPrefix(strings.TrimPrefix(item, "\r"), "\n")
	l := v.layout
	l.padded = len(inner) < len(item)
	return l.trimText(inner, true)
}

// holdsOwnTag reports whether text holds an opening tag of the parameter, or </parameter>.
func (p *parser) holdsOwnTag(text string) bool {
	for ; ; text = text[1:] {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			return false
		}
		if text = text[i:]; p.ownTagLen(text) > 0 || strings.HasPrefix(text, "</parameter>") {
			return true
		}
	}
}

// ownTagLen returns the length of the opening tag of the parameter at the start of text, or 0.
func (p *parser) ownTagLen(text string) int {
	v := &p.value
	if len(text) < 2 || text[0] != '<' || v.text.Element && text[1] != v.tag[0] && (v.text.Property == "" || text[1] != v.text.Property[0]) {
		return 0
	}
	t, verdict := p.call.spelling.MatchTag([]byte(text[:min(len(text), markup.MaxTagLen)]), true)
	if verdict != markup.Match || t.Closing || t.Empty {
		return 0
	}
	if v.text.Element {
		if string(t.Full) != v.tag || len(t.Attributes) > 0 {
			return 0
		}
		return t.Len
	}
	tag, ok := t.NameAttribute()
	if property, _, _ := p.call.schema.PropertyByTag(tag); !ok || !t.Is("parameter") || property != v.text.Property {
		return 0
	}
	return t.Len
}
