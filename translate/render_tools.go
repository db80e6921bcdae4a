package translate

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// tools returns the description of every tool: the same bytes for tools that
// say the same, whatever the white space and escapes of their JSON.
func (r *renderer) tools() (string, error) {
	before, after := r.preamble()
	size := len(before) + len(after)
	for i := range r.req.Tools {
		t := &r.req.Tools[i]
		size += 256 + len(t.Description) + 2*len(t.InputSchema) // about
	}
	w := toolWriter{escape: &r.escape, out: append(make([]byte, 0, size), before...)}
	for i := range r.req.Tools {
		if r.ctx.Err() != nil {
			return "", context.Cause(r.ctx)
		}
		if err := r.format.describe(&w, &r.req.Tools[i]); err != nil {
			return "", &InvalidRequestError{Path: fmt.Sprintf("tools.%d.input_schema", i), Message: err.Error()}
		}
	}
	return string(append(w.out, after...)), nil
}

// toolWriter writes <tool_description>s. The documented elements say name, type
// and description of a parameter; ours beside them say the rest:
//
//	<required>true</required>      whether the tool needs it
//	<enum>["c","f"]</enum>         the values it may have, as JSON
//	<default>"c"</default>         the value it has when left out, as JSON
//	<schema>{…}</schema>           JSON Schema of a parameter, where the words above do not say
//	                               everything; after <parameters>, of all of them together
//	<definitions>{…}</definitions> the schemas that a $ref in the tool names
type toolWriter struct {
	escape *escaper
	out    []byte
	json   []byte // scratch
	defs   definitions
}

func (w *toolWriter) tool(t *Tool) error {
	root := "{}"
	if len(t.InputSchema) > 0 {
		var err error
		if w.json, err = jsontext.AppendFormat(w.json[:0], t.InputSchema); err != nil {
			return fmt.Errorf("JSON schema is invalid: %w", err)
		}
		if root = string(w.json); root[0] != '{' {
			return fmt.Errorf("JSON schema is invalid: not an object")
		}
	}
	w.defs = readDefinitions(root)
	top := readTop(w.defs.flat(root))

	w.raw("<tool_description>\n<tool_name>").text(t.Name).raw("</tool_name>\n")
	if t.Description != "" {
		w.raw("<description>\n").text(t.Description).raw("\n</description>\n")
	}
	w.raw("<parameters>\n")
	for _, p := range top.properties {
		w.parameter(p.name, p.value, top.required[p.name])
	}
	if len(top.properties) == 0 {
		w.raw("\n")
	}
	w.raw("</parameters>\n")
	if len(top.rest) > 0 {
		w.schema(top.rest)
	}
	if given := w.defs.given(); given != "" {
		w.raw("<definitions>").text(given).raw("</definitions>\n")
	}
	w.raw("</tool_description>\n")
	return nil
}

// object writes a tool as one JSON object, its schema as it is but for white space
// and escapes.
func (w *toolWriter) object(t *Tool) error {
	schema := "{}"
	if len(t.InputSchema) > 0 {
		var err error
		if w.json, err = jsontext.AppendFormat(w.json[:0], t.InputSchema); err != nil {
			return fmt.Errorf("JSON schema is invalid: %w", err)
		}
		schema = string(w.json)
	}
	w.json = w.json[:0]
	if t.Description != "" {
		w.json = append(appendJSONString(append(w.json, `{"description":`...), t.Description), ',')
	} else {
		w.json = append(w.json, '{')
	}
	w.json = appendJSONString(append(w.json, `"name":`...), t.Name)
	w.json = append(append(append(w.json, `,"parameters":`...), schema...), '}')
	w.text(string(w.json))
	return nil
}

// parameter describes one property; name is quoted as in JSON.
func (w *toolWriter) parameter(name, schema string, required bool) {
	p := w.read(name, schema)
	w.raw("<parameter>\n<name>").raw(paramTag(unquote(name))).raw("</name>\n")
	w.raw("<type>").text(p.typ).raw("</type>\n")
	if p.description != "" {
		w.raw("<description>").text(unquote(p.description)).raw("</description>\n")
	}
	w.raw("<required>").raw(strconv.FormatBool(required)).raw("</required>\n")
	if p.enum != "" {
		w.raw("<enum>").text(p.enum).raw("</enum>\n")
	}
	if p.def != "" {
		w.raw("<default>").text(p.def).raw("</default>\n")
	}
	switch {
	case p.bare != "":
		w.raw("<schema>").text(p.bare).raw("</schema>\n")
	case p.rest != nil:
		w.schema(p.rest)
	}
	w.raw("</parameter>\n")
}

func (w *toolWriter) schema(members []jsonMember) {
	w.json = w.defs.appendObject(w.json[:0], members, 0)
	w.raw("<schema>").text(string(w.json)).raw("</schema>\n")
}

// raw writes markup of ours.
func (w *toolWriter) raw(s string) *toolWriter {
	w.out = append(w.out, s...)
	return w
}

// text writes what the client wrote.
func (w *toolWriter) text(s string) *toolWriter {
	w.out = append(w.out, w.escape.tool(s)...)
	return w
}

// parameter is what a description says of one property. Its values are JSON as
// sent; "" is for what it does not say.
type parameter struct {
	typ                    string // in words
	description, enum, def string
	rest                   []jsonMember // of the schema, if the fields above do not say all
	bare                   string       // the schema, if it is no object
}

// read finds what can be said of a property in words.
func (w *toolWriter) read(name, schema string) parameter {
	p := parameter{typ: w.defs.typeWord(schema)}
	if schema[0] != '{' {
		if schema != "true" {
			p.bare = schema
		}
		return p
	}
	members := w.defs.flat(schema)
	rest, more := members[:0], false
	for _, m := range members {
		switch {
		case m.name == `"description"` && m.value[0] == '"' && p.description == "":
			p.description = m.value
			continue
		case m.name == `"default"`:
			p.def = m.value
			continue
		case m.name == `"title"` && restates(m.value, name):
			continue
		case m.name == `"enum"` && m.value[0] == '[':
			p.enum = m.value
		case m.name == `"type"` && typeNames(m.value) != "":
		default:
			more = true
		}
		rest = append(rest, m)
	}
	if more {
		p.rest = rest
	}
	return p
}

// restates tells whether a title says no more than the name, as generated
// titles do: "User Id" of user_id.
func restates(title, name string) bool {
	return strings.EqualFold(strings.ReplaceAll(title, " ", "_"), strings.ReplaceAll(name, " ", "_"))
}

// top is the input_schema of a tool, taken apart.
type top struct {
	properties []jsonMember
	required   map[string]bool // by name, quoted
	rest       []jsonMember    // what neither the parameters nor the definitions say
}

func readTop(members []jsonMember) top {
	var t top
	names := make(map[string]bool)
	for _, m := range members {
		if m.name == `"properties"` && m.value[0] == '{' {
			t.properties = slices.AppendSeq(t.properties, jsonMembers(m.value))
		}
	}
	for _, p := range t.properties {
		names[p.name] = true
	}
	for _, m := range members {
		switch object := m.value[0] == '{'; {
		case m.name == `"properties"` && object, m.name == `"$defs"` && object, m.name == `"definitions"` && object,
			m.name == `"type"` && m.value == `"object"`, m.name == `"$schema"`, m.name == `"title"`:
			continue
		case m.name == `"required"` && m.value[0] == '[':
			if t.require(m.value, names) {
				continue
			}
		}
		t.rest = append(t.rest, m)
	}
	return t
}

// require notes the names of a "required" and tells whether all are properties.
func (t *top) require(list string, properties map[string]bool) bool {
	t.required = make(map[string]bool)
	all := true
	for name := range jsonElements(list) {
		t.required[name] = true
		all = all && properties[name]
	}
	return all
}
