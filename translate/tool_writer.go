package translate

import (
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

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

// canonical returns a schema without white space and needless escapes, {} for none. It is
// valid until the next call.
func (w *toolWriter) canonicalSchema(schema jsontext.Value) (jsontext.Value, error) {
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
func (w *toolWriter) writeObject(t *messages.Tool) error {
	schema, err := w.canonicalSchema(t.InputSchema)
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
	w.writeEscaped(string(object))
	return nil
}

// raw writes markup of ours.
func (w *toolWriter) write(s string) *toolWriter {
	w.out = append(w.out, s...)
	return w
}

// text writes what the client wrote.
func (w *toolWriter) writeEscaped(s string) *toolWriter {
	w.out = append(w.out, w.escape.Tool(s)...)
	return w
}
