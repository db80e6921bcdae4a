package answer

import (
	"dragoman/translate/answer/tagged"
)

// beginTags begins to read what stands behind the name of the tool, in a call whose parameters are tags (inTags).
func (p *parser) beginTags() state {
	p.tags.Enter()
	return inTags
}

// readTags is the state inTags: the name of the tool of a call has been read. It reads the call up to its end.
func (p *parser) readTags() state { return p.afterTags(p.tags.Step()) }

// afterTags returns the state after a step of the reader.
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
		return p.closeUnreadable()
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

// writePlainValue is writePlain in a value.
func (p *parser) writePlainValue(s []byte) { p.tags.WritePlain(s) }

// wouldBeText reports whether tag, if it stood after the text so far, would be text of a value or of
// a string of a call in JSON. The upstream may have stopped at it although the model meant it so.
func (p *parser) wouldBeText(tag string) bool {
	return p.tags.WouldBeText(tag) || p.json.depth.InString || p.state == inLiteral && p.literal.scan.Quote != ""
}
