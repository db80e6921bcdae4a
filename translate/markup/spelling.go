package markup

import (
	"bytes"
	"slices"
)

// This file reads tags in the spelling of a format: `<function=book>`, `<arg_key>note</arg_key>`,
// `<|tool_call_begin|>functions.book:0<|tool_call_argument_begin|>`. Whatever reads calls reads these
// as the tags that stand for the same in the attribute format, <invoke name="book">, so that a format
// is added by saying how it spells them.

// Spelling is how a format spells the tags of its calls, which are those of the attribute format in
// other words. nil is the spelling of the formats legacy and attribute, in which tags have their own
// names and any namespace. In any other, a tag that is not listed is text, whatever its name.
type Spelling struct {
	// Begins and Closes are what an opening and a closing tag begin with, with slips of models after
	// the first; nil is `<` and `</`. End is what both end with; "" is `>`.
	Begins, Closes []string
	End            string
	Tags           []Spelled
	// Marker is a word between bars that stands before each name, behind the first of Begins and Closes:
	// models write it with other bars, more of them, and spaces.
	Marker string
	// Signs says that the bars and the ▁ in names are also written as other bars, `_` and spaces.
	Signs bool
	// Bare says that values have no layout: a newline after an opening tag is part of the value. CDATA
	// says that a value may stand in a CDATA section, which models forget to end.
	Bare, CDATA bool
	// JSON says that a call has one JSON object in place of parameters, with which it may end. IDs says
	// that what stands for the name of the tool is an id of the call, which has the name in it.
	JSON, IDs bool
	// ClosedTwice says that models write the closing tag of a value twice in a row. A value that ends with
	// such a tag is then doubtful.
	ClosedTwice bool
	// Lists says that calls stand in a wrapper as JSON, each with its name. Endless says that nothing has
	// to end calls and wrappers.
	Lists, Endless bool
	// Unsure says that the wrapper also stands around what is no call: one in it counts only if nothing else
	// can be meant.
	Unsure bool
	// Nested says that parameters are elements of their own names, and so is all within them, with [Mark]
	// before each tag: see ReadMarked.
	Nested bool
	// Typed is the attribute of a parameter that is "true" or "string" if its value is a string, and "false" or
	// another type if it is JSON; "" for none.
	Typed string
	// Plain says that the closing tags of calls are also written as in the attribute format.
	Plain bool
}

// Spelled is one tag of a spelling.
type Spelled struct {
	Name  string     // in this case of its letters
	Means Meaning    // the tag it stands for
	Label LabelPlace // where an opening tag has the name of its tool or parameter
	// Attribute is that which has the label, with & and " in it escaped; "" for name.
	Attribute string
	Then      []string // what stands behind a label that follows the tag: the first has to, the others may
	// Wraps says that where JSON stands behind the tag, in place of a label, it is a wrapper.
	Wraps bool
	// ID, if there is one, may stand behind a label that follows the tag, with an id of the call.
	ID []string
	// Word may stand between the tag and a label that follows it, with the first of Then behind it, or that
	// alone: the label then ends with its line.
	Word string
	// Text is a label behind which there is text, and no call; "" for none.
	Text string
	// Before is what has to stand behind a label instead, as one of these, without being part of the tag.
	Before []string
	// Closing says that the tag closes, although it begins as an opening tag does.
	Closing bool
}

// Meaning is the tag of the attribute format that another stands for.
type Meaning uint8

// What tags stand for.
const (
	Wrapper    Meaning = iota // <function_calls>
	Invoke                    // <invoke name="…">
	Parameter                 // <parameter name="…">
	Parameters                // <parameters>, before one JSON object
)

// name returns the name of the tag.
func (m Meaning) name() []byte { return meanings[m] }

// meanings are the names of the tags that others stand for.
var meanings = [...][]byte{Wrapper: []byte("function_calls"), Invoke: []byte("invoke"), Parameter: []byte("parameter"), Parameters: []byte("parameters")}

// LabelPlace is where an opening tag has its label, the name of its tool or parameter.
type LabelPlace uint8

// The places of labels.
const (
	NoLabel        LabelPlace = iota
	LabelAttribute            // <invoke name="book">
	LabelAssigned             // <function=book>, and as above
	LabelAfter                // <tool_call>book
)

// Joins reports whether a tag that begins a call in another spelling may begin one in this.
func (g *Spelling) Joins(other *Spelling) bool {
	return slices.ContainsFunc(g.Tags, func(t Spelled) bool {
		return t.Means == Invoke && slices.ContainsFunc(other.Tags, func(o Spelled) bool { return o.Means == Invoke && o.Name == t.Name })
	})
}

// HasWrapper reports whether calls stand in a wrapper.
func (g *Spelling) HasWrapper() bool {
	return g == nil || slices.ContainsFunc(g.Tags, func(t Spelled) bool { return t.Means == Wrapper })
}

// IsNested reports whether parameters are elements, and so is all within them.
func (g *Spelling) IsNested() bool { return g != nil && g.Nested }

// IsJSON reports whether a call has one JSON object in place of parameters.
func (g *Spelling) IsJSON() bool { return g != nil && g.JSON }

// Ends reports whether a call has a closing tag.
func (g *Spelling) Ends() bool {
	return g == nil || !g.Endless && (g.Closes != nil || !g.JSON || slices.ContainsFunc(g.Tags, func(t Spelled) bool { return t.Means == Invoke && t.Closing }))
}

// IsListed reports whether calls stand in a wrapper as JSON, each with its name and arguments.
func (g *Spelling) IsListed() bool { return g != nil && g.Lists }

// IsUnsure reports whether the wrapper of calls also stands around what is no call.
func (g *Spelling) IsUnsure() bool { return g != nil && g.Unsure }

// IsBracketed reports whether tags begin with a bracket.
func (g *Spelling) IsBracketed() bool { return g.begins(false)[0] == "[" }

// Labels reports whether labels stand behind the tags of calls.
func (g *Spelling) Labels() bool {
	return slices.ContainsFunc(g.Tags, func(t Spelled) bool { return t.Means == Invoke && t.Label == LabelAfter })
}

// LooksBehind reports whether the tags of calls are known by what stands behind them, too.
func (g *Spelling) LooksBehind() bool {
	return slices.ContainsFunc(g.Tags, func(t Spelled) bool { return t.Means == Invoke && (t.Before != nil || t.Then != nil) })
}

// Between returns the tag that stands between the label of a call and that of its first parameter, ""
// if that is no tag of its own.
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
		if g.Tags[i].Means == Parameter { // of several, the last stands before the value
			closer = g.begins(true)[0] + g.Tags[i].Name + g.end()
		}
	}
	return closer
}

// LacksLabel reports whether name is that of an opening tag of the list which means that, and which was
// matched without its label.
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

// Starts returns the bytes that stand after the `<` of an opening tag that may begin a call or its wrapper,
// of any opening tag, and those that stand after `</`. It finds them anew each time.
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

// begins returns what opening tags begin with, or closing ones.
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

// What tags begin with in most spellings.
var tagBegins, tagCloses = []string{"<"}, []string{"</"}

// end returns what tags end with.
func (g *Spelling) end() string {
	if g.End != "" {
		return g.End
	}
	return ">"
}
