package translate

import "testing"

// TestSpellersHaveBits holds that each spelling has a bit of its own, so that a tag in any is asked for.
func TestSpellersHaveBits(t *testing.T) {
	p := newReads(formats[0], allFormats(), 0)
	for i, g := range p.spellings {
		calls := spelledBy(g).calls
		for c := range 256 {
			if calls.has(byte(c)) && p.spelled.by([]byte{'<', byte(c)})>>i&1 == 0 {
				t.Errorf("spelling %d is not asked at <%q", i, byte(c))
			}
		}
	}
}
