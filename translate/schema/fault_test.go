package schema

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestFindFault(t *testing.T) {
	const types = " Use one of: string, integer, boolean, number, object, array, null."
	for _, tt := range []struct{ schema, path, message string }{
		{`{}`, "", ""},
		{`{"type":"object","properties":{"type":{"type":"string"},"$ref":{"type":["string","null"]}}}`, "", ""},
		{`{"properties":{"city":{"type":"strng"}}}`, "properties.city.type", `unknown type "strng".` + types},
		{`{"properties":{"city":{"type":["string","nul"]}}}`, "properties.city.type.1", `unknown type "nul".` + types},
		{`{"anyOf":[{"type":"string"},{"items":{"type":"x"}}]}`, "anyOf.1.items.type", `unknown type "x".` + types},
		{`{"properties":{"a":{"enum":[{"type":"x"}],"default":{"type":"x"},"x-own":{"type":"x"},"dependentRequired":{"type":["x"]}}}}`, "", ""},
		{`{"$defs":{"A":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#"},"c":{"$ref":"https://a.test/b"}}}`, "", ""},
		{`{"$defs":{"A":{},"B":{}},"properties":{"a":{"$ref":"#/$defs/C"}}}`, "properties.a.$ref", `the schema has no "#/$defs/C". Use one of: #/$defs/A, #/$defs/B.`},
		{`{"properties":{"a":{"$ref":"#/definitions/C"}}}`, "properties.a.$ref", `the schema has no "#/definitions/C". Add it under $defs.`},
		{strings.Repeat(`{"items":`, 100) + `{"type":"x"}` + strings.Repeat("}", 100), "", ""},
		{`{"type":`, "", ""}, {`{"type"`, "", ""}, {`{"properties":{"a"`, "", ""}, {`[`, "", ""}, {``, "", ""},
	} {
		var got Fault
		if f := FindFault(jsontext.Value(tt.schema)); f != nil {
			got = *f
		}
		if want := (Fault{tt.path, tt.message}); got != want {
			t.Errorf("%s: %+v, want %+v", tt.schema, got, want)
		}
	}
}
