package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
)

// TestPatterns types properties by patterns for their names. Each input is "name=text". Each result
// is JSON, followed by "!" if the value does not fit.
func TestPatterns(t *testing.T) {
	tests := []struct{ name, schema, given, want string }{
		{"the pattern that fits", `"patternProperties":{"^n_":{"type":"integer"},"^b_":{"type":"boolean"}}`, "n_1=12 b_1=true", `12 true`},
		{"a value of another type", `"patternProperties":{"^n_":{"type":"integer"}}`, "n_1=twelve", `"twelve"!`},
		{"none fits", `"patternProperties":{"^n_":{"type":"integer"}}`, "other=12", `"12"`},
		{"none fits, additionalProperties", `"patternProperties":{"^n_":{"type":"integer"}},"additionalProperties":{"type":"boolean"}`, "n_1=1 other=true", `1 true`},
		{"a declared property", `"properties":{"n_1":{"type":"string"}},"patternProperties":{"^n_":{"type":"integer"}}`, "n_1=12 n_2=12", `"12" 12`},
		{"anywhere in the name", `"patternProperties":{"_id":{"type":"integer"}}`, "my_id_1=12", `12`},
		{"two of one type", `"patternProperties":{"^n":{"type":"integer"},"d$":{"type":"integer"}}`, "nd=12", `12`},
		{"two of different types", `"patternProperties":{"^n":{"type":"integer"},"d$":{"type":"boolean"}}`, "nd=12 n=12 d=true", `"12"! 12 true`},
		{"one that says nothing", `"patternProperties":{".*":{},"^n":{"type":"string"}}`, "n=12 x=12", `"12" 12`},
		{"no pattern of RE2", `"patternProperties":{"^(?!x)":{"type":"integer"},"^n":{"type":"integer"}}`, "a=12 n=12", `"12" 12`},
		{"too much work", `"patternProperties":{"^[a-z]{900}$|(x{900}){1}":{"type":"integer"},"^n":{"type":"integer"}}`, "n=12", `12`},
		{"a name that is long", `"patternProperties":{"^n":{"type":"integer"}}`, "n" + strings.Repeat("n", 99) + "=12", `"12"`},
		{"an object", `"patternProperties":{"^o":{"type":"object","patternProperties":{"^n":{"type":"integer"}}}}`, "o=<n1>12</n1>", `{"n1":12}`},
		{"$ref", `"patternProperties":{"^n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}`, "n=12", `12`},
		{"allOf", `"allOf":[{"patternProperties":{"^n":{"type":"integer"}}}]`, "n=12", `12`},
		{"a name with escapes", `"patternProperties":{"^a b$":{"type":"integer"}}`, "a%20b=12", `12`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Compile(jsontext.Value(`{"type":"object",` + tt.schema + `}`))
			var got []string
			for pair := range strings.FieldsSeq(tt.given) {
				name, text, _ := strings.Cut(pair, "=")
				_, ps, _ := s.PropertyByTag(name)
				value, fits := AppendTyped(nil, ps, text)
				got = append(got, string(value)+map[bool]string{false: "!"}[fits])
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestPatternsWithoutEnd compiles more patterns than the limit, and matches a name with them.
func TestPatternsWithoutEnd(t *testing.T) {
	var many strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&many, `,"(\\pL{%d}|a*a*)*x{500}%d":{"type":"integer"}`, 1000-i%10, i)
	}
	s := Compile(jsontext.Value(`{"type":"object","patternProperties":{"^n":{"type":"integer"}` + many.String() + `}}`))
	for range 1000 {
		if _, ps, _ := s.PropertyByTag(markup.ParamTag("n" + strings.Repeat("a", 60))); !ps.IsScalar() {
			t.Fatal("the first pattern does not fit")
		}
	}
	if most := 32 << 20; s.Memory() > most {
		t.Errorf("%d bytes of memory", s.Memory())
	}
}
