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
var legacy = format{
	name:   FormatLegacy,
	stop:   CallsEnd,
	ended:  CallsEnd,
	opener: "<invoke>",
	closer: CallsEnd,

	how: `<function_calls>
<invoke>
<tool_name>$TOOL_NAME</tool_name>
<parameters>
<$PARAMETER_NAME>$PARAMETER_VALUE</$PARAMETER_NAME>
...
</parameters>
</invoke>
</function_calls>
`,
	tools:    "<tools>\n",
	toolsEnd: "</tools>",
	describe: (*toolWriter).tool,

	begin: CallsStart + "\n",
	end:   CallsEnd,
	call:  appendCall,
	open: func(name string) string {
		const any = CallsStart + "\n<invoke>\n<tool_name>"
		if name == "" {
			return any
		}
		return any + name + "</tool_name>\n<parameters>"
	},

	results:    resultsStart,
	resultsEnd: resultsEnd,
	result:     (*turnWriter).result,
}

// The elements around calls and results (reference/legacy-format.md §5, §7).
const (
	CallsStart   = "<function_calls>"
	CallsEnd     = "</function_calls>" // our stop sequence
	resultsStart = "<function_results>\n"
	resultsEnd   = "</function_results>"
)

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

// appendCall renders one past call as the model would have written it; what the
// parser reads from it under the same schema is the same call (G5). The rules
// of a value are those of typed.go: strings stand as they are, other values as
// JSON. Where the schema would read a value as something else (a string "5"
// where a number is due, a number under an undeclared name), all parameters
// stand as one JSON object within <parameters>.
func appendCall(e *markup.Escaper, dst []byte, name string, input jsontext.Value, s *schema.Schema) []byte {
	dst = append(dst, "<invoke>\n<tool_name>"...)
	dst = append(dst, name...)
	dst = append(dst, "</tool_name>\n<parameters>\n"...)
	if params, ok := appendParams(e, dst, input, s); ok {
		dst = params
	} else {
		dst = append(dst, e.Value(rawjson.CompactString(input), "")...)
		dst = append(dst, '\n')
	}
	return append(dst, "</parameters>\n</invoke>\n"...)
}

func appendParams(e *markup.Escaper, dst []byte, input jsontext.Value, s *schema.Schema) ([]byte, bool) {
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
		dst = appendWrapped(dst, e.Value(text, tag))
		dst = append(dst, "</"...)
		dst = append(dst, tag...)
		dst = append(dst, ">\n"...)
	}
	return dst, true
}

// result writes one result. One without content is an empty line.
func (w *turnWriter) result(tool string, b *messages.BlockParam) {
	if b.IsError {
		w.raw("<error>\n")
		w.content(b.Content)
		w.raw("\n</error>\n")
		return
	}
	w.raw("<result>\n<tool_name>", w.escape.Text(tool), "</tool_name>\n<stdout>\n")
	w.content(b.Content)
	w.raw("\n</stdout>\n</result>\n")
}
