package translate

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// TestAcceptAll holds that where all formats are accepted, a call in any of them is read as in its own.
func TestAcceptAll(t *testing.T) {
	req := fuzzRequest()
	for _, input := range []jsontext.Value{jsontext.Value(`{"s":"a <b>\n","n":1}`), jsontext.Value(`{}`), jsontext.Value(`{"s":"</param>]]>"}`)} {
		for _, f := range formats {
			reads := newReads(formats[0], formats[:], 0)
			e := newEscaper(f, reads, req, false)
			text := string(f.appendCall(&e, []byte(f.beforeCalls), "t", 0, input, schema.Compile(req.Tools[0].InputSchema))) + f.afterCalls
			for n := range 4 {
				m := parseIn(t, &Prompt{asking: asking{reads: reads, escaped: e.Escapes()}}, req, completion{text, messages.StopEndTurn, ""}, n)
				if len(m.Content) != 1 || !sameInput(m.Content[0].Input, input) || m.StopReason != messages.StopToolUse {
					t.Fatalf("%s, pieces of %d: %s\nis read as\n%s", f.name, n, text, show(m))
				}
			}
		}
	}
}
