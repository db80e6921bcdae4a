package nearest

import (
	"strings"
	"testing"
)

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

func TestFirst(t *testing.T) {
	words := []string{"gemma", "qwen3", "qwen2", "llama"}
	for n, want := range map[int]string{0: "", 1: "qwen2", 3: "qwen2 qwen3 gemma", 9: "qwen2 qwen3 gemma llama"} {
		if got := strings.Join(First("qwen2", words, n), " "); got != want {
			t.Errorf("First %d = %q, want %q", n, got, want)
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
