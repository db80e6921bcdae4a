package constrain

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/rawjson"
)

// A model that may choose is held to nothing until it begins a call: by a structural tag, of the types that
// xgrammar has had since 0.1.25, or by triggers. What calls begin with has to be as long as it can be, since
// text that holds it becomes a call.

// triggers returns what calls begin with, none of which begins another.
func (c *calls) triggers() (list []string) {
	for _, w := range c.ways {
		begin, _, _ := strings.Cut(c.frame.Before+w.head, format.CallNumber)
		list = append(list, begin)
	}
	slices.Sort(list)
	return slices.CompactFunc(list, func(longer, before string) bool { return strings.HasPrefix(longer, before) })
}

// tag returns the structural tag of text with calls: with a tag for each way to begin them, which holds what may
// follow. If all calls of an answer stand in one frame, each of these tags has the rules of all calls; where that is too
// long for servers, one tag begins with what all ways have in common.
func (c *calls) tag() jsontext.Value {
	triggers := c.triggers()
	var tags []string
	for _, w := range c.ways {
		begin, _, _ := strings.Cut(c.frame.Before+w.head, format.CallNumber)
		rest := headBehind(begin, c.frame.Before+w.head)
		if c.frame.After == "" {
			tags = append(tags, c.tagOf(begin, sequence(rest, w.rest), w.tail))
		} else {
			tags = append(tags, c.tagOf(begin, sequence(rest, w.rest, literal(w.tail), c.others()), c.frame.After))
		}
	}
	whole := c.triggered(triggers, tags)
	begin := commonPrefix(triggers)
	if len(whole) <= MaxBytes || c.frame.After == "" || !strings.ContainsFunc(begin, unicode.IsLetter) { // any text has a bracket
		return whole
	}
	var first []string
	for _, w := range c.ways {
		first = append(first, sequence(headBehind(begin, c.frame.Before+w.head), w.end()))
	}
	return c.triggered([]string{begin}, []string{c.tagOf(begin, sequence(either(first...), c.others()), c.frame.After)})
}

// tagOf returns the tag of a text that begins and ends so, with the grammar of what stands between.
func (c *calls) tagOf(begin, content, end string) string {
	return `{"type":"tag","begin":` + quoted(begin) + `,"content":{"type":"grammar","grammar":` + quoted(c.text(content)) + `},"end":` + quoted(end) + `}`
}

// triggered returns the structural tag of text with these tags.
func (c *calls) triggered(triggers, tags []string) jsontext.Value {
	out := []byte(`{"type":"structural_tag","format":{"type":"triggered_tags","triggers":[`)
	for i, t := range triggers {
		if i > 0 {
			out = append(out, ',')
		}
		out = rawjson.AppendString(out, t)
	}
	out = append(append(append(out, `],"tags":[`...), strings.Join(tags, ",")...), ']')
	if c.one {
		out = append(out, `,"stop_after_first":true`...)
	}
	return append(out, "}}"...)
}

// headBehind returns the expression of what follows the beginning of a head. Any number may stand for that of the call.
func headBehind(begin, head string) string {
	before, behind, numbered := strings.Cut(strings.TrimPrefix(head, begin), format.CallNumber)
	if !numbered {
		return literal(before)
	}
	return sequence(literal(before), "[0-9]{1,4}", literal(behind))
}

// commonPrefix returns what all texts begin with.
func commonPrefix(texts []string) string {
	prefix := texts[0]
	for _, text := range texts {
		for !strings.HasPrefix(text, prefix) {
			_, size := utf8.DecodeLastRuneInString(prefix)
			prefix = prefix[:len(prefix)-size]
		}
	}
	return prefix
}
