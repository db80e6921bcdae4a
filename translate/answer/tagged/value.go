package tagged

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// The value of a parameter, from its opening tag up to its end. It is ordinary text, with tags and
// entities as the model wrote them. value_end.go decides where it ends, and
// value_write.go writes it.

// valueSeen is what has been seen of the value that is being read.
type valueSeen struct {
	open bool   // the opening tag was read, and the end of the value was not
	tag  string // the tag under which the property is offered

	mode        valueMode
	held        []byte     // text of a value that is typed when it is whole
	validLen    int        // how much of it was there when it was found to be JSON: see heldIsJSON
	json        held.Depth // of the whole input of a call
	duplicate   bool       // the parameter was given before
	unbracketed bool       // its closing tag may have lost what it begins with
	isJSON      bool       // its tag says that it is no string: where it is JSON, that is what is meant
	cdata       bool       // the value began with <![CDATA[
	section     section    // which that begins
	wraps       bool       // it may be all of the input: see wrapsInput
	unnamed     bool       // its opening tag is missing: see nested.go
	elements    []string   // that are open in it, there; nil before the first
	layout      layout     // of the tags around it
	tail        []byte     // the white space at the end of a string so far that may be layout
	atStart     bool       // nothing of the string has been written, and white space at its beginning may be layout
	edge        held.Edge  // of the value so far
	endsBlank   bool       // there is white space at the end of what has been written
	looked      int        // how far passOn has looked through the input, for scanValue to go on there
	blankAfter  int        // how far mayFollow has read white space after a closing tag, to go on there

	closerStarts format.ByteSet // the first bytes of the names that matter in closing tags
	openerStarts format.ByteSet // the first bytes of the names that matter in opening tags
	names        format.ByteSet // the keys of the names of declared parameters: see nameKey
	unclosed     bool           // the value has no closing tag of its own: the tag after it ended it
	misclosed    bool           // it has another one, or none
	ambiguous    bool           // tags in it may be those of other elements of a list
	markup       bool           // it holds markup that is not whole: see held.Value.holdsMarkup
	unsure       bool           // it holds too much doubtful text to know where it ends

	text held.Value // its parameter and the tags in it; without a schema it is the whole input of the call
}

// valueMode says when a value is written to the emitter.
type valueMode uint8

const (
	modeText     valueMode = iota // as it comes: a string
	modeNullable                  // as it comes, once it cannot be null any more: a string or null
	modeHeld                      // when it is whole, since its schema types the whole text
)

// beginValue reads t, the opening tag of a parameter, and begins its value. element is false for
// <parameter name="tag">.
func (r *Reader) beginValue(t markup.Tag, property, tag string, element bool) state {
	r.in.Take(t.Len, completion.SpanMarkup)
	if ends := r.open.ends; len(ends) > 0 && !t.Empty && ends[0].From != r.in.Offset() {
		return r.doubtful() // the tag is none of those that begin a value in the reading
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
		case "true", "string": // so says the model, and the schema has nothing against it
			str, nullable = true, false
		case "false", "number", "integer", "boolean", "null", "object", "array":
			str, r.value.isJSON = false, true
		}
	}
	r.value.wraps = r.wrapsInput(tag)
	if r.value.wraps || r.in.ShowsTokens { // it is read when it is whole
		str = false
	}
	switch {
	case r.call.Parameters[property] && s.ArraySchema() != nil: // or they are elements of one list
		return r.doubtful()
	case r.call.Parameters[property]:
		r.call.NoteReason("duplicate_parameter") // JSON has room for one: the first is out already
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

// beginObject begins an input that is written as one JSON object. Its { is next. It is read as a
// value without a schema of its own.
func (r *Reader) beginObject() state {
	r.value = valueSeen{open: true, mode: modeHeld}
	r.noteStarts()
	return inValue
}

// readValueStart is the state atValue: the opening tag of a parameter has been read. It drops what
// stands between the tag and the value (inValue): white space before a CDATA section and <![CDATA[
// itself, or else one newline, which is layout.
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

// readValue is the state inValue: nothing, or a part, of a value has been read. It writes the value
// up to its end (inCall). If the text is cut before that end, the call is broken off (afterAnswer).
// What was still undecided when the text was cut may be the beginning of a tag, or layout, and is
// left out of the value: so readValue takes back what readValueText writes at the end of the text.
func (r *Reader) readValue() state { return r.readValueBy((*Reader).readValueText) }

// readValueBy is readValue with what writes the value as far as it is decided.
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

// readValueText writes the value as far as it is decided, and ends it if its end is there. It returns
// wait if that has not come.
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
			r.call.NoteReason("restarted")
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

// readCDATAEnd reads a `]` in a CDATA section. `]]>` ends the section where the end of the value
// follows. Where another section follows at once, as in a]]]]><![CDATA[>b for a]]>b, the value goes
// on in that. Any other `]` is text.
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
			r.value.ambiguous = true // ]]> is text, or the tag after it is a wrong closing tag
		}
	}
	r.writeValue(rest[:1])
	r.in.Take(1, completion.SpanValue)
	return inValue
}

// wouldBeValue reports whether tag would be text of the value that is open. It would not be if the
// value is whole without its closing tag, or if tag ends the value.
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
