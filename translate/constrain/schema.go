package constrain

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// callSchema returns the JSON Schema of one call as an object, which the parser reads in the format
// json. It is for servers that take nothing else. The tools' schemas are among the definitions, so
// that their references still work.
func callSchema(tools []*messages.Tool) jsontext.Value {
	var calls, definitions []string
	for i, t := range tools {
		at := fmt.Sprintf("#/$defs/tool%d", i)
		calls = append(calls, `{"type":"object","properties":{"name":{"const":`+quoted(t.Name)+`},"arguments":{"$ref":`+quoted(at)+
			`}},"required":["name","arguments"],"additionalProperties":false}`)
		definitions = append(definitions, fmt.Sprintf(`"tool%d":%s`, i, moved(nil, rawjson.Compact(t.InputSchema), at)))
	}
	schema := `{"anyOf":[` + strings.Join(calls, ",") + "]"
	if len(calls) == 1 {
		schema = strings.TrimSuffix(calls[0], "}")
	}
	return jsontext.Value(schema + `,"$defs":{` + strings.Join(definitions, ",") + "}}")
}

// moved appends a schema that moves from its own document to a place in another. It changes the
// schema's references accordingly.
func moved(dst []byte, schema jsontext.Value, to string) []byte {
	switch schema.Kind() {
	case '{':
		dst = append(dst, '{')
		for name, value := range rawjson.Members(schema) {
			dst = append(append(dst, name...), ':')
			if text := string(value); string(name) == `"$ref"` && strings.HasPrefix(text, `"#`) {
				dst = append(dst, quoted(to+rawjson.Unquote(value)[1:])...)
			} else {
				dst = moved(dst, value, to)
			}
			dst = append(dst, ',')
		}
		return shut(dst, '}')
	case '[':
		dst = append(dst, '[')
		for value := range rawjson.Elements(schema) {
			dst = append(moved(dst, value, to), ',')
		}
		return shut(dst, ']')
	}
	return append(dst, schema...)
}

// shut ends a list. It replaces the comma after the last element.
func shut(dst []byte, bracket byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, bracket)
}
