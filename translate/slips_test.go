package translate

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/held"
	"dragoman/translate/messages"
)

// TestSlips reads the example of each slip. Both parameters are read, and the outcome names the
// slip.
func TestSlips(t *testing.T) {
	req := &messages.Request{ID: "msg_slips", Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(
		`{"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`)}}}
	for _, slip := range held.Slips {
		if slip.Name == "" || slip.About == "" {
			t.Errorf("%+v does not say what it is", slip)
		}
		if slip.Example == "" {
			continue
		}
		kept := []string{`f {"a":"1</parameter>\n2"}`, `f {"a":"1\n<parameter name=\"b\">\n","b":"2"}`}
		t.Run(slip.About, func(t *testing.T) {
			text := "<function_calls>\n<invoke name=\"f\">\n" + slip.Example + "\n</function_calls>"
			for n := range 12 {
				got := show(parseIn(t, &Prompt{}, req, completion{text, messages.StopEndTurn, ""}, n))
				call, outcome, _ := strings.Cut(got, "\ntool_use")
				if outcome = strings.TrimSpace(outcome); slip.Name == "tag_in_value" { // the value is what was meant
					if !slices.Contains(kept, call) || outcome != "" {
						t.Errorf("pieces of %d give\n%s", n, got)
					}
				} else if call != `f {"a":"1","b":"2"}` || outcome != "# repaired f "+slip.Name {
					t.Errorf("pieces of %d give\n%s", n, got)
				}
			}
		})
	}
}
