package format

import (
	"math/bits"
	"sync"
	"unicode/utf8"

	"dragoman/translate/markup"
)

// With what tags begin in the spellings of formats, so that most `<` of a text are known to begin none.

// MaySpell reports whether the byte that text begins with may begin a tag in a spelling of the parser's.
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

// spellers says for the second byte of a tag in which of the parser's spellings it may begin a call: each
// bit that is set is the index of one. It only spares asking all of them at each `<` of a text: bytes that
// share a place name those of one another, too.
type spellers struct {
	At  [utf8.RuneSelf]uint32
	all uint32
}

// add adds the spelling with an index, whose calls begin with the bytes in calls.
func (s *spellers) add(index int, calls *ByteSet) {
	bit := uint32(1) << index
	s.all |= bit
	for c := range 256 {
		if calls.Has(byte(c)) {
			s.At[PlaceOf(byte(c))] |= bit
		}
	}
}

// By returns the spellings in which what text begins with may begin a call.
func (s *spellers) By(text []byte) uint32 {
	if len(text) == 1 {
		return s.all
	}
	return s.At[PlaceOf(text[1])]
}

// PlaceOf returns the place of a byte: bytes that are not ASCII share those of control characters.
func PlaceOf(c byte) byte {
	if c >= utf8.RuneSelf {
		return c % ' '
	}
	return c
}

// starts are the bytes that tags begin with: those that begin a call, all opening ones, after `<`, and
// closing ones after `</`.
type starts struct{ calls, Openers, Closers ByteSet }

// SpelledBy returns what the tags of a spelling begin with.
func SpelledBy(g *markup.Spelling) *starts { return allStarts()[g] }

// allStarts has the starts of the spellings of all formats.
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
