package simulated

import (
	"slices"
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

// toolLists are the tags around the descriptions of all tools, in all formats.
var toolLists = [][2]string{
	{"<functions>\n", "</functions>"},
	{"<tools>\n", "</tools>"},
	{"[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"},
}

// readTools returns the tools that the system prompt offers, and what it says after them.
func readTools(system string) (tools []shownTool, rest string) {
	for _, tags := range toolLists {
		// The preamble may show the tags before the list begins: the last opening tag counts.
		_, list, found := cutLast(system, tags[0])
		list, rest, closed := strings.Cut(list, tags[1])
		if !found || !closed {
			continue
		}
		for text := range eachElement(list, "tool_description") {
			tools = appendElements(tools, text, "tool_name", true)
		}
		for text := range eachElement(list, "function") {
			tools = appendElements(tools, text, "name", false)
		}
		for line := range strings.Lines(list) {
			tools = appendObjects(tools, line)
		}
		if len(tools) > 0 {
			return tools, rest
		}
	}
	if tools, rest = readDeclarations(system); tools == nil {
		return readLines(system)
	}
	return tools, rest
}

// appendElements appends the tool that elements describe; nameTag has its name. Parameters
// count as required as byDefault says, unless the description says otherwise: in the legacy
// format as it was documented all are (docs/reference/legacy-format.md §4), in the other one
// those in a list (docs/reference/formats.md §1).
func appendElements(tools []shownTool, text, nameTag string, byDefault bool) []shownTool {
	head, body, _ := strings.Cut(text, "<parameters>")
	var t shownTool
	t.name, _ = between(head, "<"+nameTag+">", "</"+nameTag+">")
	t.description, _ = between(head, "<description>", "</description>")
	t.definitions, _ = between(body, "<definitions>", "</definitions>")
	list, _ := between(afterLast(body, "</parameter>"), "<required>", "</required>")
	var required []string
	_ = json.Unmarshal([]byte(list), &required) // none is listed where there is no list
	for text := range eachElement(body, "parameter") {
		var p shownParameter
		p.name, _ = between(text, "<name>", "</name>")
		p.typ, _ = between(text, "<type>", "</type>")
		p.enum, _ = between(text, "<enum>", "</enum>")
		p.schema, _ = between(text, "<schema>", "</schema>")
		told, _ := between(text, "<required>", "</required>")
		p.required = byDefault && told != "false" || slices.Contains(required, p.name)
		t.parameters = append(t.parameters, p)
	}
	if t.name == "" {
		return tools
	}
	return append(tools, t)
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

// appendObjects appends the tools that a line of JSON describes: an object, or a list of them.
func appendObjects(tools []shownTool, line string) []shownTool {
	var list []jsontext.Value
	start, end := strings.IndexByte(line, '{'), strings.LastIndexByte(line, '}')
	if start < 0 || end < start || json.Unmarshal([]byte("["+line[start:end+1]+"]"), &list) != nil {
		return tools
	}
	for _, object := range list {
		tools = appendObject(tools, object)
	}
	return tools
}

// appendObject appends the tool that a JSON object describes, itself or in an object that says it is a
// function. What describes none is left out.
func appendObject(tools []shownTool, text jsontext.Value) []shownTool {
	type object struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Parameters  *struct {
			shownDefinitions
			Properties jsontext.Value `json:"properties"`
			Required   []string       `json:"required"`
		} `json:"parameters"`
	}
	var d struct {
		object
		Function *object `json:"function"`
	}
	if json.Unmarshal(text, &d) != nil {
		return tools
	}
	if d.Function != nil {
		d.object = *d.Function
	}
	if d.Name == "" || d.Parameters == nil {
		return tools
	}
	t := shownTool{name: d.Name, description: d.Description, definitions: d.Parameters.byRef()}
	for name, schema := range rawjson.NamedMembers(d.Parameters.Properties) {
		t.parameters = append(t.parameters, shownParameter{name: name, schema: string(schema), required: slices.Contains(d.Parameters.Required, name)})
	}
	return append(tools, t)
}
