package held

import (
	"bytes"
	"unicode/utf8"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// Kind is the possible meaning of a tag in a value, or between values.
type Kind uint8

// The kinds of tags.
const (
	OpensOther       Kind = iota // an element, or an undeclared parameter
	OpensParameter               // a parameter that the tool may have
	OpensStructure               // <parameters>, <invoke>, a wrapper or results: a call inside the call, or the next call
	ClosesOther                  // an element, or a parameter
	ClosesParameters             // </parameters>
	ClosesCall                   // </invoke>
	ClosesWrapper                // the end of a wrapper
	Comment                      // <!-- … -->
	Section                      // a CDATA section
)

// Tag is a tag in the text of a call.
type Tag struct {
	Kind      Kind
	Name      []byte          // without the namespace of the call; a slice of the text
	Property  string          // the parameter that the tag opens or names
	Declared  bool            // the tool declares the parameter
	Maybe     bool            // the tag may be an undeclared parameter, because the tool accepts any
	Schema    *schema.Schema  // schema of the parameter
	Given     bool            // the parameter was given earlier in the call
	Bare      bool            // the tag has no attributes except the parameter name
	Empty     bool            // the tag is an empty element: <x/>
	Escaped   bool            // the slash of the closing tag is escaped, as in a JSON string
	Nameless  bool            // the tag is <parameter> without a name
	Structure bool            // the tag has the name of a structural part of a call
	Call      bool            // the tag opens a call and names an offered tool
	Slip      messages.Reason // how the tag is misspelt, ReasonNone if it is not
	Unopened  bool            // the tag before the value is missing: <arg_key>x</arg_key>
	At, Len   int             // position in all that was fed, and length

	Gap    Gap  // what separates it from the tag before
	Edge   Edge // the end of the text before it
	Behind byte // the byte after it; 0 for none
}

// End returns the position after the tag in all that was fed.
func (t *Tag) End() int { return t.At + t.Len }

// IsCloser reports whether t is a closing tag.
func (t *Tag) IsCloser() bool { return t.Kind >= ClosesOther && t.Kind <= ClosesWrapper }

// Closes reports whether t is a closing tag with the name.
func (t *Tag) Closes(name string) bool { return t.IsCloser() && string(t.Name) == name }

// IsNamed reports whether t has the name.
func (t *Tag) IsNamed(name []byte) bool { return bytes.Equal(t.Name, name) }

// isQuoted reports whether t is in quotes or in brackets.
func (t *Tag) isQuoted() bool {
	switch {
	case t.Edge.blank:
		return false
	case t.Edge.isQuote():
		return t.Behind == t.Edge.last
	}
	return t.Behind != 0 && (t.Edge.last == '(' && t.Behind == ')' || t.Edge.last == '[' && t.Behind == ']' || t.Edge.last == '{' && t.Behind == '}')
}

// Gap describes the text between two tags.
type Gap uint8

// The kinds of gaps.
const (
	NoGap Gap = iota // white space on one line, or nothing
	Lines            // white space with a newline
	Text             // text
)

// Note adds s, text between the two tags.
func (g *Gap) Note(s []byte) {
	switch {
	case *g == Text:
	case markup.SkipBlanks(s, 0, len(s)) < len(s):
		*g = Text
	case bytes.IndexByte(s, '\n') >= 0:
		*g = Lines
	}
}

// Edge describes the end of a text. The zero value describes an empty text.
type Edge struct {
	last   byte  // the last byte that is not a blank; 0 for none
	blank  bool  // blanks follow that byte
	ticks  uint8 // number of back-ticks at the end, at most 4
	fenced bool  // a code fence is open: three back-ticks opened it, and no other three closed it
}

// Add adds s to the text.
func (e *Edge) Add(s []byte) {
	e.countTicks(s)
	n := len(s)
	for n > 0 && (s[n-1] == ' ' || s[n-1] == '\t') {
		n--
	}
	if n > 0 {
		e.last, e.blank = s[n-1], false
	}
	e.blank = e.blank || n < len(s)
}

// countTicks counts the back-ticks in s, the next part of the text.
func (e *Edge) countTicks(s []byte) {
	for len(s) > 0 {
		n := bytes.IndexByte(s, '`')
		if n != 0 {
			e.ticks = 0
		}
		if n < 0 {
			return
		}
		if e.ticks = min(e.ticks+1, 4); e.ticks == 3 {
			e.fenced = !e.fenced
		}
		s = s[n+1:]
	}
}

// beginsLine reports whether the next byte would be the first on its line, or in the text.
func (e *Edge) beginsLine() bool { return e.last == 0 || e.last == '\n' }

// isWord reports whether the text ends with a word, a sentence, or a file path.
func (e *Edge) isWord() bool {
	c := e.last | 0x20
	return !e.blank && ('a' <= c && c <= 'z' || '0' <= e.last && e.last <= '9' || e.last >= utf8.RuneSelf || e.last == '.' || e.last == '/' || e.last == ')')
}

// isQuote reports whether the text ends with a quotation mark, or with another mark that is the same on both sides.
func (e *Edge) isQuote() bool { return !e.blank && bytes.IndexByte(quotes, e.last) >= 0 }

// quotes are these marks. Of opening quotation marks outside ASCII (“ „ ‘ « 「 『), it has the last byte.
var quotes = []byte("`\"'*|\x9c\x9e\x98\xab\x8c\x8e")
