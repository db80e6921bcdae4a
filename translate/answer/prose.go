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
		p.out.EnsureBlock(messages.BlockThinking)
		return
	}
	n, kind := len(s), p.blockType()
	if marksMayFollow || p.out.OpenKind != kind {
		for n > 0 && markup.IsBlank(s[n-1]) {
			n--
		}
	}
	if n > 0 {
		t.said = t.said || kind == messages.BlockText
		p.out.EnsureBlock(kind)
		p.out.Write(t.blank)
		p.out.Write(s[:n])
		t.blank = t.blank[:0]
	}
	if n == len(s) {
		return
	}
	t.blank = append(t.blank, s[n:]...)
	for len(t.blank) > MaxBlank {
		p.out.EnsureBlock(kind)
		p.out.Write(t.blank[:MaxBlank])
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
	p.out.EnsureBlock(messages.BlockText)
	p.out.Write(p.text.blank)
	p.dropBlank()
	p.out.Flush()
}

// finishText sends the white space at the end of an answer that ends in text. If the answer was ended
// by what came after it (p.ended), the white space belonged to that.
func (p *parser) finishText() {
	if p.out.OpenKind == messages.BlockText && !p.ended {
		p.out.Write(p.text.blank)
		p.out.Flush()
	}
}

// writeThinking writes thinking that came as such from the upstream ([Chunk.Thinking]). In the middle
// of a call, or of what may become one, there is no place for it: it is dropped. White space before it is layout.
func (p *parser) writeThinking(s string) {
	p.text.opened = "" // none of it is in the text
	if p.mayCall && len(p.text.apartThinking)+len(s) <= maxUnread {
		p.text.apartThinking = append(p.text.apartThinking, s...)
	}
	if !p.out.TextBegun && !p.call.begun {
		p.in.SkipBlanks()
		p.dropBlank()
	}
	if p.call.begun || !p.in.IsAllRead() {
		return
	}
	if p.text.hidesThinking {
		p.hid = true
		return
	}
	p.out.EnsureBlock(messages.BlockThinking)
	p.out.Write(p.text.apart.Append(nil, s, false))
	p.out.Flush()
}

// endThinking writes what was held of such thinking, which may have been the beginning of an escape.
func (p *parser) endThinking() {
	if p.out.OpenKind == messages.BlockThinking {
		p.out.Write(p.text.apart.Append(nil, "", true))
	}
}
