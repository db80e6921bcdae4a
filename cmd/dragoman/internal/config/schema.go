package config

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// schema is a JSON Schema of what may stand in the file. It says what can be said without the file's
// other values: [Load] knows more.
type schema struct {
	Schema      string            `json:"$schema,omitempty"`
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description,omitempty"`
	Type        any               `json:"type,omitempty"` // a name, or several
	Const       string            `json:"const,omitempty"`
	Enum        []string          `json:"enum,omitempty"`
	Default     any               `json:"default,omitempty"`
	Minimum     *int64            `json:"minimum,omitempty"`
	Maximum     *int64            `json:"maximum,omitempty"`
	MinLength   int               `json:"minLength,omitempty"`
	MaxLength   int               `json:"maxLength,omitempty"`
	Pattern     string            `json:"pattern,omitempty"`
	Items       *schema           `json:"items,omitempty"`
	Properties  map[string]schema `json:"properties,omitempty"`
	Names       *schema           `json:"propertyNames,omitempty"`
	Additional  any               `json:"additionalProperties,omitempty"` // false, or a schema
	Required    []string          `json:"required,omitempty"`
	Not         *schema           `json:"not,omitempty"`
	AnyOf       []schema          `json:"anyOf,omitempty"`
	OneOf       []schema          `json:"oneOf,omitempty"`
}

// Schema returns the JSON Schema of the configuration file, draft 2020-12. It is made of the tables
// by which the file is read.
func Schema() []byte {
	l := &loader{cfg: new(Config)}
	s := objectSchema(l.top(), nil)
	s.Type = nullable(s.Type) // an empty file says nothing
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "The configuration file of Dragoman"
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		panic(err) // a schema has nothing that cannot be encoded
	}
	return out.Bytes()
}

// reference matches a value that stands for another: it is what a variable or a file holds.
const reference = `\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}|^file:/.`

// orReference returns the schema of a value that may also be a reference, or missing: a key whose
// value is null counts as missing.
func (s schema) orReference() schema {
	return schema{AnyOf: []schema{s, {Type: "string", Pattern: reference}, {Type: "null"}}}
}

// textSchema is for any text. YAML takes some for numbers, and the reader takes those. A path
// behind file: is absolute.
func textSchema() schema {
	return schema{Type: []string{"string", "number", "boolean", "null"}, Not: &schema{Type: "string", Pattern: "^file:([^/]|$)"}}
}

func pathSchema() schema {
	return schema{Type: nullable("string"), Not: &schema{Type: "string", Pattern: "^file:"}}
}

// durationSchema is for a number and a unit, or 0.
func durationSchema() schema {
	zero := new(int64)
	return schema{Type: []string{"string", "integer"}, Pattern: `^(0|([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$`, Minimum: zero, Maximum: zero}.orReference()
}

// nullable returns a type or null: a key whose value is null counts as missing.
func nullable(name any) []any { return []any{name, "null"} }

func numberSchema(least, most int64) schema {
	return schema{Type: "integer", Minimum: &least, Maximum: &most}.orReference()
}

// objectSchema is a mapping with these keys, of which all of required have to be there.
func objectSchema(fs fields, required []string) schema {
	s := schema{Type: "object", Properties: map[string]schema{}, Additional: false, Required: required}
	for _, f := range fs {
		property := f.schema()
		property.Description = f.about
		s.Properties[f.name] = property
	}
	return s
}

// withDefault returns s with what counts where there is no value. tag is the type of YAML of that.
func (s schema) withDefault(tag, value string) schema {
	s.Default = value
	switch tag {
	case "!!int":
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			s.Default = n
		}
	case "!!bool":
		s.Default = value == "true"
	}
	return s
}
