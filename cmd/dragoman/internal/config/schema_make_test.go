package config

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// comments are the comments of the tagged fields, by key.
type comments map[string]string

// docsOf reads the comments of the keys.
func docsOf(t testing.TB) comments {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, "../../../../proxy/models_options.go", "../../../../translate/prompt/options.go") // the keys of models
	docs := comments{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok && f.Tag != nil {
				tag, _ := strconv.Unquote(f.Tag.Value)
				if docs[tag] != "" {
					t.Errorf("two fields have the tag %s", tag)
				}
				docs[tag] = strings.Join(strings.Fields(f.Doc.Text()), " ")
			}
			return true
		})
	}
	return docs
}

// of returns the comment of a key.
func (docs comments) of(k key) string {
	for tag, doc := range docs {
		if strings.HasPrefix(string(k.tag), tag+" ") {
			return doc
		}
	}
	return ""
}

// object is a JSON Schema.
type object = map[string]any

// makeSchema makes the JSON Schema of the file from the fields of Config. It covers what can be checked without the
// file's other values.
func makeSchema(t *testing.T) []byte {
	s := docsOf(t).mapping(keysOf(new(Config)))
	s["type"] = []string{"object", "null"} // an empty file is valid
	s["$schema"], s["title"] = "https://json-schema.org/draft/2020-12/schema", "The configuration file of Dragoman"
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// reference matches a value that refers to a variable or a file.
var reference = object{"type": "string", "pattern": `\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}|^file:/.`}

// behind returns the schema of a key's value, or of an element.
func (docs comments) behind(k key) object {
	switch ks := k.keys(); {
	case k.isList() && k.tag.Get("named") != "":
		return object{"type": "object", "propertyNames": object{"pattern": "^[A-Za-z0-9._-]+$"}, "additionalProperties": docs.behind(k.grow())}
	case k.isList():
		list := object{"type": "array", "items": docs.behind(k.grow())}
		if all := k.tag.Get("all"); all != "" {
			return orReference(object{"anyOf": []any{list, object{"const": all}}})
		}
		return list
	case ks != nil:
		for _, k := range ks {
			if k.tag.Get("alone") != "" {
				return object{"if": object{"type": "object"}, "then": docs.mapping(ks), "else": docs.behind(k)}
			}
		}
		return docs.mapping(ks)
	}
	s := object{"type": "string"}
	switch k.v.Interface().(type) {
	case bool, *bool:
		s["type"] = "boolean"
	case int64:
		least, most := k.bounds()
		s = object{"type": "integer", "minimum": least, "maximum": most}
	case time.Duration: // a number and a unit, or 0
		s = object{"type": []string{"string", "integer"}, "pattern": `^(0|([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$`, "minimum": 0, "maximum": 0}
	case secretSum:
		s["minLength"] = shortestKey
	default:
		switch words, pattern := k.words(), k.tag.Get("pattern"); {
		case len(words) > 0:
			s["enum"] = words
		case pattern != "":
			s["pattern"] = pattern
		case k.tag.Get("is") == "path":
			return object{"type": "string", "not": object{"pattern": "^file:"}}
		default: // any text, some of which YAML reads as a number; a path after file: is absolute
			return object{"type": []string{"string", "number", "boolean"}, "not": object{"type": "string", "pattern": "^file:([^/]|$)"}}
		}
	}
	return orReference(s)
}

// orReference returns the schema of a value that may be a reference. Unlike anyOf, if and else have one error, about the
// value, and none about the pattern of references.
func orReference(s object) object { return object{"if": reference, "else": s} }

// mapping returns the schema of a mapping: one for each kind, so that an editor knows the keys of each kind.
func (docs comments) mapping(ks []key) object {
	if !haveKinds(ks) {
		return docs.ofKind(ks)
	}
	kind, each := ks[0], []any{}
	for _, word := range kind.words() {
		one, is := docs.ofKind(ofKind(ks, word)), object{"const": word}
		one["title"], one["properties"].(object)[kind.name] = word, object{"description": docs.of(kind), "const": word}
		each = append(each, object{"if": object{"properties": object{kind.name: is}, "required": []string{kind.name}}, "then": one})
	}
	return object{"type": "object", "properties": object{kind.name: object{"description": docs.of(kind), "enum": kind.words()}}, "required": []string{kind.name}, "allOf": each}
}

// allowNull makes a schema accept null.
func allowNull(s object) {
	switch {
	case s["then"] != nil:
		allowNull(s["else"].(object))
	case s["if"] != nil:
		s["if"] = object{"type": []string{"string", "null"}, "pattern": reference["pattern"]}
	case reflect.TypeOf(s["type"]).Kind() == reflect.Slice:
		s["type"] = append(s["type"].([]string), "null")
	default:
		s["type"] = []any{s["type"], "null"}
	}
}

// ofKind returns the schema of a mapping with these keys. A key with a null value counts as missing.
func (docs comments) ofKind(ks []key) object {
	properties, required := object{}, []string{}
	for _, k := range ks {
		s := docs.behind(k)
		allowNull(s)
		s["description"] = docs.of(k)
		if words := k.tag.Get("usually"); words != "" {
			s["description"] = docs.of(k) + " Default: " + words + "."
		}
		if value, ok := k.tag.Lookup("default"); ok {
			s["default"] = value
			if k.yamlTag() != "!!str" {
				s["default"] = json.RawMessage(value)
			}
		}
		if k.tag.Get("required") != "" {
			required = append(required, k.name)
		}
		properties[k.name] = s
	}
	s := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}
