package translate

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
	"dragoman/translate/schema"
)

// TestAcceptAll checks that a call in any format is read in the same way if all formats are
// accepted.
func TestAcceptAll(t *testing.T) {
	req := fuzzRequest()
	for _, input := range []jsontext.Value{jsontext.Value(`{"s":"a <b>\n","n":1}`), jsontext.Value(`{}`), jsontext.Value(`{"s":"</param>]]>"}`)} {
		for _, f := range format.List {
			reads := format.NewReads(format.List[0], format.List[:], 0)
			e := prompt.NewEscaper(f, reads, req, "", false)
			text := f.BeforeCalls + writtenCall(f, &e, "t", 0, input, schema.Compile(req.Tools[0].InputSchema)) + f.AfterCalls
			for n := range 4 {
				m := parseIn(t, &Prompt{Asking: asking{Reads: reads, Escaped: e.Escapes()}}, req, completion{text, messages.StopEndTurn, ""}, n)
				if len(m.Content) != 1 || !sameInput(m.Content[0].Input, input) || m.StopReason != messages.StopToolUse {
					t.Fatalf("%s, pieces of %d: %s\nis read as\n%s", f.Name, n, text, show(m))
				}
			}
		}
	}
}
