package simulated

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Types of TypeScript are read as the schemas that they say, and comments as what they do not.
func TestReadTypes(t *testing.T) {
	const tools = `## functions

namespace functions {

// Books a room.
// Once.
type book = (_: {
// What for
note: string,
// schema: {"type":"integer","minimum":1}
count?: number, // default: 2
days: number[], // integer
tags?: ("a" | "b")[],
// More
opts?: {
    on: boolean,
    "a b"?: number | null,
    },
}) => any;

type ping = () => any;

} // namespace functions
That is all.`
	want := []shownTool{
		{name: "book", description: "Books a room.\nOnce.", parameters: []shownParameter{
			{name: "note", schema: `{"type":"string"}`, required: true},
			{name: "count", schema: `{"type":"integer","minimum":1}`},
			{name: "days", schema: `{"type":"array","items":{"type":"integer"}}`, required: true},
			{name: "tags", schema: `{"type":"array","items":{"enum":["a","b"]}}`},
			{name: "opts", schema: `{"type":"object","properties":{"on":{"type":"boolean"},"a b":{"anyOf":[{"type":"number"},{"type":"null"}]}},"required":["on"]}`},
		}},
		{name: "ping"},
	}
	got, rest := readTools("Here they are:\n" + tools)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(shownTool{}, shownParameter{})); diff != "" || rest != " functions\nThat is all." {
		t.Errorf("rest %q (-want +got):\n%s", rest, diff)
	}
}
