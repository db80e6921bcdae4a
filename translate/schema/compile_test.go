package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestHostileSchemas types values under schemas that multiply if they are followed without limits.
// Then the test would not end.
func TestHostileSchemas(t *testing.T) {
	const levels = 60
	var defs strings.Builder
	for i := range levels {
		fmt.Fprintf(&defs, `"D%d":{"allOf":[{"$ref":"#/$defs/D%d"},{"$ref":"#/$defs/D%d"}]},`, i, i+1, i+1)
	}
	var refs strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&refs, `,"p%d":{"$ref":"#/$defs/x"}`, i)
	}
	objects := `{"type":"object","properties":{"c":{"$ref":"#/$defs/x"}}}`
	tests := []struct{ name, schema, value, want string }{
		{"allOf", `{"$defs":{` + defs.String() + fmt.Sprintf(`"D%d":{"type":"integer"}},"properties":{"v":{"$ref":"#/$defs/D0"}}}`, levels), "5", "5"},
		{"anyOf", `{"$defs":{"x":{"anyOf":[` + objects + `,` + objects + `]}},"properties":{"v":{"$ref":"#/$defs/x"}}}`,
			strings.Repeat("<c>", levels) + "5", `"` + strings.Repeat("<c>", levels) + `5"`},
		{"cycle", `{"$defs":{"x":{"$ref":"#/$defs/x"}},"properties":{"v":{"$ref":"#/$defs/x"}}}`, "5", "5"},
		{"cycle through the root", `{"properties":{"v":{"$ref":"#"}}}`, "<v><v>{}</v></v>", `{"v":{"v":{}}}`},
		{"many references", `{"$defs":{"x":{"type":"integer"}},"properties":{"v":{"$ref":"#/$defs/x"}` + refs.String() + `}}`, "5", "5"},
		{"reference elsewhere", `{"properties":{"v":{"$ref":"https://example.org/x.json"}}}`, "five", `"five"`},
		{"deep", `{"properties":{"v":` + strings.Repeat(`{"items":`, 150) + "{}" + strings.Repeat("}", 150) + `}}`, "[[]]", "[[]]"},
		{"pattern", `{"properties":{"v":{"type":"string","pattern":"(a+)+$"}}}`, strings.Repeat("a", 99) + "!", `"` + strings.Repeat("a", 99) + `!"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !jsontext.Value(tt.schema).IsValid() {
				t.Fatal("the schema is no JSON")
			}
			_, s, _ := Compile(jsontext.Value(tt.schema)).PropertyByTag("v")
			if got, _ := AppendTyped(nil, s, tt.value); string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestInheritance reads values under types that all inherit one large type, as API schemas do.
func TestInheritance(t *testing.T) {
	var base, types, properties []string
	for i := range 100 {
		base = append(base, fmt.Sprintf(`"base_%d":{"type":"string"}`, i))
		types = append(types, fmt.Sprintf(`"T%d":{"allOf":[{"$ref":"#/$defs/Base"},{"type":"object","properties":{"own_%d":{"type":"integer"}}}]}`, i, i))
		properties = append(properties, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/T%d"}`, i, i))
	}
	s := Compile(jsontext.Value(`{"$defs":{"Base":{"type":"object","properties":{` + strings.Join(base, ",") + `}},` + strings.Join(types, ",") + `},"properties":{` + strings.Join(properties, ",") + `}}`))
	for i := range properties {
		_, of, _ := s.PropertyByTag(fmt.Sprintf("p%d", i))
		text := fmt.Sprintf("<base_7>007</base_7><own_%d>7</own_%d>", i, i)
		if got, fits := AppendTyped(nil, of, text); string(got) != fmt.Sprintf(`{"base_7":"007","own_%d":7}`, i) || !fits {
			t.Fatalf("p%d: %s", i, got)
		}
	}
}
