package schematest

import (
	"fmt"
	"strings"
)

// Grown returns a schema made from text, with one keyword per byte, so that a fuzzer that changes
// bytes changes the schema. It has three properties and eight definitions that refer to each other.
func Grown(text string) string {
	const fanOut = 4
	next := func() int {
		if text == "" {
			return 0
		}
		c := text[0]
		text = text[1:]
		return int(c)
	}
	var grow func(depth int) string
	grow = func(depth int) string {
		c := next()
		if depth == 0 || c < 32 {
			return []string{`{}`, `true`, `{"type":"string"}`, `{"type":"integer"}`, `{"enum":["a",1]}`, `{"const":"x"}`, `{"type":["null","array"]}`, `{"type":"object"}`}[c%8]
		}
		var parts []string
		for range c % fanOut {
			parts = append(parts, grow(depth-1))
		}
		list := strings.Join(parts, ",")
		switch c / fanOut % 8 {
		case 0:
			return `{"anyOf":[` + list + `],"type":"object","properties":{"a":` + grow(depth-1) + `}}`
		case 1:
			return `{"allOf":[` + list + `],"nullable":true}`
		case 2:
			return `{"oneOf":[` + list + `],"enum":["b"]}`
		case 3:
			return `{"items":` + grow(depth-1) + `,"type":["array","string"]}`
		case 4:
			return `{"properties":{"a":` + grow(depth-1) + `,"b":` + grow(depth-1) + `},"additionalProperties":` + grow(depth-1) + `}`
		case 5:
			return fmt.Sprintf(`{"type":"object","$ref":"#/$defs/%d"}`, c%8)
		}
		return fmt.Sprintf(`{"$ref":"#/$defs/%d"}`, c%8)
	}
	var defs []string
	for i := range 8 {
		defs = append(defs, fmt.Sprintf(`"%d":%s`, i, grow(4)))
	}
	return `{"type":"object","$defs":{` + strings.Join(defs, ",") + `},"properties":{"v":{"$ref":"#/$defs/0"},"a":` + grow(4) + `,"b":` + grow(4) + `}}`
}
