package translate

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// TestSlips reads the example of each slip. Both parameters are read, and the outcome names the
// slip.
func TestSlips(t *testing.T) {
	req := &messages.Request{ID: "msg_slips", Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(
		`{"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`)}}}
	for _, slip := range held.Slips {
		if slip.About == "" {
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
				if outcome = strings.TrimSpace(outcome); slip.Name == messages.ReasonNone { // the value is what was meant
					if !slices.Contains(kept, call) || outcome != "" {
						t.Errorf("pieces of %d give\n%s", n, got)
					}
				} else if call != `f {"a":"1","b":"2"}` || outcome != "# repaired f "+slip.Name.String() {
					t.Errorf("pieces of %d give\n%s", n, got)
				}
			}
		})
	}
}

// TestTagSlips reads the example of each misspelt tag, in its format and in pieces. The outcome
// names the slip, and there is no other outcome.
func TestTagSlips(t *testing.T) {
	req := &messages.Request{ID: "msg_slips", Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(
		`{"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`)}}}
	for _, slip := range format.TagSlips() {
		t.Run(slip.Format+": "+slip.About, func(t *testing.T) {
			if slip.Name == messages.ReasonNone || slip.Example == "" {
				t.Fatalf("%+v has no reason or no example", slip)
			}
			i := slices.IndexFunc(format.All(), func(f *format.Format) bool { return f.Name == slip.Format })
			if i < 0 {
				t.Fatalf("unknown format %q", slip.Format)
			}
			asked := &Prompt{Asking: asking{Declared: format.All()[i], Reads: format.NewReads(format.All()[i], nil, 0)}}
			want := `f {"a":"1","b":"2"}` + "\ntool_use\n# repaired f " + slip.Name.String()
			for n := range 12 {
				got := strings.TrimSpace(show(parseIn(t, asked, req, completion{slip.Example, messages.StopEndTurn, ""}, n)))
				if got != want {
					t.Errorf("pieces of %d of %q give\n%s", n, slip.Example, got)
				}
			}
		})
	}
}
