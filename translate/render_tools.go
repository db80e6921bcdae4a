package translate

import (
	"context"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
	"fmt"
	"strconv"

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
			return "", &messages.InvalidRequestError{Path: fmt.Sprintf("tools.%d.input_schema", i), Message: err.Error()}
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
	escape  *markup.Escaper
	out     []byte
	scratch []byte // of the schema that is being written
}

func (w *toolWriter) tool(t *messages.Tool) error {
	root, err := w.canonical(t.InputSchema)
	if err != nil {
		return err
	}
	if root[0] != '{' {
		return fmt.Errorf("JSON schema is invalid: not an object")
	}
	d := schema.Describe(root)
	w.raw("<tool_description>\n<tool_name>").text(t.Name).raw("</tool_name>\n")
	if t.Description != "" {
		w.raw("<description>\n").text(t.Description).raw("\n</description>\n")
	}
	w.raw("<parameters>\n")
	for i := range d.Parameters {
		w.parameter(&d.Parameters[i])
	}
	if len(d.Parameters) == 0 {
		w.raw("\n")
	}
	w.raw("</parameters>\n")
	w.inJSON("schema", d.Schema)
	w.inJSON("definitions", d.Definitions)
	w.raw("</tool_description>\n")
	return nil
}

// canonical returns a schema without white space and needless escapes, {} for none. It is
// valid until the next call.
func (w *toolWriter) canonical(schema jsontext.Value) (jsontext.Value, error) {
	if len(schema) == 0 {
		return jsontext.Value("{}"), nil
	}
	var err error
	if w.scratch, err = jsontext.AppendFormat(w.scratch[:0], schema); err != nil {
		return nil, fmt.Errorf("JSON schema is invalid: %w", err)
	}
	return w.scratch, nil
}

// object writes a tool as one JSON object, its schema as it is but for white space
// and escapes.
func (w *toolWriter) object(t *messages.Tool) error {
	schema, err := w.canonical(t.InputSchema)
	if err != nil {
		return err
	}
	object := make([]byte, 0, 64+len(t.Name)+len(t.Description)+len(schema))
	if t.Description != "" {
		object = append(rawjson.AppendString(append(object, `{"description":`...), t.Description), ',')
	} else {
		object = append(object, '{')
	}
	object = rawjson.AppendString(append(object, `"name":`...), t.Name)
	object = append(append(append(object, `,"parameters":`...), schema...), '}')
	w.text(string(object))
	return nil
}

// parameter describes one property.
func (w *toolWriter) parameter(p *schema.Parameter) {
	w.raw("<parameter>\n<name>").raw(markup.ParamTag(p.Name)).raw("</name>\n")
	w.raw("<type>").text(p.Type).raw("</type>\n")
	if p.Described {
		w.raw("<description>").text(p.Description).raw("</description>\n")
	}
	w.raw("<required>").raw(strconv.FormatBool(p.Required)).raw("</required>\n")
	w.inJSON("enum", p.Enum)
	w.inJSON("default", p.Default)
	w.inJSON("schema", p.Schema)
	w.raw("</parameter>\n")
}

// inJSON writes an element that holds JSON, unless there is none.
func (w *toolWriter) inJSON(element, value string) {
	if value != "" {
		w.raw("<").raw(element).raw(">").text(value).raw("</").raw(element).raw(">\n")
	}
}

// raw writes markup of ours.
func (w *toolWriter) raw(s string) *toolWriter {
	w.out = append(w.out, s...)
	return w
}

// text writes what the client wrote.
func (w *toolWriter) text(s string) *toolWriter {
	w.out = append(w.out, w.escape.Tool(s)...)
	return w
}
