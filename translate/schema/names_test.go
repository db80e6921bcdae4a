package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestNames checks which required properties count as missing, and which names as undeclared.
func TestNames(t *testing.T) {
	for name, tt := range map[string]struct {
		schema              string
		names               []string
		strict              bool
		missing, undeclared []string
	}{
		"all there":                   {`{"properties":{"a":{},"b":{}},"required":["a","b"]}`, []string{"b", "a"}, true, nil, nil},
		"one missing":                 {`{"properties":{"a":{},"b":{}},"required":["a","b","b"]}`, []string{"a"}, false, []string{"b"}, nil},
		"one more":                    {`{"properties":{"a":{}}}`, []string{"a", "x"}, false, nil, nil},
		"one more, strict":            {`{"properties":{"a":{}}}`, []string{"a", "x"}, true, nil, []string{"x"}},
		"one more, closed":            {`{"properties":{"a":{}},"additionalProperties":false}`, []string{"a", "x"}, false, nil, []string{"x"}},
		"none declared":               {`{"properties":{"a":{}}}`, []string{"x", "y"}, false, nil, []string{"x", "y"}},
		"none declared, open":         {`{"properties":{"a":{}},"additionalProperties":true}`, []string{"x"}, false, nil, nil},
		"none declared, a map":        {`{"properties":{"a":{}},"additionalProperties":{"type":"string"}}`, []string{"x"}, true, nil, nil},
		"none declared, pattern":      {`{"properties":{"a":{}},"patternProperties":{"^x":{}},"additionalProperties":false}`, []string{"x"}, false, nil, nil},
		"no pattern fits":             {`{"properties":{"a":{}},"patternProperties":{"^x":{}},"additionalProperties":false}`, []string{"a", "x", "y"}, false, nil, []string{"y"}},
		"no pattern fits, open":       {`{"patternProperties":{"^x":{}}}`, []string{"y"}, false, nil, nil},
		"a pattern that no one reads": {`{"patternProperties":{"^(?!x)":{}},"additionalProperties":false}`, []string{"y"}, false, nil, nil},
		"nothing declared":            {`{"type":"object"}`, []string{"x"}, true, nil, nil},
		"nothing allowed":             {`{"additionalProperties":false}`, []string{"x"}, false, nil, []string{"x"}},
		"alternatives":                {`{"properties":{"a":{}},"anyOf":[{"properties":{"x":{}}}]}`, []string{"x"}, true, nil, nil},
		"a part":                      {`{"allOf":[{"properties":{"a":{}},"required":["a"]}],"additionalProperties":false}`, []string{"a"}, false, nil, nil},
		"no names":                    {`{"properties":{"a":{}},"additionalProperties":false}`, nil, true, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := Compile([]byte(tt.schema))
			if diff := cmp.Diff(tt.missing, s.Missing(tt.names), cmpopts.EquateEmpty()); diff != "" {
				t.Error("missing: ", diff)
			}
			if diff := cmp.Diff(tt.undeclared, s.Undeclared(tt.names, tt.strict), cmpopts.EquateEmpty()); diff != "" {
				t.Error("undeclared: ", diff)
			}
		})
	}
}
