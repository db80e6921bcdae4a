package format

import "strings"

// The templates of GLM.

var glmBase = ChatTemplate{
	Starts:    []Piece{{"[gMASK]<sop>", Always}},
	Stops:     []string{"<|user|>", "<|observation|>", "<|endoftext|>"},
	SystemGap: "\n\n", ToolsAt: BeforeAll, Tools: [2]string{"<|system|>\n", ""},
	Trims: TrimAssistant,
}

var glmTemplates = []*ChatTemplate{
	glmBase.vary("glm-4.6", func(t *ChatTemplate) {
		t.System, t.User, t.Assistant = [2]string{"<|system|>\n"}, [2]string{"<|user|>\n"}, [2]string{"<|assistant|>"}
		t.Own, t.CallsGap = GLMCalls.observed("\n"), "\n"
		t.Thinking = &TemplateThinking{
			Off: "\n<think></think>", Prefill: "\n<think></think>\n", OffUser: "/nothink", Past: [2]string{"\n<think>", "</think>\n"},
			Earlier: "\n<think></think>\n", None: "\n<think></think>\n",
		}
	}, "glm-4.", "glm-4p"),
	glmBase.vary("glm-4.7", func(t *ChatTemplate) { t.writeOnOneLine(glm47Calls, "</think>") }, "glm-4p7", "glm-5"),
	glmBase.vary("glm-5.2", func(t *ChatTemplate) {
		t.writeOnOneLine(glm52Calls, "<think></think>")
		t.Starts = append(t.Starts[:1:1], Piece{"<|system|>Reasoning Effort: Max", IfThinking})
	}, "glm-5p2", "glm-5.3", "glm-5p3"),
}

// writeOnOneLine removes line feeds, as in GLM 4.7 and later. none marks a turn without thinking.
func (t *ChatTemplate) writeOnOneLine(calls *Format, none string) {
	t.System, t.User, t.Assistant = [2]string{"<|system|>"}, [2]string{"<|user|>"}, [2]string{"<|assistant|>"}
	t.Own = calls.observed("")
	t.Thinking = &TemplateThinking{On: "<think>", Off: "</think>", Past: [2]string{"<think>", "</think>"}, Earlier: none, None: none}
}

// observed returns the format with the template's own turn for results. gap comes before each
// result.
func (f *Format) observed(gap string) *Format {
	return f.vary(f.Variant, func(f *Format) {
		f.BeforeResults = "<|observation|>"
		f.Result = [2]string{gap + f.Result[0], strings.TrimSuffix(f.Result[1], "\n")}
	}, f.Models...)
}
