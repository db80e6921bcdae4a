package format

import "testing"

// TestSpellersHaveBits checks that each spelling has its own bit, so that the parser asks all of
// them.
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
