package answer

import (
	"bytes"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// How text and thinking, which are not part of a call, are written.

// MaxBlank bounds the white space that is held because a call may follow it, before which white
// space is layout. More than that is written.
const MaxBlank = 4 << 10

// writeText writes text of the answer, or of the block of thinking that is open. White space at its
// end is held where a call or a mark of thinking may follow, before which it is layout, and where no block
// is open yet, since white space alone opens none.
func (p *parser) writeText(s []byte) {
	t := &p.text
	marksMayFollow := p.mayCall || t.takesThinking
	if marksMayFollow {
		t.code.advance(s)
	}
	switch {
	case t.inThinking && t.hidesThinking:
		p.hid = true
		return
	case t.inThinking && p.req.Thinking == messages.ThinkingOmitted:
		p.out.ensureBlock(messages.BlockThinking)
		return
	}
	n, kind := len(s), p.blockType()
	if marksMayFollow || p.out.openKind != kind {
		for n > 0 && markup.IsBlank(s[n-1]) {
			n--
		}
	}
	if n > 0 {
		t.said = t.said || kind == messages.BlockText
		p.out.ensureBlock(kind)
		p.out.write(t.blank)
		p.out.write(s[:n])
		t.blank = t.blank[:0]
	}
	if n == len(s) {
		return
	}
	t.blank = append(t.blank, s[n:]...)
	for len(t.blank) > MaxBlank {
		p.out.ensureBlock(kind)
		p.out.write(t.blank[:MaxBlank])
		t.blank = t.blank[:copy(t.blank, t.blank[MaxBlank:])]
	}
}

// unescaped returns a text of the answer with our escapes taken off, which was not read as text.
func (p *parser) unescaped(text []byte) []byte {
	if p.escaped.Tags == 0 || bytes.IndexByte(text, '&') < 0 {
		return text
	}
	return []byte(markup.Unescape(string(text), p.escaped, ""))
}

// blockType returns the type of the block that text belongs in.
func (p *parser) blockType() string {
	if p.text.inThinking {
		return messages.BlockThinking
	}
	return messages.BlockText
}

// dropBlank drops the white space that is held.
func (p *parser) dropBlank() { p.text.blank = p.text.blank[:0] }

// writeBlank sends the white space that is held, in a text block.
func (p *parser) writeBlank() {
	p.out.ensureBlock(messages.BlockText)
	p.out.write(p.text.blank)
	p.dropBlank()
	p.out.flush()
}

// finishText sends the white space at the end of an answer that ends in text. If the answer was ended
// by what came after it (p.ended), the white space belonged to that.
func (p *parser) finishText() {
	if p.out.openKind == messages.BlockText && !p.ended {
		p.out.write(p.text.blank)
		p.out.flush()
	}
}

// writeThinking writes thinking that came as such from the upstream ([Chunk.Thinking]). In the middle
// of a call, or of what may become one, there is no place for it: it is dropped. White space before it is layout.
func (p *parser) writeThinking(s string) {
	p.text.opened = "" // none of it is in the text
	if !p.out.textBegun && !p.call.begun {
		p.in.skipBlanks()
		p.dropBlank()
	}
	if p.call.begun || !p.in.isAllRead() {
		return
	}
	if p.text.hidesThinking {
		p.hid = true
		return
	}
	p.out.ensureBlock(messages.BlockThinking)
	p.out.buf = p.text.apart.Append(p.out.buf, s, false)
	p.out.flush()
}

// endThinking writes what was held of such thinking, which may have been the beginning of an escape.
func (p *parser) endThinking() {
	if p.out.openKind == messages.BlockThinking {
		p.out.buf = p.text.apart.Append(p.out.buf, "", true)
	}
}

// readEntity reads the `&` that is next, in text or, with own, in the value of the parameter that has
// this tag. If it begins an escape of ours, one level of escaping is taken off. The text goes to
// write. It reports false if more text has to come before that can be decided.
//
// In `&amp;amp;amp;…` nothing is certain before the run ends, and a run has no bound. But taking off
// one level drops one `amp;` of it and keeps the rest, so the first `&amp;` can be written at once:
//
//	&amp;amp;amp;x    written: &amp;
//	    &amp;amp;x    the ; of the first entity, which is next, is replaced by & (replaceNext), and
//	                  ampersandSent records that this & has been written
func (p *parser) readEntity(own string, write func([]byte)) bool {
	names := p.escaped
	if own == "" {
		names.Tags &^= markup.TagOwnParameter
	}
	kind := SpanText
	if p.value.open {
		kind = SpanValue
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
		p.in.take(4, kind)
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
	p.in.take(n, kind)
	return true
}
