package held

import (
	"bytes"
	"unicode/utf8"

	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// Kind is what a tag in a value, or between values, may mean.
type Kind uint8

// The kinds of tags.
const (
	OpensOther       Kind = iota // an element, or a parameter that is not declared
	OpensParameter               // a parameter that the tool may have
	OpensStructure               // <parameters>, <invoke>, a wrapper or results: a call within the call, or the next one
	ClosesOther                  // an element, or a parameter
	ClosesParameters             // </parameters>
	ClosesCall                   // </invoke>
	ClosesWrapper                // the end of a wrapper
	Comment                      // <!-- … -->
	Section                      // a CDATA section
)

// Tag is a tag of the text of a call.
type Tag struct {
	Kind      Kind
	Name      []byte         // without the namespace of the call; part of the text
	Property  string         // the parameter that it opens, or that has its name
	Declared  bool           // the tool declares that parameter
	Maybe     bool           // it may be a parameter that is not declared: the tool takes any
	Schema    *schema.Schema // of that parameter
	Given     bool           // that parameter was given in the call before
	Bare      bool           // it has no attributes but the name of the parameter
	Empty     bool           // it is an element of its own: <x/>
	Nameless  bool           // it is <parameter>, without a name
	Structure bool           // it has the name of a tag that opens a part of a call
	Unopened  bool           // it lacks the tag before the value: <arg_key>x</arg_key>
	At, Len   int            // where it stands in all that was fed, and how long it is

	Gap    Gap  // what stands before it, after the tag before
	Edge   Edge // of the text before it
	Behind byte // what stands behind it; 0 for nothing
}

// End returns where the tag ends in all that was fed.
func (t *Tag) End() int { return t.At + t.Len }

// IsCloser reports whether t is a closing tag.
func (t *Tag) IsCloser() bool { return t.Kind >= ClosesOther && t.Kind <= ClosesWrapper }

// Closes reports whether t is a closing tag of the name.
func (t *Tag) Closes(name string) bool { return t.IsCloser() && string(t.Name) == name }

// IsNamed reports whether the parameter that t opens, or closes, is closed by the name.
func (t *Tag) IsNamed(name []byte) bool { return bytes.Equal(t.Name, name) }

// isQuoted reports whether t stands in quotes, or in brackets.
func (t *Tag) isQuoted() bool {
	switch {
	case t.Edge.blank:
		return false
	case t.Edge.isQuote():
		return t.Behind == t.Edge.last
	}
	return t.Behind != 0 && (t.Edge.last == '(' && t.Behind == ')' || t.Edge.last == '[' && t.Behind == ']' || t.Edge.last == '{' && t.Behind == '}')
}

// Gap is what stands between two tags.
type Gap uint8

// The kinds of gaps.
const (
	NoGap Gap = iota // white space on one line, or nothing
	Lines            // white space with a newline
	Text             // text
)

// Note records s, which stands between two tags.
func (g *Gap) Note(s []byte) {
	switch {
	case *g == Text:
	case markup.SkipBlanks(s, 0, len(s)) < len(s):
		*g = Text
	case bytes.IndexByte(s, '\n') >= 0:
		*g = Lines
	}
}

// Edge is what counts of a text for what stands behind it. The zero value is that of no text.
type Edge struct {
	last   byte  // the last byte that is not a blank; 0 for none
	blank  bool  // blanks stand behind it
	ticks  uint8 // how many back-ticks it ends with, 4 at most
	fenced bool  // a code fence is open: three back-ticks, and no other three
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

// countTicks counts the back-ticks in s, which is added to the text.
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

// beginsLine reports whether what stands behind the text is the first thing on a line, or in it.
func (e *Edge) beginsLine() bool { return e.last == 0 || e.last == '\n' }

// isWord reports whether the text ends in a word, a sentence, or the path of a file.
func (e *Edge) isWord() bool {
	c := e.last | 0x20
	return !e.blank && ('a' <= c && c <= 'z' || '0' <= e.last && e.last <= '9' || e.last >= utf8.RuneSelf || e.last == '.' || e.last == '/' || e.last == ')')
}

// isQuote reports whether the text ends in a quotation mark, or in what else has the same on both sides.
func (e *Edge) isQuote() bool { return !e.blank && bytes.IndexByte(quotes, e.last) >= 0 }

// quotes are such marks and, of those that open a quotation beyond ASCII (“ „ ‘ « 「 『), the last bytes.
var quotes = []byte("`\"'*|\x9c\x9e\x98\xab\x8c\x8e")
