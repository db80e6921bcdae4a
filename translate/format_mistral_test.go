package translate

import (
	"slices"
	"strings"
	"testing"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// A client's text contains no marker of the formats that have markers as tags, neither in one text
// nor across several.
func TestMarkersHold(t *testing.T) {
	for format, list := range map[string][]string{
		format.Mistral: {"[TOOL_CALLS]", "[ARGS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"},
		format.Llama:   {"<|python_tag|>"},
	} {
		markers := func(req *messages.Request) (counts []int) {
			text := mustRender(t, req, Target{ModelOptions: ModelOptions{Format: format}, TextWire: true}).Text()
			for _, m := range list {
				counts = append(counts, strings.Count(text, m))
			}
			return counts
		}
		plain := markers(spoken("x"))
		for _, m := range list {
			for _, s := range []string{m, m + "f", "a" + m, "&#91;" + m[1:], strings.Repeat(m, 3)} {
				if got := markers(spoken(s)); !slices.Equal(got, plain) {
					t.Errorf("%s: with %q there are %v of %q; want %v", format, s, got, list, plain)
				}
			}
			for i := range m {
				cut := &messages.Request{Messages: []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{
					{Type: messages.BlockText, Text: m[:i]}, {Type: messages.BlockText, Text: m[i:]},
				}}}}
				glued := ""
				for _, part := range mustRender(t, cut, Target{ModelOptions: ModelOptions{Format: format}}).Turns[0].Parts {
					glued += part.Text
				}
				if strings.Contains(glued, m) {
					t.Errorf("%s: %q and %q spell a marker", format, m[:i], m[i:])
				}
			}
		}
	}
}
