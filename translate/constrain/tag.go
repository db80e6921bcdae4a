package constrain

import (
	"slices"
	"strings"

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

// tag returns the structural tag of text with calls.
func (c *calls) tag() jsontext.Value {
	var tags []string
	for _, w := range c.ways {
		begin, behind, numbered := strings.Cut(c.frame.Before+w.head, format.CallNumber)
		rest, end := w.rest, w.tail
		if numbered {
			rest = sequence("[0-9]{1,4}", literal(behind), rest)
		}
		if c.frame.After != "" {
			rest, end = sequence(rest, literal(w.tail), c.others()), c.frame.After
		}
		tags = append(tags, `{"type":"tag","begin":`+quoted(begin)+`,"content":{"type":"grammar","grammar":`+quoted(c.text(sequence(rest)))+`},"end":`+quoted(end)+`}`)
	}
	out := []byte(`{"type":"structural_tag","format":{"type":"triggered_tags","triggers":[`)
	for i, t := range c.triggers() {
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
