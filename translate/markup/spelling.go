package markup

import (
	"bytes"
	"cmp"

	"dragoman/translate/messages"
)

// This file reads tags in the spelling of a format: `<function=book>`, `<arg_key>note</arg_key>`,
// `<|tool_call_begin|>functions.book:0<|tool_call_argument_begin|>`. The parser treats each as a
// tag of the attribute format, such as <invoke name="book">. So a new format only has to declare
// how it spells these tags.

// Spelling is how a format spells the tags of the attribute format. nil is the spelling of the
// formats legacy and attribute: tags have their own names, in any namespace. In any other spelling,
// a tag that is not in Tags is text.
type Spelling struct {
	// Begin and Close are the texts that opening and closing tags begin with; "" means `<` and
	// `</`. End is the end of both; "" means `>`.
	Begin, Close, End string
	Tags              []Form
	// Slips are the tags as models of the family misspell them.
	Slips []Slip
	// Signs: the tags have ｜ and ▁. Models also write other bars, more bars, spaces around them,
	// and `_` or spaces in place of ▁.
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

// Meaning is the tag of the attribute format that a tag means.
type Meaning uint8

// The meanings of tags.
const (
	Wrapper    Meaning = iota // <function_calls>
	Invoke                    // <invoke name="…">
	Parameter                 // <parameter name="…">
	Parameters                // <parameters>, before one JSON object
	Key                       // the name of a parameter whose value comes later: see [Spelling.MatchLone]
)

// name returns the name of the tag in the attribute format.
func (m Meaning) name() []byte { return meanings[m] }

// meanings are the names of these tags.
var meanings = [...][]byte{Wrapper: []byte("function_calls"), Invoke: []byte("invoke"), Parameter: []byte("parameter"), Parameters: []byte("parameters"), Key: nil}

// LabelPlace is where an opening tag has its label, the name of its tool or parameter, unless
// [Form.After] has it.
type LabelPlace uint8

// The places of labels.
const (
	NoLabel        LabelPlace = iota
	LabelAttribute            // <invoke name="book">
	LabelAssigned             // <function=book>, or in an attribute
)

// Joins reports whether a tag that begins a call in the other spelling may also begin a call in
// this one.
func (g *Spelling) Joins(other *Spelling) bool {
	return g.has(func(t *Form) bool {
		return t.Means == Invoke && other.has(func(o *Form) bool { return o.Means == Invoke && o.Name == t.Name })
	})
}

// HasWrapper reports whether calls are in a wrapper. A tag that is a wrapper only before some texts
// is also the tag of calls.
func (g *Spelling) HasWrapper() bool {
	return g == nil || g.has(func(t *Form) bool { return t.Means == Wrapper && t.Ahead == nil })
}

// IsNested reports whether parameters, and everything inside them, are elements.
func (g *Spelling) IsNested() bool { return g != nil && g.Nested }

// IsJSON reports whether a call has one JSON object in place of parameters.
func (g *Spelling) IsJSON() bool { return g != nil && g.JSON }

// Ends reports whether a call has a closing tag.
func (g *Spelling) Ends() bool {
	return g == nil || !g.Endless && (g.Close != "" || !g.JSON || g.has(func(t *Form) bool { return t.Means == Invoke && t.Closing }))
}

// IsListed reports whether calls are JSON in a wrapper, each with its name and arguments.
func (g *Spelling) IsListed() bool { return g != nil && g.Lists }

// IsUnsure reports whether models also write the wrapper around other things than calls.
func (g *Spelling) IsUnsure() bool { return g != nil && g.Unsure }

// IsBracketed reports whether tags begin with a bracket.
func (g *Spelling) IsBracketed() bool { return g.Begin == "[" }

// Labels reports whether labels follow the tags of calls, so that the text after a tag decides
// whether it begins a call.
func (g *Spelling) Labels() bool {
	return g.has(func(t *Form) bool { return t.Means == Invoke && t.After != nil })
}

// Between returns the tag between the label of a call and the label of its first parameter; "" if
// there is no such tag.
func (g *Spelling) Between() string {
	for i := range g.Tags {
		if t := &g.Tags[i]; t.Means == Parameter && t.After != nil {
			return g.begins()[0] + t.Name + g.end()
		}
	}
	return ""
}

// Closer returns the closing tag of the value of a parameter.
func (g *Spelling) Closer() (closer string) {
	for i := range g.Tags {
		if g.Tags[i].Means == Parameter { // the last one comes before the value
			closer = g.begins()[1] + g.Tags[i].Name + g.end()
		}
	}
	return closer
}

// LacksLabel reports whether name is the name of an opening tag with this meaning that was matched
// without its label.
func (g *Spelling) LacksLabel(name []byte, means Meaning) bool {
	begin := g.begins()[0][1:]
	return g.has(func(t *Form) bool {
		begun, ok := bytes.CutSuffix(name, []byte(t.Name))
		if !ok || t.Means != means {
			return false
		}
		n, v := matchSigns(begun, begin, g.Signs, NoMatch)
		return v == Match && n == len(begun)
	})
}

// Starts returns bytes that may follow a `<` or `</`: calls for opening tags of calls and wrappers,
// after for all opening tags, and names for closing tags. It computes them on each call.
func (g *Spelling) Starts() (calls, after, names []byte) {
	if g.Signs {
		for _, bar := range bars {
			names = append(names, bar[0])
		}
		names = append(names, ' ')
		return names, names, names
	}
	for i, begin := range g.begins() {
		for k := range g.forms() {
			f, _ := g.form(k)
			first := (begin + f.Name)[1+i]
			switch {
			case i == 1:
				names = append(names, first)
				continue
			case len(begin) > 1 || f.Means != Parameter:
				calls = append(calls, first)
			}
			after = append(after, first)
		}
	}
	return calls, after, names
}

// has reports whether some tag in Tags meets the condition.
func (g *Spelling) has(is func(*Form) bool) bool {
	for i := range g.Tags {
		if is(&g.Tags[i]) {
			return true
		}
	}
	return false
}

// MatchNameless matches the tag that opens a call at the start of s, if nothing names the tool after it. n is the
// length of the tag. It expects that [Spelling.MatchListed] does not match.
func (g *Spelling) MatchNameless(s []byte, eof bool) (n int, v Verdict) {
	m := matcher{spelling: g, s: s, eof: eof, signs: g.Signs}
	for i := range g.Tags {
		f := &g.Tags[i]
		switch {
		case f.Means != Invoke || f.Closing:
		case f.After != nil:
			return m.prefix(0, g.begins()[0]+f.Name+g.end())
		case f.Label == LabelAttribute:
			n, found := m.prefix(0, g.begins()[0]+f.Name)
			if found == Match {
				n, found = m.end(n)
			}
			if found == Match {
				return n + len(g.end()), found
			}
			v = max(v, found)
		}
	}
	return 0, v
}

// MatchUnmarked matches the label of a call without the tag before it, and the text that must follow the label:
// functions.f:0<|tool_call_argument_begin|>.
func (g *Spelling) MatchUnmarked(s []byte, eof bool) (t Tag, v Verdict) {
	m := matcher{spelling: g, s: s, eof: eof}
	for i := range g.Tags {
		if f := &g.Tags[i]; f.Means == Invoke && len(f.After) > 1 && f.After[0] == Label && v != Match {
			tag, found := m.readAfter(f, Tag{Name: []byte("invoke"), Spelling: g})
			if found > v {
				t, v = tag, found
			}
		}
	}
	return t, v
}

// forms returns the number of tags and slips.
func (g *Spelling) forms() int { return len(g.Tags) + len(g.Slips) }

// form returns the kth of the tags and slips, and the slip, ReasonNone if it is a tag.
func (g *Spelling) form(k int) (f *Form, slip messages.Reason) {
	if k < len(g.Tags) {
		return &g.Tags[k], messages.ReasonNone
	}
	row := &g.Slips[k-len(g.Tags)]
	return &row.Form, row.Name
}

// begins returns the texts that opening and closing tags begin with.
func (g *Spelling) begins() [2]string {
	return [...]string{cmp.Or(g.Begin, "<"), cmp.Or(g.Close, "</")}
}

// end returns the text that tags end with.
func (g *Spelling) end() string { return cmp.Or(g.End, ">") }
