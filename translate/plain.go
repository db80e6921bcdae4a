package translate

import (
	"strings"
	"unicode/utf8"

	"dragoman/translate/messages"
)

// What most pieces of a completion are: text that the parser can only pass on.

// isPlain reports whether s is ASCII without control characters, without `<` and `&`, with which
// markup begins, and without the bytes a and b. It looks at eight bytes at a time.
func isPlain(s string, a, b byte) bool {
	allA, allB := ones*uint64(a), ones*uint64(b)
	if len(s) < 8 {
		x := ones * uint64(' ')
		for i := range len(s) {
			x = x<<8 | uint64(s[i])
		}
		return special(x, allA, allB) == 0
	}
	for i := 0; i+8 < len(s); i += 8 {
		if special(load8(s[i:]), allA, allB) != 0 {
			return false
		}
	}
	return special(load8(s[len(s)-8:]), allA, allB) == 0
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
func special(x, allA, allB uint64) uint64 {
	lt, amp, first, second := x^ones*'<', x^ones*'&', x^allA, x^allB
	return (x | (x - ones*' ') | (lt - ones) | (amp - ones) | (first - ones) | (second - ones)) & tops
}

// equal finds the bytes among the eight in x that equal those in all: the lowest bit that is set is
// the top bit of the first of them, and no bit is set if there is none.
func equal(x, all uint64) uint64 {
	y := x ^ all
	return (y - ones) &^ y & tops
}

// feedPlain reads s without the states if they could only pass it on: in prose or in a string
// value, with nothing unread before it, s holds no `<` and no escape of ours. It reports whether s
// was read. A piece that isPlain is not looked at again.
func (p *parser) feedPlain(s string) bool {
	if p.writePlain == nil || s == "" || len(s) > maxPiece || !p.in.isAllRead() || p.out.gathered() > maxHeld {
		return false
	}
	switch p.out.openKind {
	case messages.BlockToolUse:
		if len(p.value.tail) == 0 && !p.value.atStart && isPlain(s, '"', '\\') {
			p.out.writeString(s)
			p.value.endsBlank = s[len(s)-1] == ' '
			p.out.flush()
			return true
		}
	case messages.BlockText:
		if p.text.code.run == 0 && len(s) <= maxBlank && isPlain(s, '`', '`') && p.writePlainText(s) {
			p.out.flush()
			return true
		}
	}
	if strings.IndexByte(s, '<') >= 0 || p.escaped != 0 && strings.IndexByte(s, '&') >= 0 || !utf8.ValidString(s) {
		return false
	}
	p.writePlain(p, p.in.borrow(s))
	p.out.flush()
	return true
}
