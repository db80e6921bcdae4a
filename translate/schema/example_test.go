package schema_test

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/schema"
)

func ExampleAppendTyped() {
	tool := schema.Compile(jsontext.Value(`{
		"type": "object",
		"properties": {
			"zip": {"type": "string"},
			"days": {"type": "integer"},
			"units": {"enum": ["celsius", "fahrenheit", null]},
			"near": {"type": "array", "items": {"type": "object", "properties": {"lat": {"type": "number"}}}}
		}
	}`))
	for _, parameter := range []struct{ tag, text string }{
		{"zip", "00150"},
		{"days", "5"},
		{"days", "five"},
		{"units", "null"},
		{"near", "<point><lat>59.91</lat></point>"},
	} {
		name, s, _ := tool.PropertyByTag(parameter.tag)
		value, fits := schema.AppendTyped(nil, s, parameter.text)
		fmt.Printf("%s: %s %v\n", name, value, fits)
	}
	// Output:
	// zip: "00150" true
	// days: 5 true
	// days: "five" false
	// units: null true
	// near: [{"lat":59.91}] true
}
