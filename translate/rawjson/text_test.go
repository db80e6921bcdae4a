package rawjson

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestAppendString checks which escapes are written, and that each byte that is not UTF-8 is
// replaced.
func TestAppendString(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", `""`},
		{`"\/`, `"\"\\/"`},
		{"a\nb\tc\rd\be\ff", `"a\nb\tc\rd\be\ff"`},
		{"\x00\x1b\x1f\x7f", "\"\\u0000\\u001b\\u001f\x7f\""},
		{"<a> & </a>", `"<a> & </a>"`},
		{"\u2028\u2029\ufffd\U0001F600", "\"\u2028\u2029\ufffd\U0001F600\""},
		{"a\xffb", "\"a\ufffdb\""},
		{"\xe2\x82", "\"\ufffd\ufffd\""},
		{"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""},
	} {
		if got := string(AppendString([]byte("kept"), tt.in)); got != "kept"+tt.want {
			t.Errorf("%q is %s, want %s", tt.in, got, tt.want)
		}
		if got := string(AppendEscaped([]byte("kept"), tt.in)); got != "kept"+tt.want[1:len(tt.want)-1] {
			t.Errorf("the inside of %q is %s", tt.in, got)
		}
	}
}

// TestAppendUnquoted checks that every escape is read as the JSON library reads it.
func TestAppendUnquoted(t *testing.T) {
	for _, quoted := range []string{
		`""`, `"plain"`, `"\"\\\/\b\f\n\r\t"`, `"\\"`, `"a\nb"`, `"\n"`, `"caf\u00e9 \n \ud83d\ude00"`, `"\\u0041"`, `"\\\u0041"`, `"é\t晴"`,
	} {
		want, err := jsontext.AppendUnquote([]byte("kept"), quoted)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendUnquoted([]byte("kept"), jsontext.Value(quoted)); string(got) != string(want) {
			t.Errorf("%s is %q, want %q", quoted, got, want)
		}
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"\u6674 \u0026","b": [1.50, "\/"]}`:     `{"a":"晴 &","b":[1.50,"/"]}`,
		`{"a": "\n\t\"\\ x"}`:                         `{"a": "\n\t\"\\ x"}`,
		`["\u000b\u0000\u0022\u005c","\ud83d\ude00"]`: `["\u000b\u0000\"\\","😀"]`,
		`{"a":"C:\\users","a":"\ud800"}`:              "{\"a\":\"C:\\\\users\",\"a\":\"\ufffd\"}",
	} {
		if got := string(Plain(jsontext.Value(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
