package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
)

// TestBranches types the properties of an input one after the other. Each input is "name=text".
// Each result is JSON, followed by "!" if the value does not fit.
func TestBranches(t *testing.T) {
	const (
		crawl   = `{"properties":{"action":{"const":"crawl"},"depth":{"type":"integer"},"tags":{"type":"array"}},"required":["action"]}`
		find    = `{"properties":{"action":{"const":"find"},"depth":{"type":"string"},"query":{"type":"string"},"all":{"type":"boolean"}},"required":["action"]}`
		closedA = `{"properties":{"url":{"type":"string"},"n":{"type":"integer"}},"additionalProperties":false}`
		closedB = `{"properties":{"id":{"type":"integer"},"n":{"type":"string"}},"additionalProperties":false}`
	)
	tests := []struct{ name, schema, given, want string }{
		{"one branch declares it", `"oneOf":[` + crawl + `,` + find + `]`, "all=true tags=[1] other=12", `true [1] "12"`},
		{"anyOf", `"anyOf":[` + crawl + `,` + find + `]`, "all=true", `true`},
		{"$ref to a union", `"$ref":"#/$defs/u","$defs":{"u":{"oneOf":[` + crawl + `,` + find + `]}}`, "all=true", `true`},
		{"allOf", `"allOf":[` + find + `]`, "all=true", `true`},
		{"nested", `"anyOf":[{"oneOf":[` + crawl + `,` + find + `]}]`, "action=crawl depth=12", `"crawl" 12`},
		{"the branch that fits", `"oneOf":[` + crawl + `,` + find + `]`, "action=crawl depth=12", `"crawl" 12`},
		{"the other branch", `"oneOf":[` + crawl + `,` + find + `]`, "action=find depth=12", `"find" "12"`},
		{"both fit", `"oneOf":[` + crawl + `,` + find + `]`, "depth=12 action=crawl", `"12"! "crawl"`},
		{"one type fits", `"oneOf":[` + crawl + `,` + find + `]`, "depth=twelve", `"twelve"`},
		{"none fits", `"oneOf":[` + crawl + `,` + find + `]`, "all=maybe", `"maybe"!`},
		{"no branch of the name", `"oneOf":[` + crawl + `,` + find + `]`, "action=stop depth=12", `"stop" "12"!`},
		{"its own type counts", `"properties":{"depth":{"type":"number"}},"oneOf":[` + crawl + `,` + find + `]`, "depth=12", `12`},
		{"its own name alone", `"properties":{"depth":{},"action":{"type":"string"}},"oneOf":[` + crawl + `,` + find + `]`, "action=crawl depth=12", `"crawl" 12`},
		{"closed branches", `"oneOf":[` + closedA + `,` + closedB + `]`, "url=1 n=2", `"1" 2`},
		{"closed branches, the other", `"oneOf":[` + closedA + `,` + closedB + `]`, "id=1 n=2", `1 "2"`},
		{"then", `"properties":{"k":{"enum":["a","b"]}},"if":{"properties":{"k":{"const":"a"}}},"then":{"properties":{"v":{"type":"integer"}}},"else":{"properties":{"v":{"type":"string"}}}`, "k=a v=1", `"a" 1`},
		{"else", `"properties":{"k":{"enum":["a","b"]}},"if":{"properties":{"k":{"const":"a"}}},"then":{"properties":{"v":{"type":"integer"}}},"else":{"properties":{"v":{"type":"string"}}}`, "k=b v=1", `"b" "1"`},
		{"conditions in allOf", `"properties":{"k":{"type":"string"}},"allOf":[{"if":{"properties":{"k":{"const":"a"}}},"then":{"properties":{"v":{"type":"integer"}}}},{"if":{"properties":{"k":{"const":"b"}}},"then":{"properties":{"v":{"type":"string"}}}}]`, "k=b v=1", `"b" "1"`},
		{"dependentSchemas", `"properties":{"card":{"type":"string"}},"dependentSchemas":{"card":{"properties":{"cvc":{"type":"integer"}}}}`, "card=1 cvc=12", `"1" 12`},
		{"a cycle", `"oneOf":[{"$ref":"#"},` + find + `]`, "all=true", `true`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Compile(jsontext.Value(`{"type":"object",` + tt.schema + `}`))
			var got []string
			for pair := range strings.FieldsSeq(tt.given) {
				name, text, _ := strings.Cut(pair, "=")
				_, ps, _ := s.PropertyByTag(markup.ParamTag(name))
				value, fits := AppendTyped(nil, ps, text)
				s = s.Given(markup.ParamTag(name), value)
				got = append(got, string(value)+map[bool]string{false: "!"}[fits])
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestBranchesMultiply compiles unions of unions. It would not end if each path were followed.
func TestBranchesMultiply(t *testing.T) {
	var defs strings.Builder
	for i := range 60 {
		ref := fmt.Sprintf(`{"properties":{"p%d":{"const":%d}},"oneOf":[{"$ref":"#/$defs/D%d"}]}`, i, i, i+1)
		fmt.Fprintf(&defs, `"D%d":{"oneOf":[`+strings.Repeat(ref+",", 9)+ref+`]},`, i)
	}
	s := Compile(jsontext.Value(`{"type":"object","oneOf":[{"$ref":"#/$defs/D0"},{"properties":{"v":{"type":"integer"}}}],"$defs":{` + defs.String() + `"D60":{}}}`))
	for range 1000 {
		s = s.Given("p0", jsontext.Value("1"))
	}
}
