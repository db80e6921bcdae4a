package translate

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// What most pieces of a completion are: text that the parser can only pass on.

// isPlain reports whether s is ASCII without control characters, without `<`, and without the bytes a,
// b and c. It looks at eight bytes at a time.
func isPlain(s string, a, b, c byte) bool {
	allA, allB, allC := ones*uint64(a), ones*uint64(b), ones*uint64(c)
	if len(s) < 8 {
		x := ones * uint64(' ')
		for i := range len(s) {
			x = x<<8 | uint64(s[i])
		}
		return special(x, allA, allB, allC) == 0
	}
	for i := 0; i+8 < len(s); i += 8 {
		if special(load8(s[i:]), allA, allB, allC) != 0 {
			return false
		}
	}
	return special(load8(s[len(s)-8:]), allA, allB, allC) == 0
}

// isASCII reports whether s is ASCII.
func isASCII(s string) bool {
	if len(s) < 8 {
		for i := range len(s) {
			if s[i] >= utf8.RuneSelf {
				return false
			}
		}
		return true
	}
	for i := 0; i+8 < len(s); i += 8 {
		if load8(s[i:])&tops != 0 {
			return false
		}
	}
	return load8(s[len(s)-8:])&tops == 0
}

// load8 returns the first eight bytes of s.
func load8(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// One in each of eight bytes, and the top bit of each.
const ones, tops = 0x0101010101010101, 0x8080808080808080

// special returns 0 if none of the eight bytes in x is one that isPlain excludes. A byte below a limit
// borrows from its top bit where that is subtracted, and a byte that equals another is zero after the
// XOR. Bits that a borrow sets in the next bytes only stand where there is a right one below them.
func special(x, allA, allB, allC uint64) uint64 {
	lt, a, b, c := x^ones*'<', x^allA, x^allB, x^allC
	return (x | (x - ones*' ') | (lt - ones) | (a - ones) | (b - ones) | (c - ones)) & tops
}

// equal finds the bytes among the eight in x that equal those in all: the lowest bit that is set is
// the top bit of the first of them, and no bit is set if there is none.
func equal(x, all uint64) uint64 {
	y := x ^ all
	return (y - ones) &^ y & tops
}

// indexEither returns the index, from i on, of the first byte of s that is a or b, or len(s).
func indexEither(s []byte, i int, a, b byte) int {
	allA, allB := ones*uint64(a), ones*uint64(b)
	for ; i+8 <= len(s); i += 8 {
		x := binary.LittleEndian.Uint64(s[i:])
		if found := equal(x, allA) | equal(x, allB); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	if len(s) < 8 {
		for i < len(s) && s[i] != a && s[i] != b {
			i++
		}
		return i
	}
	x := binary.LittleEndian.Uint64(s[len(s)-8:]) >> (8 * (8 - (len(s) - i))) // 0 at i == len(s), and above s
	if found := equal(x, allA) | equal(x, allB); found != 0 {
		return i + bits.TrailingZeros64(found)/8
	}
	return len(s)
}

// feedPlain writes s without the states, and past the input, if it isPlain: in prose or in a string
// value, with nothing unread before it. Most pieces of a completion are such. It reports whether it
// did.
func (p *parser) feedPlain(s string) bool {
	if p.writePlain == nil || s == "" || len(s) > maxBlank || !p.in.isAllRead() || p.out.gathered() > maxHeld {
		return false
	}
	escape := byte('<')
	if p.escaped != 0 {
		escape = '&'
	}
	switch p.out.openKind {
	case messages.BlockToolUse:
		if escape == '<' {
			escape = '`' // which counts for the edge of the value
		}
		last := s[len(s)-1]
		if len(p.value.tail) > 0 || p.value.atStart || !isPlain(s, '"', '\\', escape) {
			return false
		}
		p.out.writeString(s)
		if v := &p.value; escape == '`' && last != ' ' {
			v.edge.last, v.edge.blank, v.edge.ticks, v.endsBlank = last, false, 0, false
		} else {
			v.edge, v.endsBlank = edgeOf(v.edge, []byte(s)), last == ' '
		}
	case messages.BlockText:
		bracket := byte('`')
		if p.bracketed || p.readsLiteral[pythonLiteral] {
			bracket = '['
		}
		begins := p.readsLineStarts() && (!p.text.code.midLine || p.text.joined) // a call may begin here
		if code := &p.text.code; code.run > 0 || !code.midLine && strings.IndexByte(s, '~') >= 0 || p.readsMarks && strings.IndexByte(s, markup.Mark[0]) >= 0 || begins || !isPlain(s, '`', bracket, escape) || !p.writePlainText(s) {
			return false
		}
	default:
		return false
	}
	p.in.pass(len(s))
	p.out.flush()
	return true
}

// passOn writes the text that was added without the states, if they could only pass it on: in prose
// or in a string value, every `<` in it is text, and there is no escape of ours. It reports whether
// it did.
func (p *parser) passOn() bool {
	if p.writePlain == nil || p.in.eof || p.out.gathered() > maxHeld {
		return false
	}
	rest := p.in.rest()
	n, kind := 0, SpanValue
	switch {
	case p.state == inText:
		kind = SpanText
		n = p.nextTextTag(rest)
		if p.mayCall {
			n = p.nextLiteral(rest[:n])
		}
		if p.escaped != 0 {
			n = nextEntity(rest, n)
		}
	case len(p.call.ends) > 0:
		return false
	default:
		n = p.nextSpecial(rest, 0)
		p.value.looked = n
	}
	if n < len(rest) || n == 0 {
		return false
	}
	p.value.looked = 0
	if kind == SpanValue {
		p.value.edge = edgeOf(p.value.edge, rest)
	}
	p.writePlain(p, rest)
	p.in.takeAll(kind)
	p.in.compact()
	p.out.flush()
	return true
}
