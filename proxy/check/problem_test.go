package check

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"dragoman/translate/messages"
	"dragoman/translate/testcost"
)

// TestProblem: an invalid value has the same description each time, and the description says nothing about the machine.
func TestProblem(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var many, wide []string
	for i := range 60 {
		many = append(many, fmt.Sprintf(`"name_%d":%d`, i, i))
		wide = append(wide, fmt.Sprintf(`"%s_%d":[]`, strings.Repeat("long", 50), i))
	}
	for name, tt := range map[string]struct{ schema, answer, told string }{
		"two causes": {`{"properties":{"n":{"type":"integer"}},"required":["m"]}`, `{"n":"4"}`,
			"at '': missing property 'm'\nat '/n': got string, want integer"},
		"elements": {`{"items":{"type":"string"}}`, `[1,2,3,4,5,6,7,8,9,10,11]`, "at '/1': got number, want string\nat '/2': got"},
		"more causes than are told": {`{"additionalProperties":{"type":"string"}}`, `{` + strings.Join(many, ",") + `}`,
			"at '/name_0': got number, want string\nat '/name_1': got"},
		"more bytes than are told":    {`{"additionalProperties":{"type":"string"}}`, `{` + strings.Join(wide, ",") + `}`, "_0': got array, want string\nat '/long"},
		"properties without a place":  {`{"additionalProperties":false}`, `{"c":1,"b":2,"a":3}`, "additional properties 'a', 'b', 'c' not allowed"},
		"properties that are left":    {`{"unevaluatedProperties":false}`, `{"c":1,"b":2,"a":3}`, "at '/a': false schema\nat '/b': false schema"},
		"names of properties":         {`{"additionalProperties":{"propertyNames":{"maxLength":1}}}`, `{"x":{"aa":1},"y":{"bb":1},"z":{"dd":1,"cc":1}}`, "invalid propertyName 'aa'\n- at '': maxLength: got 2, want 1\ninvalid propertyName 'bb'"},
		"causes within causes":        {`{"$defs":{"s":{"anyOf":[{"type":"string"},{"properties":{"a":{"type":"null"},"b":{"type":"null"}}}]}},"additionalProperties":{"$ref":"#/$defs/s"}}`, `{"y":{"b":1,"a":2},"x":1.5,"w":{"a":1}}`, "at '/w': 'anyOf' failed\n- at '/w': got object, want string\n- at '/w/a': got number, want null\nat '/y'"},
		"properties that need others": {`{"dependentRequired":{"a":["x"],"b":["y"],"c":["z"]}}`, `{"c":1,"b":2,"a":3}`, "at '': properties 'x' required, if 'a' exists\nat '': properties 'y' required"},
		"nothing is valid":            {`{"not":{}}`, `{}`, "at '': 'not' failed"},
	} {
		t.Run(name, func(t *testing.T) {
			told := map[string]bool{}
			for range testcost.Cases(8, 50) {
				checks, err := New(&messages.Request{OutputSchema: []byte(tt.schema)}, false, nil, func(field string) { t.Errorf("%s is not checked", field) })
				if err != nil {
					t.Fatal(err)
				}
				told[checks.JSON([]byte(tt.answer))] = true
			}
			if len(told) != 1 {
				t.Errorf("told in %d ways", len(told))
			}
			for text := range told {
				if !strings.Contains(text, tt.told) || strings.Contains(text, wd) || strings.Contains(text, "file:") || strings.Contains(text, "schema:") {
					t.Errorf("told:\n%s", text)
				}
			}
		})
	}
}
