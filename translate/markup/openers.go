package markup

import (
	"cmp"
	"slices"
	"strings"
)

// This file finds what calls begin with in the formats in which an answer is read, and the special tokens of models.

// Opener is what a call or a special token begins with: text that no client must be able to spell. The [Escaper] writes its first
// byte as an entity.
type Opener struct {
	Text string // what it begins with; "" for the name of a tool
	// Tool says that the name of a tool stands behind Text, and Named that any name does. After are the bytes of
	// which one follows; "" for any. Gap is the white space that may stand before the name and before After.
	Tool, Named bool
	After, Gap  string

	bound  bool   // no byte of a name follows Text
	signs  bool   // the signs in Text may be others: see [Spelling.Signs]
	marker string // stands behind a `<` as [Spelling.Marker] does; "" for none
}

// Openers returns what the tags of a spelling begin with, closing tags included. Where another tag stands in the
// name of one, that is the part before it.
func (g *Spelling) Openers() (list []Opener) {
	if g.Marker != "" {
		return []Opener{{Text: "<", marker: g.Marker}}
	}
	for _, closing := range [...]bool{false, true} {
		for _, begin := range g.begins(closing) {
			begin = begin[strings.LastIndexAny(begin, "<["):]
			for i := range g.Tags {
				name, _, cut := strings.Cut(g.Tags[i].Name, "<")
				list = append(list, Opener{Text: begin + name, signs: g.Signs, bound: !cut && IsNameByte(name[len(name)-1])})
			}
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

// Openers are what calls begin with in several formats, and special tokens. A nil *Openers is none.
type Openers struct {
	tags   []Opener    // those that begin with one text of at least two bytes, `<` or `[` the first, by the second
	from   [257]uint16 // where in tags those begin whose second byte is that index
	others []Opener
	begins [256]bool // the bytes that one of others begins with
	// brackets says that one of them begins with a `[`.
	brackets bool
}

// NewOpeners returns the openers of a list, nil for none.
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
	for c := range o.begins {
		o.begins[c] = slices.ContainsFunc(o.others, func(x Opener) bool { return x.mayBeginWith(byte(c)) })
	}
	slices.SortFunc(o.tags, func(a, b Opener) int {
		return cmp.Or(cmp.Compare(a.Text[1], b.Text[1]), strings.Compare(a.Text, b.Text))
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

// mayBegin reports whether one of them may begin with s[i] and the byte behind it.
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

// maxOpener bounds how much text is looked at for an opener, in bytes.
const maxOpener = 1 << 10

// openerMatch says what [matchOpener] has found: where in the text the name of a tool begins and ends, what stands
// before it, and where the opener ends.
type openerMatch struct {
	before        string
	from, to, end int
}

// matchOpener matches an opener whose first byte is c, and that goes on with s.
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

// matchOneOpener is matchOpener for one of them, which may begin with c. more is the verdict if s may go on to it.
func matchOneOpener[S text](x *Opener, c byte, s S, more Verdict) (m openerMatch, v Verdict) {
	i := 0
	m.before = x.Text
	switch {
	case x.Text == "":
		m.from = -1 // c is the first byte of the name
	case x.marker != "":
		i, _, v = matchMarker(s, x.marker, more == NoMatch)
		return openerMatch{end: i}, v
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

// skipGap returns the index in s, from i on, of what is no white space of gap, nor as strings of JSON and Python have
// that: it is the length of s, too, if s ends in what may be the half of such.
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

// blankOf returns the white space for which c stands behind a backslash, or c.
func blankOf(c byte) byte {
	if i := strings.IndexByte("nrt", c); i >= 0 {
		return "\n\r\t"[i]
	}
	return c
}

// next returns the index in s, from i on, of the first byte that may begin the opener, or the length of s. It is
// none of a tag, and begins no name in the middle.
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

// isMidName reports whether s[i] goes on with the name to which the byte before it belongs, so that nothing begins
// there.
func isMidName(s string, i int) bool {
	return i > 0 && IsNameByte(s[i]) && IsNameByte(s[i-1]) && !isEscaped(s, i-1)
}

// isEscaped reports whether s[i] stands behind a backslash for white space, as strings of JSON have it.
func isEscaped(s string, i int) bool { return i > 0 && s[i-1] == '\\' && blankOf(s[i]) != s[i] }

// MayEnd reports whether text ends in what may be the beginning of an opener.
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
