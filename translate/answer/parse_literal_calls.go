package answer

import (
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// How calls that are literals are written, and what becomes of those that are cut.

// literalText returns the text of the calls, as far as it has been read.
func (p *parser) literalText() string { return string(p.in.Since(p.literal.from)) }

// writeLiterals writes calls that have been read, one after another.
func (p *parser) writeLiterals(calls []held.Literal) (next state) {
	next = betweenCalls
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
		if next = p.closeCall(""); next != betweenCalls {
			break
		}
	}
	return next
}

// cutLiteral ends calls whose text ends before their last bracket. Those of a list that are whole count,
// in a wrapper; the last one is broken off or given back.
func (p *parser) cutLiteral() state {
	l := &p.literal
	if l.Bare {
		return p.giveBackLiteral("incomplete")
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
