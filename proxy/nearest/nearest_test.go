package nearest

import "testing"

func TestWord(t *testing.T) {
	words := []string{"upstream", "upstreams", "model", "models", "kind"}
	tests := []struct{ typed, want string }{
		{"upstrem", "upstream"},
		{"upstraems", "upstreams"},
		{"modle", "model"},
		{"Kind", "kind"},
		{"kind", "kind"},
		{"k", ""},
		{"", ""},
		{"listen", ""},
	}
	for _, tt := range tests {
		if got := Word(tt.typed, words); got != tt.want {
			t.Errorf("Word(%q) = %q, want %q", tt.typed, got, tt.want)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "acb", 1},
		{"kitten", "sitting", 3},
		{"abcd", "bcde", 2},
	}
	for _, tt := range tests {
		if got := Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
