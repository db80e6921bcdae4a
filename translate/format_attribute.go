package translate

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// attributeCalls is the format whose names stand in attributes
// (docs/reference/legacy-format.md §5, §14). Results are those of the legacy format, and
// the states that read legacy calls read its calls, too.
var attributeCalls = format{
	name:         FormatAttribute,
	stopSequence: CallsEnd,
	impliedEnd:   CallsEnd,
	callOpener:   "<invoke name=",
	callCloser:   CallsEnd,
	protects:     markup.TagFunctions | markup.TagFunction,

	example: `<function_calls>
<invoke name="$TOOL_NAME">
<parameter name="$PARAMETER_NAME">$PARAMETER_VALUE</parameter>
...
</invoke>
</function_calls>
`,
	exampleNote: func(l *language) string { return l.plainValues },
	beforeTools: "<functions>\n",
	afterTools:  "</functions>",
	describeTool: func(w *toolWriter, t *messages.Tool) error {
		w.write("<function>")
		if err := w.writeObject(t); err != nil {
			return err
		}
		w.write("</function>\n")
		return nil
	},

	beforeCalls: CallsStart + "\n",
	afterCalls:  CallsEnd,
	appendCall:  appendAttributeCall,
	callPrefill: func(name string) string {
		const anyTool = CallsStart + "\n<invoke name=\""
		if name == "" {
			return anyTool
		}
		return anyTool + name + "\">"
	},

	beforeResults: resultsStart,
	afterResults:  resultsEnd,
	writeResult:   (*turnWriter).writeLegacyResult,
}

// appendAttributeCall is [format.appendCall] with names in attributes. Where a parameter
// cannot be written so that the parser reads it back, all stand as one JSON object.
func appendAttributeCall(e *markup.Escaper, dst []byte, name string, input jsontext.Value, s *schema.Schema) []byte {
	dst = append(dst, `<invoke name="`...)
	dst = e.AppendText(dst, name)
	dst = append(dst, "\">\n"...)
	if params, ok := appendAttributeParams(e, dst, input, s); ok {
		dst = params
	} else {
		dst = e.AppendValue(dst, rawjson.CompactString(input), "")
		dst = append(dst, '\n')
	}
	return append(dst, "</invoke>\n"...)
}

// appendAttributeParams appends the parameters as elements. It reports false if one cannot
// be written so that the parser reads it back: it would be read as another value, or its
// name cannot stand in an attribute.
func appendAttributeParams(e *markup.Escaper, dst []byte, input jsontext.Value, s *schema.Schema) ([]byte, bool) {
	for name, value := range rawjson.NamedMembers(input) {
		read, ps, _ := s.PropertyByTag(name)
		text, ok := valueText(ps, value)
		if !ok || read != name || name == "" || len(name) > markup.MaxParamTagLen || strings.ContainsAny(name, "\"<>&\r\n") {
			return dst, false
		}
		dst = append(dst, `<parameter name="`...)
		dst = append(dst, name...)
		dst = append(dst, `">`...)
		dst = appendOnLines(e, dst, text, name)
		dst = append(dst, "</parameter>\n"...)
	}
	return dst, true
}
