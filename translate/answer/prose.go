package answer

import (
	"bytes"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// How the parser writes text and thinking outside of calls.

// MaxBlank is the most white space that the parser holds because a call may follow, in bytes. White space
// before a call is layout. Beyond the limit, the parser writes the white space.
const MaxBlank = 4 << 10

// writeText writes text of the answer or of the open block of thinking. It holds white space at the end of
// the text in two cases. First, a call or a mark of thinking may follow: white space before those is
// layout. Second, no block is open yet: white space alone opens no block.
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
		t.answered = t.answered || kind == messages.BlockText && t.thinkingTag == ""
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

// unescaped returns text of the answer that was not read as text, with Dragoman's escapes removed.
func (p *parser) unescaped(text []byte) []byte {
	if p.escaped.Tags == 0 || bytes.IndexByte(text, '&') < 0 {
		return text
	}
	return []byte(markup.Unescape(string(text), p.escaped, ""))
}

// blockType returns the type of the block for text at the current position.
func (p *parser) blockType() string {
	if p.text.inThinking {
		return messages.BlockThinking
	}
	return messages.BlockText
}

// dropBlank drops the held white space.
func (p *parser) dropBlank() { p.text.blank = p.text.blank[:0] }

// finishText sends the white space at the end of an answer that ends in text. If something after the text
// ended the answer (p.ended), the white space belongs to that, and is not sent.
func (p *parser) finishText() {
	if p.out.OpenKind == messages.BlockText && !p.ended {
		p.out.Write(p.text.blank)
		p.out.Flush()
	}
}

// writeThinking writes thinking that the upstream marks itself ([Chunk.Thinking]). Inside a call, or text
// that may become a call, the thinking is dropped. White space before thinking is layout.
func (p *parser) writeThinking(s string) {
	p.text.opened = "" // the upstream marks thinking, so the text has none
	if p.mayCall {
		room := maxUnread - len(p.text.apartThinking)
		p.text.apartThinking = append(p.text.apartThinking, s[:min(len(s), room)]...)
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

// endThinking writes the rest of such thinking. It was held because it may have been the start of an
// escape.
func (p *parser) endThinking() {
	if p.out.OpenKind == messages.BlockThinking {
		p.out.Write(p.text.apart.Append(nil, "", true))
	}
}
