package inspector

import (
	"bytes"
	"slices"

	"dragoman/translate"
)

// Text in the shape of a call that is not a call: the parser reports why (an outcome), and the inspector marks where it
// is. It finds the place by parsing the completion again with everything accepted.

// Limits of the search.
const (
	mostSearched = 1 << 20 // bytes of a completion
	mostReads    = 1 << 14 // pieces in which it is parsed
	leastHeld    = 20      // bytes; shorter held text may be just the beginning of a tag
)

// spanShaped is the kind of text in the shape of a call.
const spanShaped = "shaped"

// acceptAll is the change under which the search parses a completion.
var acceptAll = change{QuotedCalls: translate.QuotedRead, Accept: translate.AcceptAll, Rescue: true, Thinking: translate.ThinkingMarked}

// stretch is a part of a completion, in bytes.
type stretch struct{ from, to int64 }

// hold records what the parser holds back after a step.
func (r *reading) hold(step translate.Step) {
	n := len(r.spans)
	for n > 0 && (r.spans[n-1].Kind == translate.SpanHeld.String() || r.spans[n-1].Kind == translate.SpanDoubt.String()) {
		n--
	}
	from := int64(0)
	if n > 0 {
		from = r.spans[n-1].End
	}
	switch last := len(r.held) - 1; {
	case int64(step.End)-from < leastHeld:
	case last >= 0 && r.held[last].from == from:
		r.held[last].to = int64(step.End)
	default:
		r.held = append(r.held, stretch{from, int64(step.End)})
	}
}

// findLost marks the lost calls of the completion that has just ended.
func (c *capture) findLost() {
	p := c.prompt
	c.mu.Lock()
	lost := slices.ContainsFunc(p.outcomes, outcome.isLost)
	if c.gone || c.req == nil || !lost || p.completion.size > mostSearched {
		c.mu.Unlock()
		return
	}
	a := p.answered()
	c.mu.Unlock()
	a.req = c.req
	shaped := a.shaped(c)
	if c.store.reserve(c.keptExchange, 2*len(shaped)*spanSize) == 0 {
		return
	}
	c.change(func() {
		if !c.gone {
			p.spans = overlay(p.spans, shaped)
		}
	})
}

// shaped returns where the completion has text in the shape of a call: text that was held back and given back,
// text that is a call when all is accepted, and calls in JSON.
func (a *answered) shaped(c *capture) (out []stretch) {
	read, err := a.parse(c.ctx, change{}, 1+len(a.text)/mostReads)
	if err != nil {
		return nil
	}
	all, err := a.parse(c.ctx, acceptAll, max(len(a.text), 1))
	if err != nil {
		return nil
	}
	for _, s := range read.held {
		line := bytes.IndexByte([]byte(a.text[min(s.to, int64(len(a.text))):]), '\n') // what ends a call came with the piece after
		if line < 0 {
			line = len(a.text) - int(s.to)
		}
		out = append(out, stretch{s.from, s.to + int64(line)})
	}
	for found := range translate.FindCalls(a.req, a.text) {
		out = append(out, stretch{int64(found.From), int64(found.To)})
	}
	from := int64(0)
	for _, s := range all.spans {
		if s.Kind == translate.SpanMarkup.String() || s.Kind == translate.SpanValue.String() {
			out = append(out, stretch{from, s.End})
		}
		from = s.End
	}
	slices.SortFunc(out, func(a, b stretch) int { return int(a.from - b.from) })
	return out
}

// overlay returns spans of which the text within sorted stretches is of the kind [spanShaped].
func overlay(spans []Span, stretches []stretch) []Span {
	var out []Span
	add := func(end int64, kind, source string) {
		if n := len(out); n > 0 && out[n-1].Kind == kind && out[n-1].Source == source {
			out[n-1].End = end
		} else {
			out = append(out, Span{end, kind, source})
		}
	}
	from := int64(0)
	for _, s := range spans {
		for _, within := range stretches {
			begin, end := max(within.from, from), min(within.to, s.End)
			if s.Kind != translate.SpanText.String() || end <= begin {
				continue
			}
			if begin > from {
				add(begin, s.Kind, s.Source)
			}
			add(end, spanShaped, s.Source)
			from = end
		}
		if from < s.End {
			add(s.End, s.Kind, s.Source)
			from = s.End
		}
	}
	return out
}
