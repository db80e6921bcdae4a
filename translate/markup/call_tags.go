package markup

import (
	"maps"
	"strings"
	"unicode/utf8"
)

// CallTags are the names of the tags of calls in several formats, without their signs: see plainName.
type CallTags map[string]bool

// NewCallTags returns the names in these spellings, and in the formats legacy and attribute.
func NewCallTags(list []*Spelling) CallTags {
	tags := CallTags{"parameter": true, "parameters": true, "tool_name": true}
	for _, t := range textTags {
		if t.kind == KindWrapper || t.kind == KindInvoke {
			tags[t.name] = true
		}
	}
	for name := range maps.Clone(tags) {
		tags["minimax:"+name], tags["antml:"+name] = true, true
	}
	for _, g := range list {
		for _, begin := range g.begins() {
			for k := range g.forms() {
				if f, _ := g.form(k); begin[0] == '<' && !strings.ContainsAny(begin[1:]+f.Name, "<>") {
					tags[plainName(strings.TrimLeft(begin, "</")+strings.TrimPrefix(f.Name, "/"))] = true
				}
			}
		}
	}
	return tags
}

// maxCallTag is the most bytes in a tag of [CallTags].
const maxCallTag = 256

// Match matches the tag at the start of s, with a label or without one: `</tool_call>`, `<function=book>`. n is its
// length.
func (c CallTags) Match(s string) (n int, v Verdict) {
	if s == "" || s[0] != '<' {
		return 0, NoMatch
	}
	closing := strings.HasPrefix(s, "</")
	from := 1
	if closing {
		from = 2
	}
	after := strings.IndexAny(s[from:], "<>/= \t\r\n\"'")
	if after < 0 {
		return 0, c.mayBegin(s[from:])
	}
	after += from
	if !c[plainName(s[from:after])] {
		return 0, NoMatch
	}
	end := strings.IndexAny(s[after:], "<>\n")
	switch {
	case end < 0 && len(s) < maxCallTag && (!closing || after == len(s)):
		return 0, NeedMore
	case end < 0, s[after+end] != '>', closing && end > 0:
		return 0, NoMatch
	}
	return after + end + 1, Match
}

// mayBegin returns NeedMore if text may be the beginning of a name.
func (c CallTags) mayBegin(text string) Verdict {
	if len(text) < maxCallTag {
		for !utf8.ValidString(text) && text != "" { // a piece may end within a character
			text = text[:len(text)-1]
		}
		text = plainName(text)
		for name := range c {
			if strings.HasPrefix(name, text) {
				return NeedMore
			}
		}
	}
	return NoMatch
}

// plainName returns the name of a tag in lower case, without bars and with _ in place of ▁.
func plainName(name string) string { return strings.ToLower(plainSigns.Replace(name)) }

var plainSigns = strings.NewReplacer("|", "", "｜", "", "▁", "_")
