package format

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// ToolWriter writes the tool descriptions of a prompt, one after another. A format defines how each
// one looks ([Format.describeTool]).
//
// The white space and escapes of the client's JSON do not change the text: the same tools always
// give the same bytes, which prompt caches need.
type ToolWriter struct {
	markup.Buffer
	Format  *Format
	scratch []byte // the last result of canonicalSchema
}

// resultWriter writes the parts of a tool_result: see [Format.writeResult].
type resultWriter interface {
	Write(markup string) *markup.Buffer
	WriteText(text string) *markup.Buffer // a client's text
	WriteTextBy(text string, write func(dst []byte, part string) []byte) *markup.Buffer
	WriteContent(blocks []messages.BlockParam)
	ErrorLabel() string // in the language of the prompt
}

// canonicalSchema returns a schema without white space and needless escapes; {} if it is missing.
// The result is valid until the next call.
func (w *ToolWriter) canonicalSchema(s jsontext.Value) (jsontext.Value, error) {
	if len(s) == 0 {
		return jsontext.Value("{}"), nil
	}
	var err error
	if w.scratch, err = jsontext.AppendFormat(w.scratch[:0], s); err != nil {
		return nil, fmt.Errorf("JSON schema is invalid: %w", err)
	}
	return w.scratch, nil
}

// describeInput describes the input of a tool. The schema has to be an object. The result is valid
// until the next call.
func (w *ToolWriter) describeInput(t *messages.Tool) (d schema.Description, err error) {
	root, err := w.canonicalSchema(t.InputSchema)
	if err != nil {
		return d, err
	}
	if root[0] != '{' {
		return d, fmt.Errorf("JSON schema is invalid: not an object")
	}
	return schema.Describe(root), nil
}

// writeObject writes a tool as one JSON object.
func (w *ToolWriter) writeObject(t *messages.Tool) error {
	object, err := w.object(t)
	if err != nil {
		return err
	}
	if w.Format.spaced && !w.Format.compactTools {
		object = rawjson.AppendSpaced(nil, object)
	}
	w.WriteTool(string(object))
	return nil
}

// object returns a tool as a JSON object with description, name and parameters, which is the whole
// schema. If the format spaces JSON as Python does, name comes first.
func (w *ToolWriter) object(t *messages.Tool) ([]byte, error) {
	schema, err := w.canonicalSchema(t.InputSchema)
	if err != nil {
		return nil, err
	}
	object := append(make([]byte, 0, 64+len(t.Name)+len(t.Description)+len(schema)), '{')
	if w.Format.spaced {
		object = append(rawjson.AppendString(append(object, `"name":`...), t.Name), ',')
	}
	if t.Description != "" {
		object = append(rawjson.AppendString(append(object, `"description":`...), t.Description), ',')
	}
	if !w.Format.spaced {
		object = append(rawjson.AppendString(append(object, `"name":`...), t.Name), ',')
	}
	return append(append(append(object, `"parameters":`...), schema...), '}'), nil
}
