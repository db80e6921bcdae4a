package answer

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// Values of which the type tells where they end: JSON, and numbers, booleans and null.

// isWhole reports whether the value so far is whole and cannot go on with a tag: JSON that has ended,
// or a number, a boolean or null where nothing else is allowed.
func (p *parser) isWhole() bool {
	v := &p.value
	if v.mode != modeHeld {
		return false
	}
	if v.text.JSON.Is {
		if !v.text.JSON.IsWhole() || v.text.Schema.ArraySchema() != nil && !v.isList() { // it may be an element of a list
			return false
		}
		if !v.heldIsJSON() {
			v.text.JSON = held.JSON{Begun: true} // it only looked like JSON
			return false
		}
		return true
	}
	return p.isScalar()
}

// heldIsJSON reports whether what is held of the value, which only grows, is JSON.
func (v *valueSeen) heldIsJSON() bool {
	if v.validLen == 0 || v.validLen != len(v.held) {
		if !jsontext.Value(bytes.TrimSpace(v.held)).IsValid() {
			return false
		}
		v.validLen = len(v.held)
	}
	return true
}

// endWhole is decideTag for a value that is whole: every tag that can end it does. In a list that is
// written as <p>1</p><p>2</p>, it may be the first element.
func (p *parser) endWhole(rest []byte, t *held.Tag) (n int, d decision) {
	v := &p.value
	switch {
	case t.Closes(v.text.Closer):
		switch p.mayFollow(rest[t.Len:], false) {
		case markup.NeedMore:
			return 0, needsMore
		case markup.NoMatch:
			if p.nextOpens(rest[t.Len:], v.text.Property) && v.text.Schema.ArraySchema() != nil {
				return 0, isDoubt
			}
		}
		return t.Len, endsValue
	case t.Kind == held.ClosesWrapper: // the end of the wrapper: the call may be cut
		v.text.Unpaired = true
		return 0, isValue
	case t.Kind != held.ClosesOther && t.IsCloser() && t.Declared && !p.value.cdata: // of the call, or of a parameter
		return 0, isDoubt
	case t.Kind <= held.OpensParameter && t.Property == v.text.Property:
		if i, verdict := p.in.matchBlanks(rest, t.Len, maxGap); verdict == markup.NeedMore {
			return 0, needsMore
		} else if (v.isList() || v.text.Schema.ArraySchema() == nil) && verdict == markup.Match && (i == len(rest) || rest[i] == '<') {
			p.noteReason("wrong_closer")
			return t.Len, endsValue
		}
		// A list with elements that are not closed, or one element that is closed by an opening tag.
		v.text.CallTags++
		return 0, isValue
	case t.Kind == held.ClosesOther, t.Nameless && !v.text.Element:
		p.noteReason("wrong_closer")
		return t.Len, endsValue
	}
	return 0, p.endUnclosed()
}

// isList reports whether the value so far begins as an array of JSON does.
func (v *valueSeen) isList() bool { return markup.HasPrefix(bytes.TrimSpace(v.held), "[") }

// nextOpens reports whether the next tag of rest opens the parameter.
func (p *parser) nextOpens(rest []byte, property string) bool {
	rest = rest[markup.SkipBlanks(rest, 0, len(rest)):]
	if len(rest) == 0 || rest[0] != '<' {
		return false
	}
	t, v := p.matchTag(rest)
	return v == markup.Match && !t.Closing && p.readValueTag(&t, 0).Property == property
}

// isScalar reports whether the value so far is a number, a boolean or null, and its schema allows
// nothing else. Such a value cannot hold a tag.
func (p *parser) isScalar() bool {
	v := &p.value
	if v.mode != modeHeld || !v.text.Schema.IsScalar() || len(v.held) > 2*maxNull {
		return false
	}
	_, fits := schema.AppendTyped(nil, v.text.Schema, string(v.held))
	return fits
}
