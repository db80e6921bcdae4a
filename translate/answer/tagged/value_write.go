package tagged

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// This file writes values to the input of the call. A string is written as it arrives. Any other value is written
// when it is whole, because its type depends on the whole text.

// beginMember begins the member of the input that the value belongs to.
func (r *Reader) beginMember() {
	if r.call.Parameters == nil {
		r.call.Parameters = map[string]bool{}
	}
	r.call.Parameters[r.value.text.Property] = true
	r.out.WriteName(r.value.text.Property)
}

// beginText begins to write the value as a string.
func (r *Reader) beginText() {
	r.value.mode = modeText
	r.beginMember()
	r.out.Quote()
}

// writeValue adds text to the value: it writes or holds the text. s must not be empty.
func (r *Reader) writeValue(s []byte) {
	v := &r.value
	v.edge.Add(s)
	switch v.mode {
	case modeText:
		if v.cdata {
			r.out.WriteEscaped(s)
			return
		}
		r.writeStringValue(s)
	case modeNullable:
		v.held = append(v.held, s...)
		if t := bytes.Trim(v.held, " \t\r\n"); len(v.held) > maxNull || string(t) != "null" && !markup.IsPrefixOf(t, "null") {
			r.writeAsText()
		}
	default:
		v.held = append(v.held, s...)
		if v.text.Schema == nil {
			v.json.Advance(s)
		} else if r.in.Offset() >= v.text.JSONTo && held.IsTyped(v.text.Schema) {
			v.text.JSON.Advance(s)
		}
	}
}

// maxNull limits a null with the white space around it, in bytes.
const maxNull = 64

// writeAsText writes the held text as a string, because it can no longer be null.
func (r *Reader) writeAsText() {
	r.beginText()
	held := r.value.held
	r.value.held = nil
	r.writeValue(held)
}

// endValue reads the closing tag of the value, which has n bytes, and writes the rest of the value. It returns
// inCall, or the state after a call that was broken off.
func (r *Reader) endValue(n int) state {
	v := &r.value
	r.in.Take(n, completion.SpanMarkup)
	v.open = false
	if v.unclosed { // the white space before the next tag is already part of the value's text
		r.open.gap = layout{lines: v.layout.lines, indent: v.layout.indent}
	}
	switch {
	case r.holdsTooMuch():
		return r.tooLong()
	case v.text.Schema == nil:
		return r.endObject()
	case v.duplicate:
		return inCall
	case v.mode == modeText:
		return r.endString()
	}
	if v.wraps && r.writeWrapped() {
		return inCall
	}
	before := r.out.Gathered()
	r.beginMember()
	begun := r.out.Gathered()
	if !r.writeTyped() {
		r.call.Misfit = cmp.Or(r.call.Misfit, messages.ReasonType)
		v.ambiguous = v.ambiguous || v.markup || v.text.HoldsMarkup() || (v.unclosed || v.misclosed) && bytes.IndexByte(v.held, '<') >= 0
	}
	if !v.heldIsJSON() {
		text := bytes.TrimRight(v.held, " \t\r\n")
		v.endsBlank = len(text) < len(v.layout.trimText(string(v.held), true))
		if v.isDoubtful() {
			r.out.Truncate(before)
			return r.doubtful()
		}
	}
	r.call.Schema = r.call.Schema.Given(v.tag, r.out.Written(begun))
	r.markWhole()
	return inCall
}

// markWhole records that a parameter is whole.
func (r *Reader) markWhole() {
	r.out.MarkWhole()
	r.Whole()
}

// endString does what endValue does, for a string. It does not close the quotes of an ambiguous string.
func (r *Reader) endString() state {
	v := &r.value
	if v.cdata {
		r.writeTail(v.tail)
	} else {
		r.writeTail(v.layout.trim(v.tail, v.unclosed))
	}
	if v.isDoubtful() {
		return r.doubtful()
	}
	r.out.Quote()
	r.call.Schema = r.call.Schema.Given(v.tag, nil)
	r.markWhole()
	return inCall
}

// endObject does what endValue does, for an input that is one JSON object. If the object cannot be read as JSON,
// it becomes stray text of the call, and close ends the call as unreadable.
func (r *Reader) endObject() state {
	text := bytes.TrimSpace(r.value.held)
	r.value.held, r.value.json = nil, held.Depth{} // an open quote in it no longer counts: see WouldBeText
	object, unfenced := text, true
	if r.call.Fence != "" {
		object, unfenced = bytes.CutSuffix(text, []byte("```"))
	}
	object = bytes.TrimSpace(object)
	if quoted, ok := bytes.CutSuffix(object, []byte(`}"`)); ok { // an extra quote: no JSON object ends with one
		r.call.NoteReason(messages.ReasonMendedJSON)
		object = object[:len(quoted)+1]
	}
	if unfenced {
		tool := held.Tool{Name: r.call.Tool, Schema: r.call.Schema, Unoffered: r.call.Unoffered}
		if input, ok := rawjson.AppendLooseKind(nil, string(object), '{'); ok {
			inner, slip := tool.Unwrapped(input)
			if slip != messages.ReasonNone {
				r.call.NoteReason(slip)
				object = inner
			}
		}
		if input, ok := r.out.WriteObject(string(object)); ok {
			r.call.NoteInput(input)
		}
	}
	if !r.call.JSONInput {
		r.call.NoteReason(messages.ReasonInvalidJSON)
		if r.IsPending() {
			return r.giveBack(messages.ReasonInvalidJSON)
		}
		r.in.Seen.MakeStray()
		r.call.Stray = append(append(r.call.Stray, r.call.Fence...), text...)
		return inCall
	}
	r.call.Stray = nil // drops lines of text before the object
	if r.call.Fence != "" {
		r.call.NoteReason(messages.ReasonFencedJSON)
	}
	if !r.call.ParametersOpen {
		r.call.NoteReason(messages.ReasonNoParametersTag)
	}
	return inCall
}

// isDoubtful reports whether the value that has ended may not be what the model meant. Callers do not ask for a
// typed value that is valid JSON, because valid JSON proves where the value ends.
func (v *valueSeen) isDoubtful() bool {
	return v.ambiguous || v.unclosed && v.endsBlank && !v.cdata || v.unsure && (v.unclosed || v.text.HoldsMarkup())
}

// writeTyped writes the held value with the type that its schema requires, and reports whether the value fits the
// schema. A model may write each element of an array as a parameter of its own: <p>1</p><p>2</p>.
func (r *Reader) writeTyped() (fits bool) {
	v := &r.value
	text := r.heldText()
	if array := v.text.Schema.ArraySchema(); array != nil && !v.heldIsJSON() {
		if list := r.repeated(text); list != nil && r.out.WriteTypedItems(array, list) {
			return true
		}
	}
	if !v.cdata {
		text = v.layout.trimText(text, v.unclosed)
	}
	if v.isJSON {
		text = r.saidJSON(text)
	}
	if r.isSingleItem(text) && r.out.WriteTypedItems(v.text.Schema.ArraySchema(), []markup.Element{{Tag: v.tag, Text: strings.TrimSpace(text)}}) {
		r.call.NoteReason(messages.ReasonSingleItem)
		return true
	}
	return r.out.WriteTyped(v.text.Schema, text, r.call.AttributeForm)
}

// isSingleItem reports whether text is the only element of a list of strings. The schema must allow only a list,
// and text must not contain anything that may separate elements. A word for null is not an element.
func (r *Reader) isSingleItem(text string) bool {
	s := r.value.text.Schema
	return !slices.Contains([]string{"None", "null", "nil"}, strings.TrimSpace(text)) && s.ArraySchema() != nil && s.ListsStrings() && !s.AcceptsString() && strings.TrimSpace(text) != "" && !strings.ContainsAny(strings.TrimSpace(text), ",;[]{}<>\r\n") &&
		!format.FitsText(s, text)
}

// heldText returns the held text of the value.
func (r *Reader) heldText() string {
	if r.in.ShowsTokens {
		return markup.BlanksForTokens(string(r.value.held))
	}
	return string(r.value.held)
}

// saidJSON returns the text of a value whose opening tag rules out a string. If the schema requires a string,
// saidJSON removes quotes around the text. If no schema describes the parameter, its text decides the type.
func (r *Reader) saidJSON(text string) string {
	v := &r.value
	value := jsontext.Value(strings.TrimSpace(text))
	_, _, declared := r.call.Schema.PropertyByTag(v.tag)
	str, _ := v.text.Schema.IsString()
	switch {
	case !value.IsValid():
	case v.text.Schema.IsContested(), !declared && (r.call.Unoffered || r.call.Schema.AdditionalProperties == nil):
		v.text.Schema = format.AnyValue
	case str && value.Kind() == '"':
		return rawjson.Unquote(value)
	}
	return text
}

// repeated reads an array whose elements the model wrote as parameters with the same name. For example, the value
// of <p>1</p><p>2</p> is 1</p><p>2, and its elements are 1 and 2. For any other text, repeated returns nil.
func (r *Reader) repeated(text string) (list []markup.Element) {
	v := &r.value
	closer, trim := "</"+v.text.Closer+">", markup.TrimNewlines
	if g := r.call.Spelling; g != nil {
		closer = g.Closer()
		if g.Bare {
			trim = func(s string) string { return s }
		}
	}
	ambiguous := false
	if v.layout.padded {
		text = "\n" + text // readValueStart has dropped the newline, and TrimNewlines must see it
	}
	for {
		item, rest, more := strings.Cut(text, closer)
		ambiguous = ambiguous || r.holdsOwnTag(item) // the item may be two elements, if the first has a wrong closing tag
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
		n := r.ownTagLen(rest)
		if n == 0 {
			return nil
		}
		text = rest[n:]
	}
}

// trimItem returns the last element of a list without its layout. The element has no closing tag.
func (v *valueSeen) trimItem(item string) string {
	inner := strings.TrimPrefix(strings.TrimPrefix(item, "\r"), "\n")
	l := v.layout
	l.padded = len(inner) < len(item)
	return l.trimText(inner, true)
}

// holdsOwnTag reports whether text contains an opening tag of the parameter, or </parameter>.
func (r *Reader) holdsOwnTag(text string) bool {
	for ; ; text = text[1:] {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			return false
		}
		if text = text[i:]; r.ownTagLen(text) > 0 || strings.HasPrefix(text, "</parameter>") {
			return true
		}
	}
}

// ownTagLen returns the length of the parameter's opening tag at the start of text. If there is none, it returns
// 0.
func (r *Reader) ownTagLen(text string) int {
	v := &r.value
	if len(text) < 2 || text[0] != '<' || v.text.Element && text[1] != v.tag[0] && (v.text.Property == "" || text[1] != v.text.Property[0]) {
		return 0
	}
	t, verdict := r.call.Spelling.MatchTag([]byte(text[:min(len(text), markup.MaxTagLen)]), true)
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
	if property, _, _ := r.call.Schema.PropertyByTag(tag); !ok || !t.Is("parameter") || property != v.text.Property {
		return 0
	}
	return t.Len
}
