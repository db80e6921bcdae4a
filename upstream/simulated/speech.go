package simulated

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// speech is how calls and results are written in one format: as the prompt shows them to
// the model.
type speech struct {
	before, after         string // around the calls of an answer
	opens, closes         string // around what a prefill may have begun
	nameBefore, nameAfter string // around the name in a call
	resultsStart          string
	resultsEnd            string
	call                  func(t shownTool, values *question) string // writes a call; values provides the arguments
}

// legacySpeech names tools and parameters by elements (docs/reference/legacy-format.md
// §5).
var legacySpeech = speech{
	before: callsStart + "\n", after: callsEnd, opens: callsStart, closes: callsEnd,
	nameBefore: "<tool_name>", nameAfter: "</tool_name>",
	resultsStart: resultsStart, resultsEnd: resultsEnd,
	call: func(t shownTool, values *question) string {
		var out strings.Builder
		out.WriteString("<invoke>\n<tool_name>" + t.name + "</tool_name>\n<parameters>\n")
		for _, p := range t.parameters {
			if p.required {
				out.WriteString("<" + p.name + ">" + values.argument(t, p) + "</" + p.name + ">\n")
			}
		}
		return out.String() + "</parameters>\n</invoke>\n"
	},
}

// attributeSpeech names tools and parameters by attributes
// (docs/reference/legacy-format.md §14).
var attributeSpeech = speech{
	before: callsStart + "\n", after: callsEnd, opens: callsStart, closes: callsEnd,
	nameBefore: `<invoke name="`, nameAfter: `">`,
	resultsStart: resultsStart, resultsEnd: resultsEnd,
	call: func(t shownTool, values *question) string {
		var out strings.Builder
		out.WriteString(`<invoke name="` + t.name + "\">\n")
		for _, p := range t.parameters {
			if p.required {
				out.WriteString(`<parameter name="` + p.name + `">` + values.argument(t, p) + "</parameter>\n")
			}
		}
		return out.String() + "</invoke>\n"
	},
}

// jsonSpeech writes a call as a JSON object between two tags
// (docs/reference/formats.md §6).
var jsonSpeech = speech{
	opens: "<tool_call>", closes: "</tool_call>",
	nameBefore: `{"name": "`, nameAfter: `"`,
	resultsStart: "<tool_response>", resultsEnd: "</tool_response>",
	call: func(t shownTool, values *question) string {
		var members []string
		for _, p := range t.parameters {
			if p.required {
				members = append(members, string(quoteJSON(p.name))+": "+string(values.value(p.jsonSchema(), t.definitions, 0)))
			}
		}
		return "<tool_call>\n{\"name\": " + string(quoteJSON(t.name)) + `, "arguments": {` + strings.Join(members, ", ") + "}}\n</tool_call>\n"
	},
}

// listen returns how the system prompt shows calls, the tools that it offers, and what
// it says after them. What tells the formats apart is how they list the tools.
func listen(system string) (s *speech, tools []shownTool, rest string) {
	// The preamble shows the tags before the list begins: the last opening tag counts.
	if list, rest, found := strings.Cut(afterLast(system, "<functions>\n"), "</functions>"); found {
		for text := range eachElement(list, "function") {
			tools = appendTool(tools, text)
		}
		return &attributeSpeech, tools, rest
	}
	list, rest, _ := strings.Cut(afterLast(system, "<tools>"), "</tools>")
	if strings.HasPrefix(list, "\n{") { // a JSON object a line
		for line := range strings.Lines(list) {
			var entry struct{ Function jsontext.Value }
			if json.Unmarshal([]byte(line), &entry, json.MatchCaseInsensitiveNames(true)) == nil {
				tools = appendTool(tools, string(entry.Function))
			}
		}
		return &jsonSpeech, tools, rest
	}
	return &legacySpeech, readTools(list), rest
}

// The markup of calls and results in the legacy format and in the one with attributes.
const (
	callsStart   = "<function_calls>"
	callsEnd     = translate.CallsEnd
	resultsStart = "<function_results>"
	resultsEnd   = "</function_results>"
)
