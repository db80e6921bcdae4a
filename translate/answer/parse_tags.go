package answer

import (
	"bytes"

	"dragoman/translate/answer/tagged"
)

// beginTags begins to read the text after the tool's name, in a call with tags as parameters (inTags).
func (p *parser) beginTags() state {
	p.tags.Enter()
	return inTags
}

// readTags is the state inTags: the name of the call's tool has been read. It reads up to the end of the
// call.
func (p *parser) readTags() state { return p.afterTags(p.tags.Step()) }

// afterTags returns the next state after a step of the tag reader.
func (p *parser) afterTags(exit tagged.Exit) state {
	switch exit.Kind {
	case tagged.Waits:
		if p.tags.IsPlain() {
			p.writePlain = (*parser).writePlainValue
		}
		return wait
	case tagged.Reads:
		return inTags
	case tagged.Closed:
		return p.closeCall(exit.Reason)
	case tagged.GivenBack:
		return p.giveBackCall(exit.Reason)
	case tagged.Unreadable:
		if bytes.Count(p.call.Stray, []byte(`"`))%2 > 0 { // the tag may be part of a string
			return p.closeUnreadable()
		}
		return p.behindEnd(p.closeUnreadable())
	case tagged.Strayed:
		return p.closeStray()
	case tagged.Cut:
		return p.cutCall()
	case tagged.ObjectNext:
		p.json = jsonSeen{}
		return inJSONCall
	}
	return p.breakOff()
}

// writePlainValue is the parser's writePlain function inside a value.
func (p *parser) writePlainValue(s []byte) { p.tags.WritePlain(s) }

// wouldBeText reports whether a tag at the current position would be text: of a value, or of a string in a
// call in JSON. If the upstream stopped at the tag, the model may have written it as text.
func (p *parser) wouldBeText(tag string) bool {
	return p.tags.WouldBeText(tag) || p.json.depth.InString || p.state == inLiteral && p.literal.scan.Quote != ""
}
