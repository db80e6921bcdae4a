package simulated

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Names stand without quotes in a declaration, or the schema is JSON.
func TestReadDeclarations(t *testing.T) {
	const tools = `<|tool>declaration:find{description:<|"|>Say "what: it", {is}<|"|>,parameters:{type:<|"|>object<|"|>,properties:{what:{type:<|"|>string<|"|>},least:{minimum:1}},required:[<|"|>what<|"|>]}}<tool|>
<|tool>declaration:now{description:<|"|><|"|>,parameters:{"type":"object","properties":{"a-b":{"enum":["x: \"{y: 1}"]}}}}<tool|>`
	want := []shownTool{
		{name: "find", description: `Say "what: it", {is}`, definitions: "{}", parameters: []shownParameter{
			{name: "what", schema: `{"type":"string"}`, required: true}, {name: "least", schema: `{"minimum":1}`},
		}},
		{name: "now", definitions: "{}", parameters: []shownParameter{{name: "a-b", schema: `{"enum":["x: \"{y: 1}"]}`}}},
	}
	got, rest := readTools("Here they are:\n" + tools + "\nOne at a time.")
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(shownTool{}, shownParameter{})); diff != "" || rest != "\nOne at a time." {
		t.Errorf("rest %q (-want +got):\n%s", rest, diff)
	}
	if said := report(`<|tool_response>response:find{value:<|"|>3 <b><|"|>}<tool_response|>`); said != "The tool returned: 3 <b>" {
		t.Error(said)
	}
}
