package format

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// LegacyCalls is the format with child tags: <invoke> with an element for each parameter
// (docs/reference/legacy-format.md §2, §5, §7).
var LegacyCalls = Format{
	Name:         Legacy,
	StopSequence: CallsEnd,
	ImpliedEnd:   CallsEnd,
	CallOpener:   "<invoke>",
	CallCloser:   CallsEnd,

	Example: `<function_calls>
<invoke>
<tool_name>$TOOL_NAME</tool_name>
<parameters>
<$PARAMETER_NAME>$PARAMETER_VALUE</$PARAMETER_NAME>
...
</parameters>
</invoke>
</function_calls>
`,
	BeforeTools:  "<tools>\n",
	AfterTools:   "</tools>",
	describeTool: (*ToolWriter).writeLegacyTool,

	BeforeCalls: CallsStart + "\n",
	AfterCalls:  CallsEnd,
	WriteCall:   writeLegacyCall,
	CallPrefill: func(name string, _ int) string {
		const anyTool = CallsStart + "\n<invoke>\n<tool_name>"
		if name == "" {
			return anyTool
		}
		return anyTool + name + "</tool_name>\n<parameters>"
	},

	BeforeResults: resultsStart,
	AfterResults:  resultsEnd,
	writeResult:   writeLegacyResult,
}

// The tags around the calls and the results of one turn, in the legacy and attribute formats
// (docs/reference/legacy-format.md §5, §7). CallsEnd is the stop sequence of both (§6).
const (
	CallsStart   = "<function_calls>"
	CallsEnd     = "</function_calls>"
	resultsStart = "<function_results>\n"
	resultsEnd   = "</function_results>"
)

// writeLegacyTool describes a tool. The documented elements (docs/reference/legacy-format.md §2)
// have the name, type and description of a parameter. They have nothing for the rest of a schema,
// and other projects' extensions differ (§4), so Dragoman adds its own elements:
//
//	<required>false</required>     the parameter is optional; without this element it is required
//	<enum>["c","f"]</enum>         the allowed values, as JSON
//	<default>"c"</default>         the value if the parameter is missing, as JSON
//	<schema>{…}</schema>           JSON Schema of a parameter, if the elements above cannot say
//	                               everything; after <parameters>, of all parameters together
//	<definitions>{…}</definitions> the schemas that a $ref in the tool names
func (w *ToolWriter) writeLegacyTool(t *messages.Tool) error {
	d, err := w.describeInput(t)
	if err != nil {
		return err
	}
	w.Write("<tool_description>\n<tool_name>").WriteTool(t.Name).Write("</tool_name>\n")
	if t.Description != "" {
		w.Write("<description>\n").WriteTool(t.Description).Write("\n</description>\n")
	}
	w.Write("<parameters>\n")
	for i := range d.Parameters {
		w.writeParameter(&d.Parameters[i])
		if !d.Parameters[i].Required {
			w.Write("<required>false</required>\n")
		}
		w.writeParameterSchema(&d.Parameters[i])
	}
	if len(d.Parameters) == 0 {
		w.Write("\n")
	}
	w.Write("</parameters>\n")
	w.writeJSON("schema", d.Schema)
	w.writeJSON("definitions", d.Definitions)
	w.Write("</tool_description>\n")
	return nil
}

// writeParameter starts the description of a parameter. writeParameterSchema ends it.
func (w *ToolWriter) writeParameter(p *schema.Parameter) {
	w.Write("<parameter>\n<name>").WriteClient(markup.ParamTag(p.Name)).Write("</name>\n")
	w.Write("<type>").WriteTool(p.Type).Write("</type>\n")
	if len(p.Description) > 0 {
		w.Write("<description>").WriteTool(string(p.Description)).Write("</description>\n")
	}
}

func (w *ToolWriter) writeParameterSchema(p *schema.Parameter) {
	w.writeJSON("enum", p.Enum)
	w.writeJSON("default", p.Default)
	w.writeJSON("schema", p.Schema)
	w.Write("</parameter>\n")
}

// writeJSON writes an element that holds JSON, unless value is nil.
func (w *ToolWriter) writeJSON(element string, value jsontext.Value) {
	if value != nil {
		w.Write("<").Write(element).Write(">").WriteTool(string(value)).Write("</").Write(element).Write(">\n")
	}
}

// writeLegacyCall is [Format.WriteCall] with an element for each parameter. If the parser could not
// read one of them back, all parameters are one JSON object in <parameters>.
func writeLegacyCall(b *markup.Buffer, name string, _ int, input jsontext.Value, s *schema.Schema) {
	b.Write(legacyHead).WriteText(name).Write(legacyBehindName)
	if begun := len(b.Out); !writeLegacyParams(b, input, s) {
		b.Truncate(begun)
		b.WriteValue(rawjson.CompactString(input), "").Write("\n")
	}
	b.Write(legacyTail)
}

// The text before the tool's name in a call, after the name, and after the parameters.
const (
	legacyHead       = "<invoke>\n<tool_name>"
	legacyBehindName = "</tool_name>\n<parameters>\n"
	legacyTail       = "</parameters>\n</invoke>\n"
)

// writeLegacyParams writes the parameters as elements. It returns false if the parser could not
// read one of them back. That is so if its tag is too long or a tag of the call itself, if its text
// may contain its closing tag, or if it would be read as another value.
func writeLegacyParams(b *markup.Buffer, input jsontext.Value, s *schema.Schema) bool {
	for name, value := range rawjson.NamedMembers(input) {
		tag := markup.ParamTag(name)
		_, ps, declared := s.PropertyByTag(tag)
		text, ok := valueText(ps, value, false)
		if !ok || len(tag) > markup.MaxParamTagLen || !isReadAsParameter(name, declared, text) || wouldBeDoubtful(s, text, name, ps) {
			return false
		}
		b.Write("<").Write(tag).Write(">")
		writeOnLines(b, text, tag)
		b.Write("</").Write(tag).Write(">\n")
		s = s.Given(tag, value)
	}
	return true
}

// writeLegacyResult is [Format.writeResult]. A result without content is an empty line. An error is
// written as in the documentation (docs/reference/legacy-format.md §7).
func writeLegacyResult(w resultWriter, tool string, _ int, b *messages.BlockParam) {
	if b.IsError {
		w.Write("<error>\n")
		w.WriteContent(b.Content)
		w.Write("\n</error>\n")
		return
	}
	w.Write("<result>\n<tool_name>").WriteText(tool).Write("</tool_name>\n<stdout>\n")
	w.WriteContent(b.Content)
	w.Write("\n</stdout>\n</result>\n")
}

// isReadAsParameter reports whether the parser reads an element of that name, declared or not, as a
// parameter and nothing else, if its value begins like text. The renderer needs this for G5. The
// answer may be false for some texts that the parser would read.
func isReadAsParameter(name string, declared bool, text string) bool {
	if !markup.IsReserved(name) || strings.IndexByte(name, ':') >= 0 { // with a namespace it is a different tag
		return true
	}
	text = strings.TrimLeft(text, " \t\r\n")
	if !declared || strings.HasPrefix(text, "<") {
		return false
	}
	return text != "" && text[0] != '{' || !strings.EqualFold(name, "parameters")
}

// wouldBeDoubtful reports whether the parser might find text ambiguous as the value of the
// parameter own with the schema ps. It might if elements of other parameters in the text do not
// pair up, or if the value is not a string and has any elements. The renderer needs this because
// the parser must read back the same value (G5).
func wouldBeDoubtful(s *schema.Schema, text, own string, ps *schema.Schema) bool {
	var inside openTags
	for rest, any := []byte(text), false; ; rest = rest[1:] {
		i := bytes.IndexByte(rest, '<')
		if i < 0 {
			return len(inside) > 0 || any && !FitsText(ps, text)
		}
		rest = rest[i:]
		t, v := markup.MatchTag(rest, true)
		if v != markup.Match {
			continue
		}
		if name, _, declared := s.PropertyByTag(string(t.Full)); !declared && s.AdditionalProperties == nil || name == own {
			continue
		}
		any = true
		switch {
		case t.Empty:
		case !t.Closing && len(inside) == maxOpenTags:
			return true
		case !t.Closing:
			inside.open(t.Full)
		default:
			if !inside.close(t.Full) {
				return true
			}
		}
	}
}

// FitsText reports whether a value that is written as text fits its schema.
func FitsText(s *schema.Schema, text string) bool {
	_, fits := schema.AppendTyped(nil, s, text)
	return fits
}
