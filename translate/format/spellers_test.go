package format

import "testing"

// TestSpellersHaveBits holds that each spelling has a bit of its own, so that a tag in any is asked for.
func TestSpellersHaveBits(t *testing.T) {
	p := NewReads(List[0], All(), 0)
	for i, g := range p.Spellings {
		calls := SpelledBy(g).calls
		for c := range 256 {
			if calls.Has(byte(c)) && p.Spelled.By([]byte{'<', byte(c)})>>i&1 == 0 {
				t.Errorf("spelling %d is not asked at <%q", i, byte(c))
			}
		}
	}
}
