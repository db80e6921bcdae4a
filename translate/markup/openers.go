package markup

import (
	"cmp"
	"slices"
	"strings"
)

// This file finds the start of calls in the formats that the parser reads, and the special tokens
// of models.

// Opener is the start of a call or of a special token. The client must not be able to spell it, so
// the [Escaper] writes its first byte as an entity.
type Opener struct {
	Text string // the text at the start; "" if the name of a tool comes first
	// Tool: the name of a tool comes after Text. Named: any name comes after it. After are bytes,
	// and one of them must follow; "" means any byte. Gap is the white space that may come before
	// the name and before After.
	Tool, Named bool
	After, Gap  string

	bound bool // Text must not be followed by a byte of a name
	signs bool // Text may have other signs: see [Spelling.Signs]
}

// Openers returns the starts of all tags in a spelling, closing tags included. If the name of a tag
// contains another tag, the opener is the part before it. If all tags begin with a marker, the
// marker is the opener.
func (g *Spelling) Openers() (list []Opener) {
	for _, begin := range g.begins() {
		begin = begin[strings.LastIndexAny(begin, "<["):]
		if strings.HasSuffix(begin, bar) {
			list = append(list, Opener{Text: begin, signs: g.Signs})
			continue
		}
		for k := range g.forms() {
			f, _ := g.form(k)
			if k >= len(g.Tags) && g.has(func(t *Form) bool { return t.Name == f.Name }) { // a slip behind the name
				continue
			}
			name, _, cut := strings.Cut(f.Name, "<")
			list = append(list, Opener{Text: begin + name, signs: g.Signs, bound: !cut && IsNameByte(name[len(name)-1])})
		}
	}
	return list
}

// mayBeginWith reports whether c may be the first byte of the opener.
func (x *Opener) mayBeginWith(c byte) bool {
	if x.Text == "" { // no tool has a byte of others in its name
		return IsNameByte(c) && c < 0x80
	}
	return x.Text[0] == c
}

// isTag reports whether the opener begins with a `<` or a `[`.
func (x *Opener) isTag() bool { return x.Text != "" && (x.Text[0] == '<' || x.Text[0] == '[') }

// Openers are the starts of calls in several formats, and special tokens. A nil *Openers is empty.
type Openers struct {
	tags   []Opener    // openers with a text of two bytes or more that begins with `<` or `[`, sorted by the second byte
	from   [257]uint16 // index in tags of the first opener for each second byte
	others []Opener
	begins [256]bool // the bytes that others begin with
	// brackets: some opener begins with a `[`.
	brackets bool
}

// NewOpeners returns the openers in list, or nil if there are none.
func NewOpeners(list []Opener) *Openers {
	if len(list) == 0 {
		return nil
	}
	o := &Openers{}
	for _, x := range list {
		o.brackets = o.brackets || x.isTag() && x.Text[0] == '['
		if x.isTag() && len(x.Text) > 1 && !x.signs {
			o.tags = append(o.tags, x)
		} else {
			o.others = append(o.others, x)
		}
	}
	// An opener that names a tool may match a text that names none, and hide another one: functools{.
	named := func(x Opener) int {
		if x.Tool {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(o.others, func(a, b Opener) int { return named(a) - named(b) })
	for c := range o.begins {
		o.begins[c] = slices.ContainsFunc(o.others, func(x Opener) bool { return x.mayBeginWith(byte(c)) })
	}
	slices.SortFunc(o.tags, func(a, b Opener) int {
		return cmp.Or(cmp.Compare(a.Text[1], b.Text[1]), named(a)-named(b), strings.Compare(a.Text, b.Text))
	})
	o.tags = slices.Compact(o.tags)
	for i := range o.tags {
		o.from[int(o.tags[i].Text[1])+1]++
	}
	for c := range 256 {
		o.from[c+1] += o.from[c]
	}
	return o
}

// mayBegin reports whether some opener may begin with s[i] and the byte after it.
func (o *Openers) mayBegin(s string, i int) bool {
	switch {
	case o == nil:
		return false
	case o.begins[s[i]]:
		return true
	case s[i] != '<' && s[i] != '[' || i+1 == len(s):
		return false
	}
	next := int(s[i+1])
	return o.from[next] < o.from[next+1]
}

// maxOpener is the most bytes that a matcher looks at for an opener.
const maxOpener = 1 << 10

// openerMatch is what [matchOpener] found: where the name of a tool begins and ends, the text
// before the name, and where the opener ends.
type openerMatch struct {
	before        string
	from, to, end int
}

// matchOpener matches an opener that begins with c and continues with s.
func matchOpener[S text](o *Openers, c byte, s S, eof bool) (m openerMatch, v Verdict) {
	if o == nil {
		return m, NoMatch
	}
	more := NeedMore
	if eof || len(s) >= maxOpener {
		more, s = NoMatch, s[:min(len(s), maxOpener)]
	}
	var tags, others []Opener
	if o.begins[c] {
		others = o.others
	}
	if tags = o.tags; c != '<' && c != '[' {
		tags = nil
	} else if len(s) > 0 {
		tags = tags[o.from[s[0]]:o.from[int(s[0])+1]]
	}
	for _, list := range [...][]Opener{tags, others} {
		for i := range list {
			if x := &list[i]; x.mayBeginWith(c) {
				found, verdict := matchOneOpener(x, c, s, more)
				if verdict == Match {
					return found, verdict
				}
				v = max(v, verdict)
			}
		}
	}
	return m, v
}

// matchOneOpener does what matchOpener does, for one opener that may begin with c. more is the verdict if the text may
// still become the opener.
func matchOneOpener[S text](x *Opener, c byte, s S, more Verdict) (m openerMatch, v Verdict) {
	i := 0
	m.before = x.Text
	switch {
	case x.Text == "":
		m.from = -1 // c is the first byte of the name
	default:
		if i, v = matchSigns(s, x.Text[1:], x.signs, more); v != Match {
			return m, v
		}
		if x.bound && i == len(s) && more == NeedMore {
			return m, more
		}
		if x.bound && i < len(s) && IsNameByte(s[i]) {
			return m, NoMatch
		}
		if x.Tool || x.Named {
			i = skipGap(s, i, x.Gap)
			m.from = i
		}
	}
	if x.Tool || x.Named {
		for i < len(s) && IsNameByte(s[i]) {
			i++
		}
		switch m.to = i; {
		case i == len(s):
			return m, more
		case m.from == m.to:
			return m, NoMatch
		}
	}
	if x.Named {
		m.from, m.to = 0, 0
	}
	if m.end = i; x.After == "" {
		return m, Match
	}
	if i = skipGap(s, i, x.Gap); i == len(s) {
		return m, more
	}
	return m, VerdictOf(strings.IndexByte(x.After, s[i]) >= 0)
}

// skipGap returns the index of the first byte in s, from i on, that is not white space of gap.
// White space may also be escaped, as in strings of JSON and Python. If s ends in what may be half
// of such an escape, skipGap returns len(s).
func skipGap[S text](s S, i int, gap string) int {
	for i < len(s) {
		c, n := s[i], 1
		if c == '\\' && gap != "" {
			if i+1 == len(s) {
				return len(s)
			}
			c, n = blankOf(s[i+1]), 2
		}
		if strings.IndexByte(gap, c) < 0 {
			break
		}
		i += n
	}
	return i
}

// blankOf returns the white space that c means after a backslash, or c.
func blankOf(c byte) byte {
	if i := strings.IndexByte("nrt", c); i >= 0 {
		return "\n\r\t"[i]
	}
	return c
}

// next returns the index of the first byte in s, from i on, that may begin the opener, or len(s).
// It skips tags, and bytes in the middle of a name.
func (x *Opener) next(s string, i int) int {
	for {
		begun := len(s)
		if x.Text == "" {
			end := indexFrom(s, x.After[0], i)
			if end == len(s) {
				return end
			}
			for begun = end; begun > 0 && IsNameByte(s[begun-1]); {
				begun--
			}
			if begun < end && isEscaped(s, begun) {
				begun++
			}
			if i <= begun && begun < end {
				return begun
			}
			i = end + 1
			continue
		}
		if n := strings.Index(s[i:], x.Text); n >= 0 {
			begun = i + n
		}
		if begun == len(s) || !isMidName(s, begun) {
			return begun
		}
		i = begun + 1
	}
}

// isMidName reports whether s[i] continues a name, so that no opener begins there.
func isMidName(s string, i int) bool {
	return i > 0 && IsNameByte(s[i]) && IsNameByte(s[i-1]) && !isEscaped(s, i-1)
}

// isEscaped reports whether s[i] and the backslash before it mean white space, as in JSON strings.
func isEscaped(s string, i int) bool { return i > 0 && s[i-1] == '\\' && blankOf(s[i]) != s[i] }

// MayEnd reports whether text ends in what may be the start of an opener.
func (o *Openers) MayEnd(text string) bool {
	if o == nil {
		return false
	}
	from := max(0, len(text)-maxOpener)
	for i := from; i < len(text); i++ {
		if isMidName(text, i) {
			continue
		}
		if _, v := matchOpener(o, text[i], text[i+1:], false); v == NeedMore {
			return true
		}
	}
	return false
}
