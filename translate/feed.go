package translate

import (
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"strings"
	"unicode/utf8"
)

// maxPiece bounds how much text is read at once, and so buffers and deltas.
const maxPiece = 16 << 10

// Bounds on what is held of an answer (G6). Models write less than a tenth of that.
const (
	maxUndecided = 1 << 20  // text that may yet be a call, or be none: beyond it is text
	maxHeld      = 16 << 20 // a parameter that is sent when it is whole: beyond it the call is incomplete
	maxParams    = 10_000   // of a call, likewise
	maxOutcomes  = 20_000   // of an answer: more are not counted
)

// feed reads more text, of whole characters or not.
func (p *parser) feed(s string) {
	if p.straight(s) {
		return
	}
	for {
		piece := s[:min(len(s), p.room())]
		s = s[len(piece):]
		p.appendValid(piece)
		p.run()
		if p.mark >= 0 && len(p.in) >= maxUndecided {
			p.decide()
		}
		if s == "" || p.cut || p.unheard {
			return
		}
	}
}

// room returns how much is read at once. Where text is undecided, it leads up to the
// bound on that byte by byte, so that the bound does not depend on the pieces.
func (p *parser) room() int {
	if p.mark < 0 {
		return maxPiece
	}
	const most = len("\uFFFD") // what a byte may become
	return max(1, min(maxPiece, (maxUndecided-len(p.in))/most))
}

// decide takes what has been undecided for too long for text.
func (p *parser) decide() {
	p.pos = len(p.in)
	p.currentValue = currentValue{}
	if p.tool == "" {
		p.state = p.giveBack()
	} else {
		p.state = p.giveBackCall("too_long")
	}
	p.run()
}

// straight reads the piece that most are: text without markup, in the middle of
// prose or of a string, with nothing undecided before it.
func (p *parser) straight(s string) bool {
	if p.direct == nil || s == "" || len(p.out) > maxHeld {
		return false
	}
	if p.nl == "" && p.open == messages.BlockToolUse && len(s) <= maxPiece && len(p.partial) == 0 && rawjson.IsPlain(s) {
		p.out = append(p.out, s...)
		p.blankEnd = markup.IsBlank(s[len(s)-1])
		p.flush()
		return true
	}
	if len(s) > maxPiece || strings.IndexByte(s, '<') >= 0 ||
		p.escaped != 0 && strings.IndexByte(s, '&') >= 0 || len(p.partial) > 0 || !utf8.ValidString(s) {
		return false
	}
	p.in = append(p.in, s...)
	p.direct(p, p.in)
	p.in = p.in[:0]
	p.flush()
	return true
}

// appendValid adds text to in: whole characters only, U+FFFD for bytes that are none.
func (p *parser) appendValid(s string) {
	for len(p.partial) > 0 {
		switch {
		case p.eof && s == "" || utf8.FullRune(p.partial):
			r, n := utf8.DecodeRune(p.partial)
			p.in = utf8.AppendRune(p.in, r)
			p.partial = p.partial[:copy(p.partial, p.partial[n:])]
		case s == "":
			return
		default:
			p.partial = append(p.partial, s[0])
			s = s[1:]
		}
	}
	end := len(s) - partialRune(s)
	p.partial = append(p.partial, s[end:]...)
	if s = s[:end]; utf8.ValidString(s) {
		p.in = append(p.in, s...)
		return
	}
	for _, r := range s {
		p.in = utf8.AppendRune(p.in, r)
	}
}

// partialRune returns how many bytes at the end of s begin a character.
func partialRune(s string) int {
	if s == "" || s[len(s)-1] < utf8.RuneSelf {
		return 0
	}
	for i := 1; i < utf8.UTFMax && i <= len(s); i++ {
		if utf8.RuneStart(s[len(s)-i]) {
			if utf8.FullRuneInString(s[len(s)-i:]) {
				return 0
			}
			return i
		}
	}
	return 0
}

func (p *parser) run() {
	p.direct = nil
	if p.eof {
		p.appendValid("")
	}
	for next := p.state; next != nil && !p.unheard; next = next(p) {
		p.state = next
	}
	keep := p.pos
	if p.mark >= 0 {
		keep = p.mark
		p.mark = 0
	}
	if keep > 0 {
		n := copy(p.in, p.in[keep:])
		p.in = p.in[:n]
		p.pos -= keep
	}
	p.flush()
}
