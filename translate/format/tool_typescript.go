package format

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// This file describes tools as TypeScript types, as gpt-oss expects. If a type cannot express part
// of a schema, that part is JSON Schema in a comment before the type.

// writeTypeScript describes a tool as the type of a function.
func (w *ToolWriter) writeTypeScript(t *messages.Tool) error {
	d, err := w.describeInput(t)
	if err != nil {
		return err
	}
	var ts typeScript
	ts.comment("", t.Description)
	ts.jsonComment("", "schema", d.Schema)
	ts.jsonComment("", "definitions", d.Definitions)
	ts.addf("type %s = (", t.Name)
	if len(d.Parameters) > 0 {
		ts.addf("_: {\n")
		for i := range d.Parameters {
			ts.parameter(&d.Parameters[i], "", 0)
		}
		ts.addf("}")
	}
	ts.addf(") => any;")
	w.WriteTool(string(ts.out))
	return nil
}

// typeScript is TypeScript source text.
type typeScript struct{ out []byte }

func (ts *typeScript) addf(format string, args ...any) { ts.out = fmt.Appendf(ts.out, format, args...) }

// comment adds text as comment lines, unless it is "". Every line of text becomes a comment.
func (ts *typeScript) comment(indent, text string) {
	if text == "" {
		return
	}
	ts.addf("%s// ", indent)
	for i, r := range text {
		ts.out = utf8.AppendRune(ts.out, r)
		if endsLine(r) && !strings.HasPrefix(text[i:], "\r\n") {
			ts.addf("%s// ", indent)
		}
	}
	ts.addf("\n")
}

// jsonComment adds a named value as a comment, unless it is nil.
func (ts *typeScript) jsonComment(indent, name string, value jsontext.Value) {
	if value != nil {
		ts.comment(indent, name+": "+string(value))
	}
}

// parameter adds a parameter, or a member of one: its description, its name and its type.
func (ts *typeScript) parameter(p *schema.Parameter, indent string, depth int) {
	ts.comment(indent, string(p.Description))
	t := typeScriptType{typeScript: typeScript{}, indent: indent + "    ", depth: depth}
	switch {
	case p.Schema != nil:
		t.schema(p.Schema)
	case p.Enum != nil:
		t.union(p.Enum, func(value jsontext.Value) { t.out = append(t.out, value...) })
	default:
		t.words(strings.Split(p.Type, " | ")...)
	}
	if t.lossy {
		ts.jsonComment(indent, "schema", p.Schema)
		t.out = nil
		t.words(strings.Split(p.Type, " | ")...)
		t.notes = nil
	}
	name, optional := p.Name, "?"
	if !rawjson.IsPythonName(name) {
		name = string(rawjson.AppendString(nil, name))
	}
	if p.Required {
		optional = ""
	}
	ts.addf("%s%s%s: %s,", indent, name, optional, t.out)
	switch {
	case p.Default == nil:
	case p.Enum != nil && p.Default.Kind() == '"':
		t.notes = append(t.notes, "default: "+rawjson.Unquote(p.Default))
	default:
		t.notes = append(t.notes, "default: "+string(p.Default))
	}
	if len(t.notes) == 0 {
		ts.addf("\n")
	}
	ts.comment(" ", strings.Join(t.notes, ", "))
}

// typeScriptType is a type under construction.
type typeScriptType struct {
	typeScript
	indent string   // of the type's members
	depth  int      // the number of types around it
	lossy  bool     // the type does not express the whole schema
	notes  []string // names of types that TypeScript does not have
}

// maxTypeScriptDepth limits the depth of a type. Deeper schemas are written as JSON Schema.
const maxTypeScriptDepth = 8

// maxTypeNotes limits the notes on one type. JSON Schema has fewer type names than this.
const maxTypeNotes = 8

// words adds types by name.
func (t *typeScriptType) words(names ...string) {
	for i, name := range names {
		if i > 0 {
			t.addf(" | ")
		}
		switch name {
		case "string", "number", "boolean", "object", "null", "any":
			t.addf("%s", name)
			continue
		case "array":
			t.addf("any[]")
			continue
		case "integer":
			t.addf("number")
		default:
			t.addf("any")
		}
		if len(t.notes) < maxTypeNotes && !slices.Contains(t.notes, name) {
			t.notes = append(t.notes, name)
		}
	}
}

// union adds the elements of an array as alternatives, with add for each.
func (t *typeScriptType) union(list jsontext.Value, add func(jsontext.Value)) {
	n := 0
	for value := range rawjson.Elements(list) {
		if n > 0 {
			t.addf(" | ")
		}
		add(value)
		n++
	}
	t.lossy = t.lossy || n == 0
}

// schema adds the type for a schema.
func (t *typeScriptType) schema(s jsontext.Value) {
	k, ok := typeScriptKeywords(s)
	if t.depth++; !ok || t.depth > maxTypeScriptDepth {
		t.lossy = true
		return
	}
	defer func() { t.depth-- }()
	switch {
	case k.enum != nil:
		t.union(k.enum, func(value jsontext.Value) { t.out = append(t.out, value...) })
	case k.union != nil:
		t.union(k.union, t.schema)
	case k.object:
		t.object(s)
	case k.items != nil:
		item := *t
		item.out = nil
		if item.schema(k.items); strings.Contains(string(item.out), " | ") {
			item.out = fmt.Appendf(nil, "(%s)", item.out)
		}
		t.addf("%s[]", item.out)
		t.lossy, t.notes = item.lossy, item.notes
	case k.types == nil:
		t.addf("any")
	case k.types.Kind() == '"':
		t.words(rawjson.Unquote(k.types))
	default:
		t.union(k.types, func(name jsontext.Value) {
			if name.Kind() != '"' {
				t.lossy = true
				return
			}
			t.words(rawjson.Unquote(name))
		})
	}
}

// object adds the type of an object.
func (t *typeScriptType) object(s jsontext.Value) {
	d := schema.Describe(s)
	if t.lossy = t.lossy || d.Schema != nil || d.Definitions != nil || len(d.Parameters) == 0; t.lossy {
		return
	}
	t.addf("{\n")
	for i := range d.Parameters {
		t.parameter(&d.Parameters[i], t.indent, t.depth)
	}
	t.addf("%s}", t.indent)
}

// keywordsOfType are the keywords of a schema that a TypeScript type can express.
type keywordsOfType struct {
	types, enum, union, items jsontext.Value
	object                    bool
}

// typeScriptKeywords returns the keywords of a schema. It returns false if the schema has others,
// or if a single type cannot express them together.
func typeScriptKeywords(s jsontext.Value) (k keywordsOfType, ok bool) {
	if s.Kind() != '{' {
		return k, string(s) == "true"
	}
	known, kinds := 0, 0
	find := func(name string) jsontext.Value {
		value := rawjson.Lookup(s, name)
		if value != nil {
			known++
		}
		return value
	}
	k.types = find("type")
	for _, kind := range []struct {
		name  string
		value *jsontext.Value
	}{{"enum", &k.enum}, {"anyOf", &k.union}, {"oneOf", &k.union}, {"items", &k.items}} {
		if value := find(kind.name); value != nil {
			*kind.value = value
			kinds++
		}
	}
	if k.object = find("properties") != nil; k.object {
		kinds++
		find("required")
		find("additionalProperties")
	}
	for range rawjson.Members(s) {
		known--
	}
	typ := string(k.types)
	return k, known == 0 && kinds < 2 && (k.enum != nil || k.union == nil && k.items == nil && !k.object || typ == "" ||
		k.object && typ == `"object"` || k.items != nil && typ == `"array"`)
}
