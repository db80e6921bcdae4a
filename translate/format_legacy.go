package translate

import (
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// legacy is the format with child tags (reference/legacy-format.md §2, §5, §7).
var legacyCalls = format{
	name:       FormatLegacy,
	stop:       CallsEnd,
	ended:      CallsEnd,
	callOpener: "<invoke>",
	callCloser: CallsEnd,

	example: `<function_calls>
<invoke>
<tool_name>$TOOL_NAME</tool_name>
<parameters>
<$PARAMETER_NAME>$PARAMETER_VALUE</$PARAMETER_NAME>
...
</parameters>
</invoke>
</function_calls>
`,
	beforeTools:  "<tools>\n",
	afterTools:   "</tools>",
	describeTool: (*toolWriter).writeLegacyTool,

	beforeCalls: CallsStart + "\n",
	afterCalls:  CallsEnd,
	appendCall:  appendLegacyCall,
	openCall: func(name string) string {
		const any = CallsStart + "\n<invoke>\n<tool_name>"
		if name == "" {
			return any
		}
		return any + name + "</tool_name>\n<parameters>"
	},

	beforeResults: resultsStart,
	afterResults:  resultsEnd,
	writeResult:   (*turnWriter).writeLegacyResult,
}

// The elements around calls and results (reference/legacy-format.md §5, §7).
const (
	CallsStart   = "<function_calls>"
	CallsEnd     = "</function_calls>" // our stop sequence
	resultsStart = "<function_results>\n"
	resultsEnd   = "</function_results>"
)

func (w *toolWriter) writeLegacyTool(t *messages.Tool) error {
	root, err := w.canonicalSchema(t.InputSchema)
	if err != nil {
		return err
	}
	if root[0] != '{' {
		return fmt.Errorf("JSON schema is invalid: not an object")
	}
	d := schema.Describe(root)
	w.write("<tool_description>\n<tool_name>").writeEscaped(t.Name).write("</tool_name>\n")
	if t.Description != "" {
		w.write("<description>\n").writeEscaped(t.Description).write("\n</description>\n")
	}
	w.write("<parameters>\n")
	for i := range d.Parameters {
		w.writeParameter(&d.Parameters[i])
	}
	if len(d.Parameters) == 0 {
		w.write("\n")
	}
	w.write("</parameters>\n")
	w.writeJSON("schema", d.Schema)
	w.writeJSON("definitions", d.Definitions)
	w.write("</tool_description>\n")
	return nil
}

// parameter describes one property.
func (w *toolWriter) writeParameter(p *schema.Parameter) {
	w.write("<parameter>\n<name>").write(markup.ParamTag(p.Name)).write("</name>\n")
	w.write("<type>").writeEscaped(p.Type).write("</type>\n")
	if p.Described {
		w.write("<description>").writeEscaped(p.Description).write("</description>\n")
	}
	w.write("<required>").write(strconv.FormatBool(p.Required)).write("</required>\n")
	w.writeJSON("enum", p.Enum)
	w.writeJSON("default", p.Default)
	w.writeJSON("schema", p.Schema)
	w.write("</parameter>\n")
}

// inJSON writes an element that holds JSON, unless there is none.
func (w *toolWriter) writeJSON(element, value string) {
	if value != "" {
		w.write("<").write(element).write(">").writeEscaped(value).write("</").write(element).write(">\n")
	}
}

// appendCall renders one past call as the model would have written it; what the
// parser reads from it under the same schema is the same call (G5). The rules
// of a value are those of typed.go: strings stand as they are, other values as
// JSON. Where the schema would read a value as something else (a string "5"
// where a number is due, a number under an undeclared name), all parameters
// stand as one JSON object within <parameters>.
func appendLegacyCall(e *markup.Escaper, dst []byte, name string, input jsontext.Value, s *schema.Schema) []byte {
	dst = append(dst, "<invoke>\n<tool_name>"...)
	dst = append(dst, name...)
	dst = append(dst, "</tool_name>\n<parameters>\n"...)
	if params, ok := appendLegacyParams(e, dst, input, s); ok {
		dst = params
	} else {
		dst = append(dst, e.Value(rawjson.CompactString(input), "")...)
		dst = append(dst, '\n')
	}
	return append(dst, "</parameters>\n</invoke>\n"...)
}

func appendLegacyParams(e *markup.Escaper, dst []byte, input jsontext.Value, s *schema.Schema) ([]byte, bool) {
	for name, value := range rawjson.Named(input) {
		tag := markup.ParamTag(name)
		_, ps, _ := s.Lookup(tag)
		text, ok := valueText(ps, value)
		if !ok || len(tag) > markup.MaxParamTag || mayHide(s, text, name, ps) {
			return dst, false
		}
		dst = append(dst, '<')
		dst = append(dst, tag...)
		dst = append(dst, '>')
		dst = appendOnLines(dst, e.Value(text, tag))
		dst = append(dst, "</"...)
		dst = append(dst, tag...)
		dst = append(dst, ">\n"...)
	}
	return dst, true
}

// result writes one result. One without content is an empty line.
func (w *turnWriter) writeLegacyResult(tool string, b *messages.BlockParam) {
	if b.IsError {
		w.write("<error>\n")
		w.writeContent(b.Content)
		w.write("\n</error>\n")
		return
	}
	w.write("<result>\n<tool_name>", w.escape.Text(tool), "</tool_name>\n<stdout>\n")
	w.writeContent(b.Content)
	w.write("\n</stdout>\n</result>\n")
}
