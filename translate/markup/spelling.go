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
	// Bare says that values have no layout: a newline after an opening tag is part of the value. CDATA
	// says that a value may stand in a CDATA section.
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
	// Typed is the attribute of a parameter that is "true" if its value is a string; "" for none.
	Typed string
}

// Spelled is one tag of a spelling.
type Spelled struct {
	Name  string     // in this case of its letters
	Means Meaning    // the tag it stands for
	Label LabelPlace // where an opening tag has the name of its tool or parameter
	Then  []string   // what stands behind a label that follows the tag: the first has to, the others may
	// Wraps says that where JSON stands behind the tag, in place of a label, it is a wrapper.
	Wraps bool
	// ID, if there is one, may stand behind a label that follows the tag, with an id of the call.
	ID []string
	// Word may stand between the tag and a label that follows it; the label then ends with its line.
	Word string
	// Before is what has to stand behind a label instead, or behind a tag that has it as an attribute, as
	// one of these, without being part of the tag.
	Before []string
	// Closing says that the tag closes, although it begins as an opening tag does.
	Closing bool
}

// Meaning is the tag of the attribute format that another stands for.
type Meaning uint8

// What tags stand for.
const (
	Wrapper   Meaning = iota // <function_calls>
	Invoke                   // <invoke name="…">
	Parameter                // <parameter name="…">
)

// name returns the name of the tag.
func (m Meaning) name() []byte { return meanings[m] }

// meanings are the names of the tags that others stand for.
var meanings = [...][]byte{Wrapper: []byte("function_calls"), Invoke: []byte("invoke"), Parameter: []byte("parameter")}

// LabelPlace is where an opening tag has its label, the name of its tool or parameter.
type LabelPlace uint8

// The places of labels.
const (
	NoLabel        LabelPlace = iota
	LabelAttribute            // <invoke name="book">
	LabelAssigned             // <function=book>, and as above
	LabelAfter                // <tool_call>book
)

// maxLabel bounds a label with the white space around it, in bytes.
const maxLabel = 512

// MatchTag is [MatchTag] in this spelling. Of a tag that is not listed, or has the name of a
// listed one and is not written like that, Name is nil.
func (g *Spelling) MatchTag(s []byte, eof bool) (Tag, Verdict) {
	if g == nil {
		return MatchTag(s, eof)
	}
	t, v := g.MatchListed(s, eof)
	if v == NoMatch && s[0] == '<' && !g.lacksKey(s) {
		t, v = MatchTag(s, eof)
		t.Name, t.Spelling = nil, g
	}
	return t, v
}

// lacksKey reports whether s begins with the tag of a parameter whose label should follow and does not.
func (g *Spelling) lacksKey(s []byte) bool {
	tag, _, v := g.listed(s, 1, true)
	return v == Match && tag.Means == Parameter && tag.Label == LabelAfter
}

// MatchListed is MatchTag for the tags of the list alone.
func (g *Spelling) MatchListed(s []byte, eof bool) (t Tag, v Verdict) {
	for _, closing := range [...]bool{false, true} {
		for _, begin := range g.begins(closing) {
			switch {
			case HasPrefix(s, begin):
				found, more := g.matchNamed(s, len(begin), closing, eof)
				if more == Match {
					return found, more
				}
				v = max(v, more)
			case IsPrefixOf(s, begin) && !eof:
				v = NeedMore
			}
		}
	}
	return t, v
}

// MatchName reports whether s may begin with a tag of the list: it is quick, and true of some text that
// is none.
func (g *Spelling) MatchName(s []byte, eof bool) (v Verdict) {
	if g == nil {
		return NoMatch
	}
	if g.Begins == nil && g.Closes == nil && len(s) > 1 { // each `<` of a text comes here
		i := 1
		switch {
		case s[0] != '<':
			return NoMatch
		case s[1] == '/':
			i = 2
		}
		_, _, v = g.listed(s, i, eof)
		return v
	}
	for _, closing := range [...]bool{false, true} {
		for _, begin := range g.begins(closing) {
			n := min(len(s), len(begin))
			switch {
			case s[n-1] != begin[n-1]:
			case HasPrefix(s, begin):
				_, _, more := g.listed(s, len(begin), eof)
				v = max(v, more)
			case IsPrefixOf(s, begin) && !eof:
				v = max(v, NeedMore)
			}
		}
	}
	return v
}

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

// IsJSON reports whether a call has one JSON object in place of parameters.
func (g *Spelling) IsJSON() bool { return g != nil && g.JSON }

// Ends reports whether a call has a closing tag.
func (g *Spelling) Ends() bool {
	return g == nil || !g.Endless && (g.Closes != nil || !g.JSON || slices.ContainsFunc(g.Tags, func(t Spelled) bool { return t.Means == Invoke && t.Closing }))
}

// IsListed reports whether calls stand in a wrapper as JSON, each with its name and arguments.
func (g *Spelling) IsListed() bool { return g != nil && g.Lists }

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
		if slices.ContainsFunc(g.begins(false), func(begin string) bool { return begin[1:] == string(rest) }) {
			return true
		}
	}
	return false
}

// Starts returns the bytes that stand after the `<` of an opening tag that may begin a call or its wrapper,
// of any opening tag, and those that stand after `</`. It finds them anew each time.
func (g *Spelling) Starts() (calls, after, names []byte) {
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

// listed finds the tag of the list whose name stands at s[i], and returns the index after that.
func (g *Spelling) listed(s []byte, i int, eof bool) (tag *Spelled, after int, v Verdict) {
	for k := range g.Tags {
		name := g.Tags[k].Name
		switch {
		case i < len(s) && s[i] != name[0]:
		case !HasPrefix(s[i:], name):
			if IsPrefixOf(s[i:], name) && !eof {
				v = NeedMore
			}
		case i+len(name) == len(s):
			if !eof {
				v = NeedMore
			}
		case !IsTagByte(s[i+len(name)]) || !IsTagByte(name[len(name)-1]) || HasPrefix(s[i+len(name):], g.end()):
			return &g.Tags[k], i + len(name), Match
		}
	}
	return nil, 0, v
}

// matchNamed matches the rest of a tag whose name begins at s[i].
func (g *Spelling) matchNamed(s []byte, i int, closing, eof bool) (t Tag, v Verdict) {
	tag, i, v := g.listed(s, i, eof)
	if v != Match {
		return t, v
	}
	t = Tag{Name: tag.Means.name(), Full: s[i-len(tag.Name) : i], Spelling: g, Closing: closing || tag.Closing, nameEnd: i}
	if !t.Closing && tag.Label == LabelAssigned && i < len(s) && s[i] == '=' {
		return t.assigned(s, i+1, eof)
	}
	n, v := g.matchEnd(s, i, eof)
	if v != Match {
		return t, v
	}
	t.Attributes = bytes.TrimSpace(s[i:n])
	t.Len = n + len(g.end())
	switch {
	case t.Closing:
		return t, VerdictOf(len(t.Attributes) == 0)
	case tag.Label == LabelAfter:
		return t.labelled(tag, s, eof)
	case tag.Label != NoLabel:
		if rest, ok := bytes.CutSuffix(t.Attributes, []byte("/")); ok {
			t.Attributes, t.Empty = bytes.TrimSpace(rest), true
		}
		if _, ok := t.NameAttribute(); !ok || tag.Before == nil || t.Empty {
			return t, VerdictOf(ok)
		}
		more := NeedMore
		if eof {
			more = NoMatch
		}
		return t, matchOneOf(s[SkipBlanks(s, t.Len, maxLabel):], tag.Before, more)
	}
	return t, VerdictOf(len(t.Attributes) == 0)
}

// matchEnd returns the index of what ends a tag, from i on.
func (g *Spelling) matchEnd(s []byte, i int, eof bool) (n int, v Verdict) {
	end := g.end()
	if i < len(s) && !IsBlank(s[i]) && s[i] != '/' && !HasPrefix(s[i:], end) && !IsPrefixOf(s[i:], end) {
		return 0, NoMatch
	}
	var quoted byte
	for ; i < len(s) && i < MaxTagLen; i++ {
		switch c := s[i]; {
		case quoted != 0:
			if c == quoted {
				quoted = 0
			}
		case HasPrefix(s[i:], end):
			return i, Match
		case IsPrefixOf(s[i:], end) && !eof:
			return 0, NeedMore
		case c == '<':
			return 0, NoMatch
		case c == '"' || c == '\'':
			quoted = c
		}
	}
	if i >= MaxTagLen || eof {
		return 0, NoMatch
	}
	return 0, NeedMore
}

// assigned reads the label that begins at s[i], behind a `=`. Where the tag is not ended on its line, a
// second `=` ends it: <parameter=command=create</parameter>.
func (t Tag) assigned(s []byte, i int, eof bool) (Tag, Verdict) {
	head := s[i:min(len(s), i+maxLabel)]
	n := bytes.IndexAny(head, "<>\n")
	switch {
	case n < 0 && len(head) < maxLabel && !eof:
		return t, NeedMore
	case n < 0:
		return t, NoMatch
	case head[n] != '>':
		if n = bytes.IndexByte(head[:n], '='); n < 0 {
			return t, NoMatch
		}
	}
	t.label = bytes.Trim(head[:n], " \t\"'")
	t.Len = i + n + 1
	return t, VerdictOf(len(t.label) > 0)
}

// labelled reads the label that follows the tag.
func (t Tag) labelled(tag *Spelled, s []byte, eof bool) (Tag, Verdict) {
	head := s[t.Len:min(len(s), t.Len+maxLabel)]
	more := NeedMore
	if eof || len(head) == maxLabel {
		more = NoMatch
	}
	first := head[SkipBlanks(head, 0, len(head)):]
	if tag.Word != "" {
		switch v := matchOneOf(first, []string{tag.Word}, more); v {
		case NeedMore:
			return t, v
		case Match:
			behind := first[len(tag.Word):]
			switch i := SkipBlanks(behind, 0, len(behind)); {
			case i == len(behind):
				return t, more
			case behind[i] != '{': // before the input, it is a tool of that name
				return t.onLine(behind, t.Len+len(head)-len(behind), more)
			}
		}
	}
	n := bytes.IndexAny(first, "<>[{\"\n")
	switch {
	case n < 0:
		return t, more
	case n == 0 && tag.Wraps && (first[0] == '[' || first[0] == '{'):
		t.Name = Wrapper.name()
		return t, Match
	case n == 0 || first[n] == '>' || first[n] == '"' || first[n] == '{' && !t.Spelling.JSON && !slices.Contains(tag.Before, "{"):
		return t, NoMatch
	}
	t.label = bytes.TrimSpace(first[:n])
	if more = NeedMore; eof { // what stands behind the label is not bounded with it
		more = NoMatch
	}
	end := t.Len + len(head) - len(first) + n
	i := SkipBlanks(s, end, maxLabel)
	switch v := matchOneOf(s[i:], tag.ID, more); v {
	case NeedMore:
		return t, v
	case Match:
		at := i + len(tag.ID[0])
		id := s[at:min(len(s), at+maxLabel)]
		switch n = bytes.IndexAny(id, "<[{\"\n"); {
		case n < 0 && len(id) < maxLabel:
			return t, more
		case n < 0:
			return t, NoMatch
		}
		i = at + n
	}
	if len(tag.Then) == 0 {
		t.Len = end
		return t, matchOneOf(s[i:], tag.Before, more)
	}
	switch v := matchOneOf(s[i:], tag.Then[:1], more); {
	case v == NoMatch && i < len(s) && s[i] == '{' && t.Spelling.JSON: // it is missing
		t.Len = i
		return t, Match
	case v != Match:
		return t, v
	}
	t.Len = i + len(tag.Then[0])
	for _, then := range tag.Then[1:] {
		at := SkipBlanks(s, t.Len, maxLabel)
		switch v := matchOneOf(s[at:], []string{then, t.Spelling.begins(false)[0] + tag.Name + t.Spelling.end()}, more); {
		case v == NeedMore:
			return t, v
		case v == Match && !HasPrefix(s[at:], then): // the next label: this one has no value
			return t, NoMatch
		case v == Match:
			t.Len = at + len(then)
		default: // it is missing, and its line may have ended before
			if t.Len < len(s) && s[t.Len] == '\n' {
				t.Len++
			}
		}
	}
	return t, Match
}

// onLine reads a label that ends with the line, or with what may stand on it: rest is the text after the
// tag, which begins at an index of the whole.
func (t Tag) onLine(rest []byte, at int, more Verdict) (Tag, Verdict) {
	n := bytes.IndexAny(rest, "\n<{`")
	if n < 0 {
		return t, more
	}
	t.label = bytes.TrimSpace(rest[:n])
	t.Len = at + n
	return t, VerdictOf(len(t.label) > 0)
}

// matchOneOf reports whether s begins with one of list. more is the verdict if it may go on to.
func matchOneOf(s []byte, list []string, more Verdict) (v Verdict) {
	for _, text := range list {
		switch {
		case HasPrefix(s, text):
			return Match
		case IsPrefixOf(s, text):
			v = max(v, more)
		}
	}
	return v
}
