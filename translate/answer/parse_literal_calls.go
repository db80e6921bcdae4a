package answer

import (
	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// How the parser writes calls in literal syntax, and what it does with calls that are cut off.

// literalText returns the text of the calls that has been read so far.
func (p *parser) literalText() string { return string(p.in.Since(p.literal.from)) }

// writeLiterals writes calls that have been read, one after another. Several calls in a code fence stay text: only
// one call can be given back if the fence does not end after it.
func (p *parser) writeLiterals(calls []held.Literal) (next state) {
	if p.call.Quoted > 0 && len(calls) > 1 {
		return p.giveBack()
	}
	switch n, v := p.matchShown(p.in.Rest()); v {
	case markup.NeedMore:
		return wait
	case markup.Match:
		p.in.Take(n, completion.SpanMarkup)
		var tools []string
		for i := range calls {
			tools = append(tools, calls[i].Name)
		}
		return p.leakCalls(messages.ReasonDiscussed, tools...)
	}
	next, p.call.line = betweenCalls, nil
	for i := range calls {
		if i > 0 {
			p.beginNextCall(markup.Tag{})
			p.call.MustBeWhole, p.call.Bare = true, p.literal.erased
		}
		if next, ok := p.nameTool(calls[i].Name); !ok {
			return next
		}
		p.noteReasons(calls[i].Slips)
		p.writeJSONInput("{}", calls[i].Input)
		if next = p.closeCall(messages.ReasonNone); next != betweenCalls {
			break
		}
	}
	return next
}

// cutLiteral ends calls that were cut off before their last bracket. In a wrapper, the whole calls of a list count,
// and the last call is broken off or given back.
func (p *parser) cutLiteral() state {
	l := &p.literal
	if l.Bare {
		return p.giveBackLiteral(messages.ReasonIncomplete)
	}
	if l.Syntax == format.GemmaLiteral {
		if !p.in.CutShort && l.scan.Quote == format.GemmaQuote && l.scan.Opened == 1 {
			if calls, ok := l.ReadUnclosed(p.literalText()); ok {
				return p.writeLiterals(calls)
			}
		}
	} else if calls, _ := l.Read(p.literalText()); len(calls) > 0 {
		if next := p.writeLiterals(calls); next != betweenCalls {
			return next
		}
		return p.cutNextCall()
	}
	p.call.MustBeWhole = false
	if next, ok := p.nameTool(p.call.Tool); !ok {
		return next
	}
	return p.breakOff()
}
