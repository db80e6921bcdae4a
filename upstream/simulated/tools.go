package simulated

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// shownTool is a tool as the prompt describes it.
type shownTool struct {
	name, description string
	parameters        []shownParameter
	definitions       string // a JSON object: the schemas by the $refs that name them
}

// shownParameter is a parameter of a tool as the prompt describes it.
type shownParameter struct {
	name, typ string
	required  bool
	schema    string // JSON Schema; "" where typ and enum say everything
	enum      string // JSON array
}

// readTools reads the <tool_description> elements of a prompt. A parameter counts as
// required unless the description says otherwise: in the format as it was documented all
// are (docs/reference/legacy-format.md §4).
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

// argument returns the value of a parameter as a call has it: a string as it is,
// anything else as JSON.
func (q *question) argument(t shownTool, p shownParameter) string {
	value := q.value(p.jsonSchema(), t.definitions, 0)
	if value.Kind() == '"' {
		text, _ := jsontext.AppendUnquote(nil, value)
		return string(text)
	}
	return string(value)
}

// jsonSchema returns what the description says of the parameter, as JSON Schema.
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

// typeName returns the JSON type that the words of a <type> mean. Prompts spell types in
// several ways (docs/reference/legacy-format.md §2): "integer", "int, optional", "list
// of str". What is not known is a string.
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

// appendTool appends the tool that a JSON object describes. What describes none is left
// out.
func appendTool(tools []shownTool, text string) []shownTool {
	var d struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Parameters  struct {
			shownDefinitions
			Properties jsontext.Value `json:"properties"`
			Required   []string       `json:"required"`
		} `json:"parameters"`
	}
	if json.Unmarshal([]byte(text), &d) != nil || d.Name == "" {
		return tools
	}
	t := shownTool{name: d.Name, description: d.Description, definitions: d.Parameters.byRef()}
	required := map[string]bool{}
	for _, name := range d.Parameters.Required {
		required[name] = true
	}
	for name, schema := range rawjson.NamedMembers(d.Parameters.Properties) {
		t.parameters = append(t.parameters, shownParameter{name: name, schema: string(schema), required: required[name]})
	}
	return append(tools, t)
}
