package prompt

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// templatePrompt is a conversation with one call, as a family's own chat template writes it.
type templatePrompt struct {
	Family, Source, Expected string
	Tools                    []struct {
		Function struct {
			Name, Description string
			Parameters        jsontext.Value
		}
	}
	Messages []struct {
		Role, Content string
		ToolCalls     []struct{} `json:"tool_calls"`
	}
}

// TestTemplateWords compares the prompts of the format auto with public chat templates (sources in
// testdata/templates.jsonl): the tools, all words around them, and the past call. It does not
// compare the text between turns.
func TestTemplateWords(t *testing.T) {
	data, err := os.ReadFile("testdata/templates.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var p templatePrompt
		if err := json.Unmarshal(line, &p, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		t.Run(p.Family, func(t *testing.T) {
			req := &messages.Request{System: []messages.BlockParam{{Type: messages.BlockText, Text: "Be brief."}}}
			for _, tool := range p.Tools {
				f := tool.Function
				req.Tools = append(req.Tools, messages.Tool{Name: f.Name, Description: f.Description, InputSchema: f.Parameters})
			}
			req.Messages = []messages.MessageParam{user("Weather in Oslo?"), {Role: messages.RoleAssistant, Content: []messages.BlockParam{
				{Type: messages.BlockToolUse, ID: "1", Name: "get_weather", Input: jsontext.Value(`{"city":"Oslo"}`)}}}}
			prompt := mustRender(t, req, Target{ModelOptions: ModelOptions{Format: format.Auto, Family: p.Family}, Prefill: true})
			var system []string
			for _, s := range prompt.System {
				system = append(system, s.Text)
			}
			want := p.Expected
			if p.Family == "seed-oss" { // its template shows tools as Python or, as here, as a list
				want = "Be brief.\n\n" + system[1][:strings.Index(system[1], "工")] + want[strings.Index(want, "工具"):]
			}
			parts := append([]string{strings.Join(system, "\n\n")}, prompt.Turns[1].Parts[0].Text)
			if !prompt.Declared.ToolsLast && strings.HasPrefix(p.Family, "glm") { // the client's text has a turn of its own
				parts = append(system, parts[1])
			}
			for _, part := range parts {
				if !strings.Contains(want, part) {
					t.Errorf("rendered\n%s\n\nthe template writes\n%s", part, want)
				}
			}
		})
	}
}

// TestTemplateSystem checks that the template's own system text replaces a missing one, and that
// its words are the same in every language.
func TestTemplateSystem(t *testing.T) {
	req := &messages.Request{Tools: []messages.Tool{{Name: "ping"}}, Messages: []messages.MessageParam{user("hi")}}
	prompt := mustRender(t, req, Target{ModelOptions: ModelOptions{Format: format.Auto, Family: "qwen2.5-coder:7b", Language: "fr"}})
	if got := prompt.System[0].Text; got != format.Qwen25Calls.SystemText {
		t.Errorf("the system text is %q", got)
	}
	if got := prompt.System[1].Text; !strings.HasPrefix(got, format.Qwen25Calls.Words[0]) {
		t.Errorf("the tools are introduced by %q", got)
	}
	if named := mustRender(t, req, Target{ModelOptions: ModelOptions{Format: format.JSON, Family: "qwen2.5-coder:7b"}}); named.Variant != "" {
		t.Errorf("a named format is asked in the variant %q", named.Variant)
	}
}
