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

// If a model may choose, nothing constrains it until it begins a call. Structural tags (the types
// in xgrammar since 0.1.25) or triggers do this. The text that begins a call has to be as long as
// possible, because any text that contains it becomes a call.

// triggers returns the texts that begin calls. None of them begins with another.
func (c *calls) triggers() (list []string) {
	for _, w := range c.ways {
		begin, _, _ := strings.Cut(c.frame.Before+w.head, format.CallNumber)
		list = append(list, begin)
	}
	slices.Sort(list)
	return slices.CompactFunc(list, func(longer, before string) bool { return strings.HasPrefix(longer, before) })
}

// tag returns the structural tag for text with calls: a tag for each way to begin a call, with the
// text that may follow. If all calls of an answer share one frame, each tag has the rules for all
// calls. If that is too long for servers, there is one tag that begins with the common start of all
// ways.
func (c *calls) tag() jsontext.Value {
	triggers := c.triggers()
	var tags []string
	size, others := 0, c.others()
	for _, w := range c.ways {
		if size > MaxBytes {
			break
		}
		begin, _, _ := strings.Cut(c.frame.Before+w.head, format.CallNumber)
		rest := headBehind(begin, c.frame.Before+w.head)
		if c.frame.After == "" {
			tags = append(tags, c.tagOf(begin, sequence(rest, w.rest), w.tail))
		} else {
			tags = append(tags, c.tagOf(begin, sequence(rest, w.rest, literal(w.tail), others), c.frame.After))
		}
		size += len(tags[len(tags)-1])
	}
	whole := c.triggered(triggers, tags)
	begin := commonPrefix(triggers)
	if len(whole) <= MaxBytes || c.frame.After == "" || !strings.ContainsFunc(begin, unicode.IsLetter) { // a bracket alone occurs in any text
		return whole
	}
	var first []string
	for _, w := range c.ways {
		first = append(first, sequence(headBehind(begin, c.frame.Before+w.head), w.end()))
	}
	return c.triggered([]string{begin}, []string{c.tagOf(begin, sequence(either(first...), others), c.frame.After)})
}

// tagOf returns a tag with this begin and end, and a grammar for the text in between.
func (c *calls) tagOf(begin, content, end string) string {
	return `{"type":"tag","begin":` + quoted(begin) + `,"content":{"type":"grammar","grammar":` + quoted(c.text(content)) + `},"end":` + quoted(end) + `}`
}

// triggered returns the structural tag for text with these tags.
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

// headBehind returns the expression of the rest of a head after begin. Any number may replace the
// number of the call.
func headBehind(begin, head string) string {
	before, behind, numbered := strings.Cut(strings.TrimPrefix(head, begin), format.CallNumber)
	if !numbered {
		return literal(before)
	}
	return sequence(literal(before), "[0-9]{1,4}", literal(behind))
}

// commonPrefix returns the common prefix of texts.
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
