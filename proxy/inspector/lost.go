package inspector

import (
	"bytes"
	"slices"
	"strings"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// Text in the shape of a call that is not a call. For some of it, the parser reports why (an outcome). Other text the
// parser does not take for a call at all, because nothing told it to: a call in a code fence, in thinking that the
// model's server opens, or in a format that is not accepted. The inspector finds these by parsing the completion again
// with everything accepted.

// Limits of the search.
const (
	mostSearched = 1 << 20 // bytes of a completion
	mostReads    = 1 << 14 // pieces in which it is parsed
	leastHeld    = 20      // bytes; shorter held text may be just the beginning of a tag
	mostFences   = 4       // code fences with JSON; each is parsed by itself
)

// spanShaped is the kind of text in the shape of a call.
const spanShaped = "shaped"

// acceptAll are the changes under which the search parses a completion, the smaller one first.
var acceptAll = []change{
	{QuotedCalls: proxy.QuotedRead},
	{QuotedCalls: proxy.QuotedRead, Accept: translate.AcceptAll, Rescue: true, Thinking: translate.ThinkingMarked},
}

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

// findLost looks for lost calls in the completion that has just ended, and records them.
func (c *capture) findLost() {
	p := c.prompt
	c.mu.Lock()
	lost := slices.ContainsFunc(p.outcomes, outcome.isLost)
	if c.gone || c.req == nil || len(c.req.Tools) == 0 || p.served || p.completion.size > mostSearched || len(p.outcomes) > 0 && !lost {
		c.mu.Unlock()
		return
	}
	a := p.answered()
	c.mu.Unlock()
	a.req = c.req
	found, all := a.unnoticed(c, lost)
	var quoted []stretch
	if !lost && found == nil {
		found, quoted = a.quoted(c)
	}
	if !lost && found == nil {
		found = a.thought(c)
	}
	if !lost && found == nil {
		return
	}
	shaped := a.shaped(c, all, quoted)
	if c.store.reserve(c.exchange, (1+2*len(shaped))*spanSize+outcomeSize) == 0 {
		return
	}
	c.change(func() {
		if c.gone {
			return
		}
		p.spans = overlay(p.spans, shaped)
		if found != nil {
			p.outcomes, c.outcomes = append(p.outcomes, *found), append(c.outcomes, *found)
			c.noteMisread(*found)
		}
	})
}

// unnoticed parses the completion again with more accepted, and returns that reading. If it has a call and lost is
// false, unnoticed also returns the outcome of the call.
func (a *answered) unnoticed(c *capture, lost bool) (*outcome, *reading) {
	var all *reading
	for _, accepting := range acceptAll {
		read, err := a.parse(c.ctx, accepting, max(len(a.text), 1))
		if err != nil {
			return nil, nil
		}
		all = read
		if calls := read.calls(); len(calls) > 0 && !lost {
			reason := messages.ReasonNone
			if accepting.Accept == "" {
				reason = messages.ReasonQuoted
			}
			return &outcome{string(messages.OutcomeLeaked), clip(calls[0]), reason}, all
		}
	}
	return nil, all
}

// quoted looks for JSON calls in code fences with other text around them: the parser takes a fence for a call only if
// it is the whole answer. quoted returns the outcome of the first such call, nil for none, and the places of all.
func (a *answered) quoted(c *capture) (found *outcome, at []stretch) {
	fences := fencesWithJSON(a.text)
	for _, s := range fences[:min(len(fences), mostFences)] {
		alone := *a
		alone.text = a.text[s.from:s.to]
		read, err := alone.parse(c.ctx, acceptAll[1], len(alone.text))
		if err != nil {
			return nil, nil
		}
		if calls := read.calls(); len(calls) > 0 {
			if at = append(at, s); found == nil {
				found = &outcome{string(messages.OutcomeLeaked), clip(calls[0]), messages.ReasonQuoted}
			}
		}
	}
	return found, at
}

// thought returns the outcome of a call in thinking that the upstream sends in a separate field, nil if there is none.
// The parser counts only calls in thinking that is part of the text.
func (a *answered) thought(c *capture) *outcome {
	if a.thinking == "" || len(a.thinking) > mostSearched {
		return nil
	}
	alone := *a
	alone.text, alone.thinking = a.thinking, ""
	read, err := alone.parse(c.ctx, change{Thinking: translate.ThinkingMarked}, len(alone.text))
	if err != nil || len(read.calls()) == 0 {
		return nil
	}
	return &outcome{string(messages.OutcomeLeaked), clip(read.calls()[0]), messages.ReasonThinking}
}

// fencesWithJSON returns the places of code fences in a Markdown text that begin with an object or a list.
func fencesWithJSON(text string) (out []stretch) {
	const ticks = "```"
	for from := 0; ; {
		begin := strings.Index(text[from:], ticks)
		if begin < 0 {
			return out
		}
		begin += from
		_, code, _ := strings.Cut(text[begin:], "\n")
		end := strings.Index(code, ticks)
		if end < 0 {
			return out
		}
		from = len(text) - len(code) + end + len(ticks)
		if code = strings.TrimSpace(code); strings.HasPrefix(code, "{") || strings.HasPrefix(code, "[") {
			out = append(out, stretch{int64(begin), int64(from)})
		}
	}
}

// shaped returns where the completion has text in the shape of a call: text that was held back and given back,
// text that is a call when all is accepted, and quoted calls.
func (a *answered) shaped(c *capture, all *reading, quoted []stretch) (out []stretch) {
	read, err := a.parse(c.ctx, change{}, 1+len(a.text)/mostReads)
	if err != nil || all == nil {
		return nil
	}
	for _, s := range read.held {
		line := bytes.IndexByte([]byte(a.text[min(s.to, int64(len(a.text))):]), '\n') // what ends a call came with the piece after
		if line < 0 {
			line = len(a.text) - int(s.to)
		}
		out = append(out, stretch{s.from, s.to + int64(line)})
	}
	out = append(out, quoted...)
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
