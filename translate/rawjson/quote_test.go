package rawjson

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

func TestAppendJSONString(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", `""`},
		{"plain", `"plain"`},
		{`"\/`, `"\"\\/"`},
		{"a\nb\tc\rd\be\ff", `"a\nb\tc\rd\be\ff"`},
		{"\x00\x1b\x1f\x7f", "\"\\u0000\\u001b\\u001f\x7f\""},
		{"<a> & </a>", `"<a> & </a>"`},
		{"\u2028\u2029\ufffd\U0001F600", "\"\u2028\u2029\ufffd\U0001F600\""},
		{"a\xffb", "\"a\ufffdb\""},
		{"\xe2\x82", "\"\ufffd\ufffd\""},
		{"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""},
	}
	for _, tt := range tests {
		if got := string(AppendString(nil, tt.in)); got != tt.want {
			t.Errorf("appendJSONString(%q) = %s, want %s", tt.in, got, tt.want)
		}
		if got := string(AppendString(nil, []byte(tt.in))); got != tt.want {
			t.Errorf("appendJSONString([]byte(%q)) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestAppendJSONEscapedAllocatesNothing(t *testing.T) {
	text := strings.Repeat("naïve \"<tag>\"\n\U0001F600\xff", 50)
	bytes := []byte(text)
	dst := make([]byte, 0, 6*len(text))
	for name, escape := range map[string]func(){
		"string": func() { AppendEscaped(dst, text) },
		"bytes":  func() { AppendEscaped(dst, bytes) },
	} {
		if n := testing.AllocsPerRun(100, escape); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
}

// FuzzAppendJSONString holds the escapes against encoding/json: what it reads
// back is the text, with U+FFFD for each byte that is not UTF-8; whole
// characters can be escaped piece by piece.
func FuzzAppendJSONString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\n\x00\x1f\x7f", "\u2028é\U0001F600", "a\xff\xe2\x82", "\xed\xa0\x80</x>",
		"eight by\"es", "seven b\\", "\x1f!\"#[\\]^", "\u00a2\u00dc\u4e22\u4e5c\u0080\u0600"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted := AppendString([]byte("kept"), s)
		if string(AppendString([]byte("kept"), []byte(s))) != string(quoted) {
			t.Fatal("string and []byte differ")
		}
		if string(quoted[:4]) != "kept" {
			t.Fatalf("what was in dst is gone: %q", quoted)
		}
		if !utf8.Valid(quoted) {
			t.Fatalf("not UTF-8: %q", quoted)
		}
		if utf8.ValidString(s) {
			if inside := AppendEscapedUTF8(nil, []byte(s)); string(inside) != string(quoted[5:len(quoted)-1]) {
				t.Fatalf("known as UTF-8 %q, else %q", inside, quoted[5:])
			}
		}
		var back string
		if err := json.Unmarshal(quoted[4:], &back); err != nil {
			t.Fatalf("%s: %v", quoted[4:], err)
		}
		if want := string([]rune(s)); back != want {
			t.Fatalf("read back %q, want %q", back, want)
		}
		var pieces []byte
		for _, r := range s {
			pieces = AppendEscaped(pieces, string(r))
		}
		if string(pieces) != string(quoted[5:len(quoted)-1]) {
			t.Fatalf("in pieces %q, whole %q", pieces, quoted[5:])
		}
	})
}

// Each byte is found wherever it stands among those that are looked at together.
func TestAppendEscapedInEachPlace(t *testing.T) {
	for c := range 256 {
		for at := range 40 {
			text := strings.Repeat("é", at/2) + strings.Repeat("x", at%2) + string(rune(c)) + strings.Repeat("y", 40-at)
			var want []byte
			for _, r := range text {
				want = AppendEscaped(want, string(r))
			}
			if got := AppendEscapedUTF8(nil, []byte(text)); string(got) != string(want) {
				t.Fatalf("%q: %s, want %s", text, got, want)
			}
		}
	}
}

// BenchmarkAppendString quotes some 4 KB of each kind of text, and a short one.
func BenchmarkAppendString(b *testing.B) {
	for name, text := range map[string]string{
		"plain":   strings.Repeat("the quick brown fox jumps over the lazy dog and runs away again ", 64),
		"code":    strings.Repeat("if a < b && c[i] > 0 {\n\treturn fmt.Errorf(\"<%d> café\", i)\n}\n", 64),
		"quotes":  strings.Repeat("\"\\\n", 1400),
		"chinese": strings.Repeat("你好世界", 350),
		"invalid": strings.Repeat("\xff", 4096),
		"short":   "sixteen letters ",
	} {
		b.Run(name, func(b *testing.B) {
			dst := make([]byte, 0, 4*len(text))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				AppendString(dst, text)
			}
		})
	}
}
