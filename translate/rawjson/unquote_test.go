package rawjson_test

import (
	"strings"
	"testing"

	"dragoman/translate/rawjson"
)

// BenchmarkStrings measures how strings of 4 KB are checked and decoded: code, with an escape for every
// ten bytes, and prose, with one for every eighty.
func BenchmarkStrings(b *testing.B) {
	for name, text := range map[string]string{
		"code":  "func main() {\n\tfmt.Println(\"caf\u00e9 \u2713\", 'x', `C:\\tmp`)\n}\n// a comment of some length follows here\n",
		"prose": "A line of prose, as models and people write them, has no escape but for its end.\n",
	} {
		quoted := rawjson.AppendString(nil, strings.Repeat(text, 4096/len(text)))
		object := append(append([]byte(`{"a":`), quoted...), '}')
		b.Run(name+"/check", func(b *testing.B) {
			b.SetBytes(int64(len(quoted)))
			for b.Loop() {
				rawjson.Check{MaxDepth: 1, MaxNames: 1, MaxMembers: 1}.Members(object)
			}
		})
		var dst []byte
		b.Run(name+"/unquote", func(b *testing.B) {
			b.SetBytes(int64(len(quoted)))
			for b.Loop() {
				dst = rawjson.AppendUnquoted(dst[:0], quoted)
			}
		})
	}
}
