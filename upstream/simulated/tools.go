package simulated

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// shownTool is a shownTool as its description in the prompt tells of it.
type shownTool struct {
	name, description string
	parameters        []shownParameter
	definitions       string // JSON: schemas by what a $ref calls them
}

type shownParameter struct {
	name, typ string
	required  bool
	schema    string // JSON Schema, "" if the words say everything
	enum      string // JSON array
}

// readTools reads the <tool_description>s of a prompt. A parameter counts as
// required unless the description says otherwise: in the format as it was
// documented all are (reference/legacy-format.md §4).
func readTools(s string) []shownTool {
	var tools []shownTool
	for text := range eachElement(s, "tool_description") {
		head, body, _ := strings.Cut(text, "<parameters>")
		var t shownTool
		t.name, _ = between(head, "<tool_name>", "</tool_name>")
		t.description, _ = between(head, "<description>", "</description>")
		t.definitions, _ = between(body, "<definitions>", "</definitions>")
		for text := range eachElement(body, "parameter") {
			var p shownParameter
			p.name, _ = between(text, "<name>", "</name>")
			p.typ, _ = between(text, "<type>", "</type>")
			p.enum, _ = between(text, "<enum>", "</enum>")
			p.schema, _ = between(text, "<schema>", "</schema>")
			required, told := between(text, "<required>", "</required>")
			p.required = !told || required == "true"
			t.parameters = append(t.parameters, p)
		}
		if t.name != "" {
			tools = append(tools, t)
		}
	}
	return tools
}

// argument returns the value of a parameter as text: strings as they are, all
// else as JSON.
func (q *question) argument(t shownTool, p shownParameter) string {
	value := q.value(p.jsonSchema(), t.definitions, 0)
	if value.Kind() == '"' {
		text, _ := jsontext.AppendUnquote(nil, value)
		return string(text)
	}
	return string(value)
}

// jsonSchema is what the description says of the parameter, as JSON Schema.
func (p *shownParameter) jsonSchema() jsontext.Value {
	if p.schema != "" {
		return jsontext.Value(p.schema)
	}
	schema := `{"type":` + string(quoteJSON(typeName(p.typ)))
	if p.enum != "" {
		schema += `,"enum":` + p.enum
	}
	return jsontext.Value(schema + "}")
}

// typeName returns the JSON type that the words of a <type> speak of, in any of
// the spellings of reference/legacy-format.md §2.
func typeName(words string) string {
	first, _, _ := strings.Cut(strings.ToLower(words), " ")
	switch strings.Trim(first, ",;|") {
	case "integer", "int":
		return "integer"
	case "number", "float":
		return "number"
	case "boolean", "bool":
		return "boolean"
	case "array", "list":
		return "array"
	case "object", "dict":
		return "object"
	case "null":
		return "null"
	}
	return "string"
}

// appendTool appends a tool that is described in JSON.
func appendTool(tools []shownTool, text string) []shownTool {
	var d struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Parameters  struct {
			Properties  jsontext.Value            `json:"properties"`
			Required    []string                  `json:"required"`
			Defs        map[string]jsontext.Value `json:"$defs"`
			Definitions map[string]jsontext.Value `json:"definitions"`
		} `json:"parameters"`
	}
	if json.Unmarshal([]byte(text), &d) != nil || d.Name == "" {
		return tools
	}
	t := shownTool{name: d.Name, description: d.Description}
	named := map[string]jsontext.Value{}
	for name, schema := range d.Parameters.Defs {
		named["#/$defs/"+name] = schema
	}
	for name, schema := range d.Parameters.Definitions {
		named["#/definitions/"+name] = schema
	}
	if defs, err := json.Marshal(named); err == nil && len(named) > 0 {
		t.definitions = string(defs)
	}
	required := map[string]bool{}
	for _, name := range d.Parameters.Required {
		required[name] = true
	}
	for name, schema := range eachMember(d.Parameters.Properties) {
		t.parameters = append(t.parameters, shownParameter{name: name, schema: string(schema), required: required[name]})
	}
	return append(tools, t)
}

// eachMember ranges over the eachMember of a JSON object, in its order.
func eachMember(v jsontext.Value) func(yield func(string, jsontext.Value) bool) {
	return func(yield func(string, jsontext.Value) bool) {
		d := jsontext.NewDecoder(strings.NewReader(string(v)))
		if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
			return
		}
		for d.PeekKind() == '"' {
			name, _ := d.ReadToken()
			key := name.String()
			value, err := d.ReadValue()
			if err != nil || !yield(key, value.Clone()) {
				return
			}
		}
	}
}
