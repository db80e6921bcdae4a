package format

import (
	"math/bits"
	"sync"
	"unicode/utf8"

	"dragoman/translate/markup"
)

// This file knows which bytes begin the tags of each spelling. Most `<` in a text begin no tag, and
// the parser can skip them.

// MaySpell reports whether text's first byte may begin a tag in one of the parser's spellings.
func (r *Reads) MaySpell(text []byte) bool {
	begun := r.Spelled.By(text)
	if len(text) == 1 {
		return begun != 0
	}
	for ; begun != 0; begun &= begun - 1 {
		if r.Spellings[bits.TrailingZeros32(begun)].MatchName(text, false) != markup.NoMatch {
			return true
		}
	}
	return false
}

// spellers maps the second byte of a tag to the spellings with such tags that begin a call. Each
// bit is the index of a spelling. It only saves time: several bytes share an entry, so an entry may
// have too many spellings.
type spellers struct {
	At  [utf8.RuneSelf]uint32
	all uint32
}

// add adds the spelling with this index. Its calls begin with the bytes in calls.
func (s *spellers) add(index int, calls *ByteSet) {
	bit := uint32(1) << index
	s.all |= bit
	for c := range 256 {
		if calls.Has(byte(c)) {
			s.At[PlaceOf(byte(c))] |= bit
		}
	}
}

// By returns the spellings that may have a call which begins as text does.
func (s *spellers) By(text []byte) uint32 {
	if len(text) == 1 {
		return s.all
	}
	return s.At[PlaceOf(text[1])]
}

// PlaceOf returns the entry for a byte. Non-ASCII bytes share the entries of control characters.
func PlaceOf(c byte) byte {
	if c >= utf8.RuneSelf {
		return c % ' '
	}
	return c
}

// starts are the bytes that tags begin with: tags that begin a call, all opening tags after `<`,
// and closing tags after `</`.
type starts struct{ calls, Openers, Closers ByteSet }

// SpelledBy returns the bytes that the tags of a spelling begin with.
func SpelledBy(g *markup.Spelling) *starts { return allStarts()[g] }

// allStarts returns the starts of the spellings of all formats.
var allStarts = sync.OnceValue(func() map[*markup.Spelling]*starts {
	all := map[*markup.Spelling]*starts{}
	for _, f := range All() {
		for _, g := range append(f.spellings(), f.elements) {
			if g == nil {
				continue
			}
			s := &starts{}
			calls, openers, closers := g.Starts()
			for _, c := range calls {
				s.calls.Add(c)
			}
			for _, c := range openers {
				s.Openers.Add(c)
			}
			for _, c := range closers {
				s.Closers.Add(c)
			}
			all[g] = s
		}
	}
	return all
})
