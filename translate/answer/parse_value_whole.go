package answer

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

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
	if v.text.json.isJSON {
		if !v.text.json.isWhole() || v.text.schema.ArraySchema() != nil && !v.isList() { // it may be an element of a list
			return false
		}
		if !v.heldIsJSON() {
			v.text.json = jsonText{begun: true} // it only looked like JSON
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
func (p *parser) endWhole(rest []byte, t *valueTag) (n int, d decision) {
	v := &p.value
	switch {
	case t.closes(v.text.closer):
		switch p.mayFollow(rest[t.len:], false) {
		case markup.NeedMore:
			return 0, needsMore
		case markup.NoMatch:
			if p.nextOpens(rest[t.len:], v.text.property) && v.text.schema.ArraySchema() != nil {
				return 0, isDoubt
			}
		}
		return t.len, endsValue
	case t.kind == closesCall && callEndedBy(t) == ended: // the end of the wrapper: the call may be cut
		v.text.crossed = true // if it goes on after that, the tag may be another parameter's
		return 0, isValue
	case t.kind != closesOther && t.isCloser() && t.declared && !p.value.cdata: // of the call, or of a parameter
		return 0, isDoubt
	case t.kind <= opensParameter && t.property == v.text.property:
		if i, verdict := p.in.matchBlanks(rest, t.len, maxGap); verdict == markup.NeedMore {
			return 0, needsMore
		} else if (v.isList() || v.text.schema.ArraySchema() == nil) && verdict == markup.Match && (i == len(rest) || rest[i] == '<') {
			p.noteReason("wrong_closer")
			return t.len, endsValue
		}
		// A list with elements that are not closed, or one element that is closed by an opening tag.
		v.text.crossed = true
		return 0, isValue
	case t.kind == closesOther, t.nameless && !v.text.element:
		p.noteReason("wrong_closer")
		return t.len, endsValue
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
	return v == markup.Match && !t.Closing && p.readValueTag(&t, 0).property == property
}

// isScalar reports whether the value so far is a number, a boolean or null, and its schema allows
// nothing else. Such a value cannot hold a tag.
func (p *parser) isScalar() bool {
	v := &p.value
	if v.mode != modeHeld || !v.text.schema.IsScalar() || len(v.held) > 2*maxNull {
		return false
	}
	_, fits := schema.AppendTyped(nil, v.text.schema, string(v.held))
	return fits
}
