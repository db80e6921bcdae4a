package translate

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestIsPlain compares with a look at each byte, at every place of pieces of every length.
func TestIsPlain(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		s := make([]byte, random.IntN(20))
		for i := range s {
			s[i] = byte(' ' + random.IntN(95))
			if s[i] == '<' || s[i] == '&' || s[i] == '"' || s[i] == '\\' {
				s[i] = "\x7f !}"[random.IntN(4)]
			}
		}
		if len(s) > 0 && random.IntN(2) == 0 {
			s[random.IntN(len(s))] = byte(random.IntN(256))
		}
		want := !strings.ContainsFunc(string(s), func(r rune) bool { return r < ' ' || r > 0x7f || strings.ContainsRune(`<&"\`, r) })
		if got := isPlain(string(s), '"', '\\', '&'); got != want {
			t.Fatalf("%q: %v", s, got)
		}
	}
}

// TestIndexEither compares with a look at each byte, from every place.
func TestIndexEither(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50_000 {
		s := make([]byte, random.IntN(28))
		for i := range s {
			s[i] = "<&;%=\x00\x80\xbc\xa6 "[random.IntN(10)]
			if random.IntN(8) > 0 {
				s[i] = "a\x00;=%\x01\xff"[random.IntN(7)]
			}
		}
		for i := range len(s) + 1 {
			want := len(s)
			if n := bytes.IndexAny(s[i:], "<&"); n >= 0 {
				want = i + n
			}
			if got := indexEither(s, i, '<', '&'); got != want {
				t.Fatalf("%q from %d: %d, want %d", s, i, got, want)
			}
		}
	}
}
