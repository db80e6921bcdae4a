package answer

import (
	"bytes"
	"strings"

	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
)

// The end of a JSON call whose brackets or strings have no end. In a complete answer, the model has made a slip in the
// call. The closing tag of the call ends it, or the next call.

// findBrokenEnd finds the end of the call in its held text, and makes the text behind it unread. It returns false if the
// answer was cut off, or if the end is uncertain: text in an open string may look like a call.
func (p *parser) findBrokenEnd() bool {
	if p.in.CutShort || !p.out.Pending || !p.in.IsMarked() {
		return false
	}
	text := p.json.held
	end := p.brokenEnd(text)
	if end < 0 {
		return false
	}
	p.in.Unread(len(text) - end)
	p.json.held, p.json.depth = text[:end], held.Depth{}
	return true
}

// brokenEnd returns where a call ends in text, or -1. Behind its end stand closing tags, and then the next call or the
// end of the text.
func (p *parser) brokenEnd(text []byte) (end int) {
	if !p.maySearch(text) {
		return -1
	}
	end, behind := -1, 0
	for i := 1; i < len(text); i++ {
		if text[i] == '{' {
			if n := endOfElement(text[:i], p.listEnd != ""); n > 0 && p.matchOrphan(text[i:]) == markup.Match && (p.listEnd == "" || p.isListed(text[i:], new(objectsSeen))) {
				return n
			}
		}
		if !p.BeginsTag(text[i]) {
			continue
		}
		if end >= 0 && !isBlank(text[behind:i]) { // more than closing tags stands behind that end
			end = -1
		}
		t, v := p.matchOpener(text[i:])
		switch {
		case v == markup.Match && t.Closing && (t.IsWrapper() || t.Is("invoke")):
			if behind = i + t.Len; end < 0 {
				end = i
			}
		case !p.beginsOffered(text[i:], true):
		case end >= 0:
			return end
		case endsCall(text[:i]):
			return i
		}
	}
	if end >= 0 && isBlank(text[behind:]) {
		return end
	}
	return -1
}

// endOfElement returns the length of text without what separates it from an object behind it, if text ends like an
// object. In a list, the separator is a comma; the other object may stand on a line of its own, too.
func endOfElement(text []byte, inList bool) int {
	object := bytes.TrimRight(text, " \t\r\n")
	line := bytes.IndexByte(text[len(object):], '\n') >= 0
	if bytes.HasSuffix(object, []byte(",")) {
		object = bytes.TrimRight(object[:len(object)-1], " \t\r\n")
		line = line || inList
	}
	if !line || !bytes.HasSuffix(object, []byte("}")) {
		return 0
	}
	return len(object)
}

// endsCall reports whether a call may begin behind text, which is a broken call: on a line of its own, or behind a bracket.
// Elsewhere, a string of the call shows it.
func endsCall(text []byte) bool {
	text = bytes.TrimRight(text, " \t")
	return bytes.HasSuffix(text, []byte("\n")) || bytes.HasSuffix(text, []byte("}")) || bytes.HasSuffix(text, []byte("]"))
}

// beginsOffered reports whether a call to an offered tool begins at the start of text, which has no more text after it.
// The call may be in a wrapper, if wrapped is true.
func (p *parser) beginsOffered(text []byte, wrapped bool) bool {
	if p.matchOrphan(text) == markup.Match {
		return true
	}
	if p.ReadsChannels {
		if h, v := held.MatchHeader(text, true); v == markup.Match && h.Tool != "" {
			return p.mayMean(strings.TrimPrefix(h.Tool, "functions."))
		}
	}
	t, v := p.matchOpener(text)
	if v != markup.Match || t.Closing {
		return false
	}
	if t.IsWrapper() {
		rest := bytes.TrimLeft(text[t.Len:], " \t\r\n[")
		return wrapped && len(rest) > 0 && p.beginsOffered(rest, false)
	}
	return t.Is("invoke") && p.mayMean(p.nameOf(&t))
}

// mayMean reports whether a name means an offered tool.
func (p *parser) mayMean(name string) bool {
	tool, _ := p.tools.Find(name)
	return tool != nil
}

// endBroken reads such a call. Its end is known, so the calls behind it are read, even if the parser cannot read the call.
func (p *parser) endBroken() state {
	return p.behindEnd(p.endJSONCall())
}

// refusesElement reports whether the call is an element of a list that can be refused alone. If the list is the whole
// answer, whole calls behind a first element show that they are meant.
func (p *parser) refusesElement() bool {
	switch {
	case p.calls.whole > 0 || !p.call.alone && p.tags.IsPending():
		return p.json.depth.IsWhole()
	case !p.call.alone || p.call.Spelling == listedCalls || !p.in.EOF || p.call.Tool == "":
		return false
	}
	seen := objectsSeen{calls: true}
	return p.isListed(p.in.Rest(), &seen) && seen.calls && seen.whole
}

// isListed reports whether rest, the text behind an element of a list, has more elements and the end of the list. In an
// open string, text that looks like an element has more text behind it.
func (p *parser) isListed(rest []byte, seen *objectsSeen) bool {
	return p.maySearch(rest) && p.matchObjects(rest, p.listEnd, seen) == markup.Match
}

// behindEnd returns the state behind a refused call whose end has been read. next is the state if the end had not been
// read.
func (p *parser) behindEnd(next state) state {
	if next == inBrokenCall {
		p.call.Spelling = nil
		return betweenCalls
	}
	return next
}

// isBlank reports whether text contains only white space.
func isBlank(text []byte) bool { return markup.SkipBlanks(text, 0, len(text)) == len(text) }
