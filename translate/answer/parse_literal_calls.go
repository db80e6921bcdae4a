package answer

import (
	"bytes"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// What calls that are literals say, and how they are written.

// literalCalls returns the calls in the text that has been read, as far as they are whole, and reports
// whether that is all of it, and nothing speaks against them.
func (p *parser) literalCalls() (calls []literalCall, ok bool) {
	l := &p.literal
	text := string(p.in.since(l.from))
	if l.syntax == format.GemmaLiteral {
		if l.unclosed {
			text += string(l.closer)
		}
		calls, ok = p.readGemmaCall(text)
	} else {
		if l.unclosed {
			text += "]"
		}
		calls, ok = p.readPythonCalls(text)
	}
	for i := range calls {
		ok = ok && (!l.bare || p.mayBeBare(&calls[i]))
		if tool, _ := p.tools.Find(calls[i].name); l.unclosed && tool != nil && held.MayLackAnother(p.schemas.Of(tool), calls[i].input) {
			return nil, false
		}
		if !p.mayBeCalled(calls[i].name) {
			return calls[:i], false
		}
	}
	return calls, ok
}

// readPythonCalls returns the calls in text that are whole, and reports whether all are.
func (p *parser) readPythonCalls(text string) (calls []literalCall, ok bool) {
	read, ok := rawjson.ReadPythonCalls(text)
	for _, c := range read {
		input := markup.Unescape(string(c.Arguments), p.escaped, "")
		calls = append(calls, literalCall{c.Name, jsontext.Value(input), c.Spread, ""})
	}
	return calls, ok
}

// mayBeBare reports whether a call counts that stands without a wrapper.
func (p *parser) mayBeBare(c *literalCall) bool {
	tool, _ := p.tools.Find(c.name)
	if tool == nil || p.literal.midLine && len(c.input) == len("{}") {
		return false
	}
	return !slices.ContainsFunc(p.schemas.Of(tool).Required, func(name string) bool { return rawjson.Lookup(c.input, name) == nil })
}

// writeLiterals writes calls that have been read, one after another.
func (p *parser) writeLiterals(calls []literalCall) (next state) {
	if p.literal.unclosed {
		p.noteReason("missing_brace")
	}
	next = betweenCalls
	for i := range calls {
		if i > 0 {
			p.beginNextCall(markup.Tag{})
			p.call.mustBeWhole, p.call.bare = true, p.literal.erased
		}
		if next, ok := p.nameTool(calls[i].name); !ok {
			return next
		}
		if slip := calls[i].slip; slip != "" {
			p.noteReason(slip)
		}
		p.writeJSONInput("{}", p.retyped(&calls[i]))
		if next = p.closeCall(""); next != betweenCalls {
			break
		}
	}
	return next
}

// retyped returns the input of the call that is named, with the values that its schema has as something
// else than strings.
func (p *parser) retyped(c *literalCall) jsontext.Value {
	if c.typed {
		return c.input
	}
	o := rawjson.ReadObject(c.input)
	for i := range o.Members {
		m := &o.Members[i]
		m.Value = format.Retype(p.call.schema, m.Name, m.Value)
	}
	return o.JSON()
}

// cutLiteral ends calls whose text ends before their last bracket. Those of a list that are whole count,
// in a wrapper; the last one is broken off or given back.
func (p *parser) cutLiteral() state {
	l := &p.literal
	if l.bare {
		return p.giveBackLiteral("incomplete")
	}
	if l.syntax == format.GemmaLiteral {
		if calls, ok := p.readUnclosed(); ok && !p.cutShort && l.quote == format.GemmaQuote && l.opened == 1 {
			p.noteReason("missing_closer")
			return p.writeLiterals(calls)
		}
	} else if calls, _ := p.literalCalls(); len(calls) > 0 {
		if next := p.writeLiterals(calls); next != betweenCalls {
			return next
		}
		return p.cutNextCall()
	}
	p.call.mustBeWhole = false
	if next, ok := p.nameTool(p.call.tool); !ok {
		return next
	}
	return p.breakOff()
}

// readUnclosed returns the call whose last string is not closed: it ends where the call does, with the
// text.
func (p *parser) readUnclosed() (calls []literalCall, ok bool) {
	text := bytes.TrimSpace(p.in.since(p.literal.from))
	for _, closer := range [...]string{format.Gemma4Marks.Call[1], format.FunctionGemmaMarks.Call[1]} {
		text = bytes.TrimSpace(bytes.TrimSuffix(text, []byte(closer)))
	}
	text, ok = bytes.CutSuffix(text, []byte{p.literal.closer})
	tool, _ := p.tools.Find(p.call.tool)
	if !ok || tool == nil {
		return nil, false
	}
	value := string(text[bytes.LastIndex(text, []byte(format.GemmaQuote))+len(format.GemmaQuote):])
	in := p.schemas.Of(tool)
	switch {
	case strings.TrimSpace(value) == "", strings.Contains(value, format.Gemma4Marks.Call[1]), holdsPart([]byte(value)):
		return nil, false
	case held.TakesAny(in) && strings.Contains(value, ":"), erasedEnd(in, value, ':') < len(value): // or that is another parameter
		return nil, false
	}
	return p.readGemmaCall(string(text) + format.GemmaQuote + string(p.literal.closer))
}
