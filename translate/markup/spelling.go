package markup

import (
	"bytes"
	"slices"
)

// This file reads tags in the spelling of a format: `<function=book>`, `<arg_key>note</arg_key>`,
// `<|tool_call_begin|>functions.book:0<|tool_call_argument_begin|>`. The parser treats each as a
// tag of the attribute format, such as <invoke name="book">. So a new format only has to declare
// how it spells these tags.

// Spelling is how a format spells the tags of the attribute format. nil is the spelling of the
// formats legacy and attribute: tags have their own names, in any namespace. In any other spelling,
// a tag that is not in Tags is text.
type Spelling struct {
	// Begins and Closes are the texts that opening and closing tags begin with. The first is
	// correct; the rest are slips of models. nil means `<` and `</`. End is the end of both; ""
	// means `>`.
	Begins, Closes []string
	End            string
	Tags           []Spelled
	// Marker is a word between bars before each name, after the first of Begins and Closes. Models
	// also write it with other bars, with more bars, and with spaces.
	Marker string
	// Signs: models also write other bars in place of the bars in names, and `_` or spaces in place
	// of ▁.
	Signs bool
	// Bare: values have no layout, so a newline after an opening tag is part of the value. CDATA: a
	// value may be in a CDATA section, which models sometimes do not close.
	Bare, CDATA bool
	// JSON: a call has one JSON object in place of parameters, and may end with it. IDs: calls have
	// an id that contains the tool's name.
	JSON, IDs bool
	// ClosedTwice: models may write the closing tag of a value twice in a row. A value that ends
	// with such a tag is then ambiguous.
	ClosedTwice bool
	// Lists: calls are JSON in a wrapper, each with its name. Endless: closing tags are optional.
	Lists, Endless bool
	// Unsure: models also write the wrapper around other things. A call in it counts only if it can
	// mean nothing else.
	Unsure bool
	// Nested: parameters, and everything inside them, are elements with their own names, with
	// [Mark] before each tag: see ReadMarked.
	Nested bool
	// Typed is an attribute of parameters that says the type of the value. "true" or "string" means
	// a string; "false" or another type means JSON. "" if there is no such attribute.
	Typed string
	// Plain: models also write the closing tags of calls as in the attribute format.
	Plain bool
}

// Spelled is one tag of a spelling.
type Spelled struct {
	Name  string     // in this exact case
	Means Meaning    // the same tag in the attribute format
	Label LabelPlace // where an opening tag has its label: the name of its tool or parameter
	// Attribute is the attribute with the label; & and " in it are escaped. "" means name.
	Attribute string
	Then      []string // the texts after a label that follows the tag: the first is required, the others are optional
	// Wraps: if JSON follows the tag in place of a label, the tag is a wrapper.
	Wraps bool
	// ID is the marker before an id of the call, which may follow the label. nil: the tag has no id.
	ID []string
	// Word may come between the tag and a label that follows it, with the first of Then, which may
	// also come alone. The label then ends with its line.
	Word string
	// Text is a label that marks text, not a call; "" if there is none.
	Text string
	// Before are texts that may follow a label in place of Then. One of them must follow, but it is
	// not part of the tag.
	Before []string
	// Closing: it is a closing tag, although it begins like an opening tag.
	Closing bool
}

// Meaning is the tag of the attribute format that a tag means.
type Meaning uint8

// The meanings of tags.
const (
	Wrapper    Meaning = iota // <function_calls>
	Invoke                    // <invoke name="…">
	Parameter                 // <parameter name="…">
	Parameters                // <parameters>, before one JSON object
)

// name returns the name of the tag in the attribute format.
func (m Meaning) name() []byte { return meanings[m] }

// meanings are the names of these tags.
var meanings = [...][]byte{Wrapper: []byte("function_calls"), Invoke: []byte("invoke"), Parameter: []byte("parameter"), Parameters: []byte("parameters")}

// LabelPlace is where an opening tag has its label: the name of its tool or parameter.
type LabelPlace uint8

// The places of labels.
const (
	NoLabel        LabelPlace = iota
	LabelAttribute            // <invoke name="book">
	LabelAssigned             // <function=book>, or in an attribute
	LabelAfter                // <tool_call>book
)

// Joins reports whether a tag that begins a call in the other spelling may also begin a call in
// this one.
func (g *Spelling) Joins(other *Spelling) bool {
	return slices.ContainsFunc(g.Tags, func(t Spelled) bool {
		return t.Means == Invoke && slices.ContainsFunc(other.Tags, func(o Spelled) bool { return o.Means == Invoke && o.Name == t.Name })
	})
}

// HasWrapper reports whether calls are in a wrapper.
func (g *Spelling) HasWrapper() bool {
	return g == nil || slices.ContainsFunc(g.Tags, func(t Spelled) bool { return t.Means == Wrapper })
}

// IsNested reports whether parameters, and everything inside them, are elements.
func (g *Spelling) IsNested() bool { return g != nil && g.Nested }

// IsJSON reports whether a call has one JSON object in place of parameters.
func (g *Spelling) IsJSON() bool { return g != nil && g.JSON }

// Ends reports whether a call has a closing tag.
func (g *Spelling) Ends() bool {
	return g == nil || !g.Endless && (g.Closes != nil || !g.JSON || slices.ContainsFunc(g.Tags, func(t Spelled) bool { return t.Means == Invoke && t.Closing }))
}

// IsListed reports whether calls are JSON in a wrapper, each with its name and arguments.
func (g *Spelling) IsListed() bool { return g != nil && g.Lists }

// IsUnsure reports whether models also write the wrapper around other things than calls.
func (g *Spelling) IsUnsure() bool { return g != nil && g.Unsure }

// IsBracketed reports whether tags begin with a bracket.
func (g *Spelling) IsBracketed() bool { return g.begins(false)[0] == "[" }

// Labels reports whether labels follow the tags of calls.
func (g *Spelling) Labels() bool {
	return slices.ContainsFunc(g.Tags, func(t Spelled) bool { return t.Means == Invoke && t.Label == LabelAfter })
}

// LooksBehind reports whether the text after a tag decides whether it begins a call.
func (g *Spelling) LooksBehind() bool {
	return slices.ContainsFunc(g.Tags, func(t Spelled) bool { return t.Means == Invoke && (t.Before != nil || t.Then != nil) })
}

// Between returns the tag between the label of a call and the label of its first parameter; "" if
// there is no such tag.
func (g *Spelling) Between() string {
	for i := range g.Tags {
		if t := &g.Tags[i]; t.Means == Parameter && t.Label == LabelAfter {
			return g.begins(false)[0] + t.Name + g.end()
		}
	}
	return ""
}

// Closer returns the closing tag of the value of a parameter.
func (g *Spelling) Closer() (closer string) {
	for i := range g.Tags {
		if g.Tags[i].Means == Parameter { // the last one comes before the value
			closer = g.begins(true)[0] + g.Tags[i].Name + g.end()
		}
	}
	return closer
}

// LacksLabel reports whether name is the name of an opening tag with this meaning that was matched
// without its label.
func (g *Spelling) LacksLabel(name []byte, means Meaning) bool {
	for i := range g.Tags {
		rest, ok := bytes.CutSuffix(name, []byte(g.Tags[i].Name))
		if !ok || g.Tags[i].Means != means {
			continue
		}
		if g.Marker != "" {
			n, _, v := matchMarker(name, g.Marker, true)
			return v == Match && n == len(rest)
		}
		if slices.ContainsFunc(g.begins(false), func(begin string) bool { return begin[1:] == string(rest) }) {
			return true
		}
	}
	return false
}

// MatchNameless matches the tag that opens a call at the start of s, if nothing names the tool after it. n is the
// length of the tag. It expects that [Spelling.MatchListed] does not match.
func (g *Spelling) MatchNameless(s []byte, eof bool) (n int, v Verdict) {
	more := NeedMore
	if eof {
		more = NoMatch
	}
	for i := range g.Tags {
		if tag := &g.Tags[i]; tag.Means == Invoke && tag.Label == LabelAfter {
			return g.matchPrefix(s, g.opener(tag), more)
		}
	}
	return 0, NoMatch
}

// Starts returns bytes that may follow a `<` or `</`: calls for opening tags of calls and wrappers,
// after for all opening tags, and names for closing tags. It computes them on each call.
func (g *Spelling) Starts() (calls, after, names []byte) {
	if g.Marker != "" || g.Signs {
		for _, bar := range bars {
			names = append(names, bar[0])
		}
		if g.Marker != "" { // < ｜DSML｜invoke>
			names = append(names, ' ')
		}
		return names, names, names
	}
	for _, begin := range g.begins(false) {
		if len(begin) > 1 {
			calls, after = append(calls, begin[1]), append(after, begin[1])
			continue
		}
		for i := range g.Tags {
			first := g.Tags[i].Name[0]
			if after = append(after, first); g.Tags[i].Means != Parameter {
				calls = append(calls, first)
			}
		}
	}
	for _, begin := range g.begins(true) {
		if len(begin) > 2 {
			names = append(names, begin[2])
			continue
		}
		for i := range g.Tags {
			names = append(names, g.Tags[i].Name[0])
		}
	}
	return calls, after, names
}

// begins returns the texts that opening or closing tags begin with.
func (g *Spelling) begins(closing bool) []string {
	switch {
	case closing && g.Closes != nil:
		return g.Closes
	case closing:
		return tagCloses
	case g.Begins != nil:
		return g.Begins
	}
	return tagBegins
}

// The start of tags in most spellings.
var tagBegins, tagCloses = []string{"<"}, []string{"</"}

// end returns the text that tags end with.
func (g *Spelling) end() string {
	if g.End != "" {
		return g.End
	}
	return ">"
}
