package translate

import (
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// What becomes of a call that does not come to its end: its input stays open where it is.

// holdsTooMuch tells whether a parameter is too long to be held.
func (p *parser) holdsTooMuch() bool { return len(p.held) > maxHeld || p.holds && len(p.out) > maxHeld }

// endTooLong ends a call that holds more than is read of one.
func (p *parser) endTooLong() state {
	p.held, p.inValue, p.repair = nil, false, "too_long"
	return p.endIncomplete()
}

// cutValue ends a value that the text ended in. A string stays open where it was cut;
// of an object that is the whole input, the members that came whole count.
func (p *parser) cutValue() state {
	p.pos = len(p.in)
	if p.vs == nil {
		p.openObject(markup.Unescape(string(p.held), p.escaped, ""))
	}
	if p.repair == "" {
		p.repair = "cut_value"
	}
	return p.endIncomplete()
}

// openObject takes over the members that came whole of an input in JSON that was cut.
func (p *parser) openObject(text string) {
	p.out = rawjson.AppendCutObject(p.out, text)
	p.cameWhole()
}

// cameWhole takes down that all of the input so far came whole.
func (p *parser) cameWhole() { p.wholeTo = p.written + len(p.out) }
