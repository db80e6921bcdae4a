package tagged

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file reads the value of a parameter, from its opening tag to its end. A value is ordinary text, with tags
// and entities as the model wrote them. value_end.go decides where the value ends, and value_write.go writes it.

// valueSeen records what has been read of the open value.
type valueSeen struct {
	open bool   // the value has begun and has not ended
	tag  string // the name of the parameter in its opening tag

	mode        valueMode
	held        []byte     // the text so far, if its type is decided when the value is whole
	validLen    int        // how much of held was JSON at the last check: see heldIsJSON
	json        held.Depth // the nesting of an input that is one JSON object
	duplicate   bool       // the parameter was given before
	unbracketed bool       // the closing tag may lack its `</`
	isJSON      bool       // the opening tag rules out a string: if the text is JSON, it is read as JSON
	cdata       bool       // the value began with <![CDATA[
	section     section    // that CDATA section
	wraps       bool       // the value may be the whole input: see wrapsInput
	unnamed     bool       // the opening tag is missing: see nested.go
	elements    []string   // the names of the open elements in a nested value; nil before the first element
	ahead       ahead      // the value's closing tag, in a nested value with tags of a call
	layout      layout     // the white space around the tags of the value
	tail        []byte     // white space at the end of the string so far, which may be layout
	atStart     bool       // nothing of the string was written, and white space at its beginning may be layout
	edge        held.Edge  // the end of the value so far
	endsBlank   bool       // the text that was written ends with white space
	looked      int        // how far Plain has scanned the unread text; scanValue continues there
	blankAfter  int        // how much white space mayFollow has read after a closing tag; it continues there

	closerStarts format.ByteSet // the first bytes of the names that matter in closing tags
	openerStarts format.ByteSet // the first bytes of the names that matter in opening tags
	names        format.ByteSet // the keys of the names of declared parameters: see nameKey
	oddNames     bool           // a declared name has a blank or a slash: see asDeclared
	unclosed     bool           // the value has no closing tag of its own: the tag after it ended it
	misclosed    bool           // the closing tag of the value is wrong or missing
	ambiguous    bool           // a tag in the value may have ended it, or a tag in a list may separate other elements
	markup       bool           // the value contains incomplete markup: see held.End.Markup
	unsure       bool           // the value contains too much doubtful text to be certain where it ends

	text held.Value // the parameter and the tags in the value; without a schema, the value is the whole input
}

// valueMode says when a value is written to the emitter.
type valueMode uint8

const (
	modeText     valueMode = iota // as it arrives: a string
	modeNullable                  // as it arrives, as soon as it can no longer be null: a string or null
	modeHeld                      // when it is whole, because its type depends on the whole text
)

// beginValue reads t, the opening tag of a parameter, and begins its value. element: the name of the tag is the
// name of the parameter, as in <note>. If element is false, an attribute contains the name.
func (r *Reader) beginValue(t markup.Tag, property, tag string, element bool) state {
	r.in.Take(t.Len, completion.SpanMarkup)
	if ends := r.open.ends; len(ends) > 0 && !t.Empty && ends[0].From != r.in.Offset() {
		return r.doubtful() // package held has settled on another tag as the beginning of the next value
	}
	closer := tag
	if !element {
		closer = "parameter"
	}
	_, s, _ := r.call.Schema.PropertyByTag(tag)
	tail := r.value.tail
	r.value = valueSeen{open: true, tag: tag, mode: modeHeld, unbracketed: r.call.Unbracketed}
	r.value.layout, r.value.tail = r.open.before, tail[:0]
	r.value.text = held.Value{Property: property, Closer: closer, Element: element, Schema: s}
	r.noteStarts()
	str, nullable := s.IsString()
	if g := r.call.Spelling; g != nil && g.Typed != "" && s.AcceptsString() {
		switch is, _ := t.Attribute(g.Typed); is {
		case "true", "string": // the model calls the value a string, and the schema allows a string
			str, nullable = true, false
		case "false", "number", "integer", "boolean", "null", "object", "array":
			str, r.value.isJSON = false, true
		}
	}
	r.value.wraps = r.wrapsInput(tag)
	if r.value.wraps || r.in.ShowsTokens { // such a value is read when it is whole
		str = false
	}
	switch {
	case r.call.Parameters[property] && s.ArraySchema() != nil: // the two values may be elements of one list
		return r.doubtful()
	case r.call.Parameters[property]:
		r.call.NoteReason(messages.ReasonDuplicateParameter) // a JSON object has room for one value, and the first has been written
		r.value.duplicate = true
	case str && nullable:
		r.value.mode = modeNullable
	case str:
		r.beginText()
	}
	if t.Empty {
		return r.endValue(0)
	}
	return atValue
}

// beginObject begins an input that is one JSON object. The next character is {. The object is read as a value
// without a schema.
func (r *Reader) beginObject() state {
	r.value = valueSeen{open: true, mode: modeHeld}
	r.noteStarts()
	return inValue
}

// readValueStart is the function of the state atValue. It drops the text between the opening tag and the value
// (inValue). That is <![CDATA[ with the white space before it, or one newline, which is layout.
func (r *Reader) readValueStart() state {
	rest := r.in.Rest()
	n := 0
	g := r.call.Spelling
	switch {
	case g != nil && g.Bare:
	case len(rest) > 0 && rest[0] == '\n':
		n = 1
	case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
		n = 2
	}
	i, v := r.in.MatchBlanks(rest, n, markup.MaxTagBlanks)
	switch {
	case g != nil && !g.CDATA && (n > 0 || len(rest) > 0 && string(rest) != "\r"):
	case v == markup.NeedMore, n == 0 && string(rest) == "\r" && !r.in.EOF:
		return wait
	case v == markup.Match && markup.HasPrefix(rest[i:], cdataBegins):
		r.value.cdata = true
		r.in.Take(i+len(cdataBegins), completion.SpanMarkup)
		return inValue
	case v == markup.Match && markup.IsPrefixOf(rest[i:], cdataBegins) && !r.in.EOF:
		return wait
	}
	r.in.Take(n, completion.SpanMarkup)
	r.value.text.From = r.in.Offset()
	r.value.layout.padded = n > 0
	r.value.atStart = n > 0 && r.value.layout.indent
	return inValue
}

// readValue is the function of the state inValue. It writes the value up to its end (inCall). If the text ends
// before the value does, readValue breaks off the call. Undecided text at such a cut may be layout or the
// beginning of a tag, so it is not part of the value: readValue takes back what readValueText has written of it.
func (r *Reader) readValue() state { return r.readValueBy((*Reader).readValueText) }

// readValueBy does what readValue does. read writes the part of the value that is already certain.
func (r *Reader) readValueBy(read func(*Reader) state) state {
	if !r.in.EOF {
		return read(r)
	}
	before, gathered, from := r.value, r.out.Gathered(), r.in.Offset()
	next := read(r)
	for next == r.state {
		next = read(r)
	}
	if next != wait {
		return next
	}
	r.value = before
	r.out.Truncate(gathered)
	r.in.Reread(from, completion.SpanDropped)
	return r.breakOffValue()
}

// readValueText writes the part of the value that is already certain. If it finds the end of the value, it ends
// the value. If not, it returns wait.
func (r *Reader) readValueText() state {
	v := &r.value
	for {
		rest := r.in.Rest()
		if len(rest) == 0 {
			break
		}
		if r.holdsTooMuch() {
			return r.tooLong()
		}
		if ends := r.open.ends; len(ends) > 0 && ends[0].Again && ends[0].At == r.in.Offset() {
			r.open.ends = ends[1:]
			r.call.NoteReason(messages.ReasonRestarted)
			r.in.Take(ends[0].Len, completion.SpanMarkup)
			return atValue
		}
		n, end, d := r.scanValue(rest)
		if n > 0 {
			r.writeValue(rest[:n])
			r.in.Take(n, completion.SpanValue)
		}
		switch {
		case d == endsValue:
			return r.endValue(end)
		case d == needsMore:
			return wait
		case d == isDoubt:
			return r.beginDoubt()
		case n < len(rest) && rest[n] == ']' && v.cdata:
			return r.readCDATAEnd(rest[n:])
		case n < len(rest) && rest[n] == '&' && r.escaped.Tags != 0 && !r.in.ReadEntity(r.escaped, v.tag, completion.SpanValue, r.writeValue):
			return wait
		}
	}
	if v.mode == modeText && !v.cdata && !v.unbracketed && !r.in.IsMarked() && r.in.Seen == nil {
		r.plain = true
	}
	return wait
}

// readCDATAEnd reads a `]` in a CDATA section. If the end of the value follows, `]]>` ends the section. If another
// section follows at once, the value continues in that section: a]]]]><![CDATA[>b means a]]>b. Any other `]` is
// text.
func (r *Reader) readCDATAEnd(rest []byte) state {
	switch {
	case markup.IsPrefixOf(rest, cdataEnds) && !r.in.EOF:
		return wait
	case markup.IsPrefixOf(rest, cdataEnds):
		return r.breakOffValue()
	case !markup.HasPrefix(rest, cdataEnds):
	case markup.HasPrefix(rest[len(cdataEnds):], cdataBegins):
		r.in.Take(len(cdataEnds)+len(cdataBegins), completion.SpanMarkup)
		return inValue
	case markup.IsPrefixOf(rest[len(cdataEnds):], cdataBegins) && !r.in.EOF:
		return wait
	default:
		switch n, v := r.matchAfterCDATA(rest); v {
		case markup.NeedMore:
			return wait
		case markup.Match:
			return r.endValue(n)
		}
		if i, _ := r.in.MatchBlanks(rest, len(cdataEnds), markup.MaxTagBlanks); i < len(rest) && rest[i] == '<' {
			r.value.ambiguous = true // ]]> may be text, or the tag after it may be a wrong closing tag
		}
		r.value.section.ended = true
	}
	r.writeValue(rest[:1])
	r.in.Take(1, completion.SpanValue)
	return inValue
}

// wouldBeValue reports whether tag would be text of the open value if it came next. It would not be text if the
// value is already whole, or if tag ends the value.
func (r *Reader) wouldBeValue(tag string) bool {
	s := r.value.text.Schema
	if s == nil && r.value.json.IsWhole() || s != nil && r.isWhole() {
		return false
	}
	if r.state == inNestedValue {
		return !bytes.HasSuffix(r.in.Rest(), []byte(markup.Mark))
	}
	if r.state == inDoubt {
		return r.doubt.search.IsText()
	}
	before := r.value
	r.value.text = r.value.text.Clone()
	defer func() { r.value = before }()
	rest := append(bytes.Clone(r.in.Rest()), tag...)
	if r.value.cdata && markup.HasPrefix(rest, cdataEnds) {
		_, ends := r.matchAfterCDATA(rest)
		return ends != markup.Match
	}
	_, _, ends := r.scanValue(rest)
	return ends != endsValue
}
