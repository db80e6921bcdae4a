package translate

import (
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// What the answer says beside its calls: text, and thinking that is a block of its own.

// maxBlank bounds the white space that is held because a call may follow it.
const maxBlank = 4 << 10

// writeText adds to the answer's text. White space at its end is held: before a call it is
// layout.
func (p *parser) writeText(s []byte) {
	t := &p.text
	if p.mayCall {
		t.code.advance(s)
	}
	if t.inThinking && p.req.Thinking == messages.ThinkingOmitted {
		return
	}
	n, kind := len(s), p.blockType()
	if p.mayCall || p.out.openKind != kind {
		for n > 0 && markup.IsBlank(s[n-1]) {
			n--
		}
	}
	if n > 0 {
		p.out.ensureBlock(kind)
		p.out.write(t.blank)
		p.out.write(s[:n])
		t.blank = t.blank[:0]
	}
	t.blank = append(t.blank, s[n:]...)
	for len(t.blank) > maxBlank {
		p.out.ensureBlock(kind)
		p.out.write(t.blank[:maxBlank])
		t.blank = t.blank[:copy(t.blank, t.blank[maxBlank:])]
	}
}

// blockType is the type of the block that text belongs in.
func (p *parser) blockType() string {
	if p.text.inThinking {
		return messages.BlockThinking
	}
	return messages.BlockText
}

// dropBlank forgets the white space that was held.
func (p *parser) dropBlank() { p.text.blank = p.text.blank[:0] }

// writeBlank sends the white space that was held, in a text block.
func (p *parser) writeBlank() {
	p.out.ensureBlock(messages.BlockText)
	p.out.write(p.text.blank)
	p.dropBlank()
	p.out.flush()
}

// finishText sends the white space at the end of the answer, unless the model has run on behind
// its calls.
func (p *parser) finishText() {
	if p.out.openKind == messages.BlockText && !p.ended {
		p.out.write(p.text.blank)
		p.out.flush()
	}
}

// writeThinking passes reasoning on that the upstream itself tells apart from text. In the
// middle of a call, or of what may become one, it has no place.
func (p *parser) writeThinking(s string) {
	if p.call.begun || !p.in.isAllRead() {
		return
	}
	p.out.ensureBlock(messages.BlockThinking)
	p.out.write([]byte(s))
	p.out.flush()
}

// readEntity reads an `&` and undoes our escape if it is one, in text or in the value of the
// parameter own; the bytes go to write. It reports whether it could decide.
//
// Of `&amp;amp;…` the first entity is sent before its end is known, since it stays either way:
// the next byte of the input is then an & that was sent already, so that no run of them is held.
func (p *parser) readEntity(own string, write func([]byte)) bool {
	names := p.escaped
	if own == "" {
		names &^= markup.TagOwnParameter
	}
	rest := p.in.rest()
	m := markup.MatchEscape(rest, names, own, p.in.eof)
	plain, n := rest[:1], 1
	switch {
	case m.Verdict == markup.Match:
		plain, n = []byte(m.Plain), m.Len
	case m.Verdict == markup.NeedMore && !p.in.isMarked() && markup.HasPrefix(rest, "&amp;amp;"):
		if !p.text.ampersandSent {
			write(rest[:1])
		}
		write(rest[1:5])
		p.in.take(4)
		p.in.replaceNext('&')
		p.text.ampersandSent = true
		return true
	case m.Verdict == markup.NeedMore:
		return false
	}
	if p.text.ampersandSent {
		plain, p.text.ampersandSent = plain[1:], false
	}
	if len(plain) > 0 {
		write(plain)
	}
	p.in.take(n)
	return true
}
