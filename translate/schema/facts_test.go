package schema

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/schema/schematest"
)

// FuzzFacts compares the facts of a compiled schema with a walk through all of its alternatives.
func FuzzFacts(f *testing.F) {
	for i, tt := range schematest.Requests() {
		if len(tt.Schema) < 8<<10 || i%7 == 0 {
			f.Add(tt.Schema)
		}
	}
	f.Add(`{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"type":"integer"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"array","items":{"$ref":"#"}}]}},"properties":{"v":{"$ref":"#/$defs/b"}}}`)
	f.Add(`{"properties":{"v":{"nullable":true,"$ref":"#/$defs/a%20b"}},"$defs":{"a b":{"allOf":[{"type":"string"},{"$ref":"#/$defs/a%20b"}]}}}`)
	f.Add("a text that stands for a schema, as every other does")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 100_000 {
			t.Skip()
		}
		if !jsontext.Value(text).IsValid() { // any other text becomes a schema
			text = schematest.Grown(text)
		}
		root := Compile(jsontext.Value(text))
		checkFacts(t, root)
		checkFacts(t, root.AdditionalProperties)
		checkFacts(t, root.items)
		for _, p := range root.Properties {
			checkFacts(t, p.schema)
		}
	})
}

// checkFacts compares the facts of s with a walk through everything that its alternatives lead to.
func checkFacts(t *testing.T, s *Schema) {
	if s == nil {
		return
	}
	var takes kindSet
	arrays := false
	seen := map[*Schema]bool{}
	for queue := []*Schema{s}; len(queue) > 0; queue = queue[1:] {
		if at := queue[0]; !seen[at] {
			seen[at] = true
			takes |= at.acceptsItself()
			arrays = arrays || at.kinds&kindArray != 0
			queue = append(queue, at.alts...)
		}
	}
	if s.accepts() != takes || (s.ArraySchema() != nil) != arrays || s.ArraySchema() != nil && (!seen[s.ArraySchema()] || s.ArraySchema().kinds&kindArray == 0) {
		t.Errorf("takes %b, want %b; an array: %v, want %v", s.accepts(), takes, s.ArraySchema() != nil, arrays)
	}
}
