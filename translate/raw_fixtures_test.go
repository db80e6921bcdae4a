package translate

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// rawCase is a prompt that a public chat template rendered (docs/reference/raw-prompts.md §4.5).
type rawCase struct {
	Family, Source, Case, BOS string
	Options                   map[string]any
	Messages                  []struct {
		Role, Content, Name, Thinking string
		Reasoning                     string `json:"reasoning_content"`
		CallID                        string `json:"tool_call_id"`
		Calls                         []struct {
			ID       string
			Function struct {
				Name      string
				Arguments jsontext.Value
			}
		} `json:"tool_calls"`
	}
	Tools []struct {
		Function struct {
			Name, Description string
			Parameters        jsontext.Value
		}
	}
	Expected string
}

// rawCases returns the cases of testdata/raw-prompts.jsonl.
func rawCases(t *testing.T) (list []rawCase) {
	f, err := os.Open("testdata/raw-prompts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c rawCase
		if err := json.Unmarshal(lines.Bytes(), &c, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	if lines.Err() != nil || len(list) != 90 {
		t.Fatalf("%d cases, %v", len(list), lines.Err())
	}
	return list
}

// thinksByDefault are families with templates that make the model think by default.
const thinksByDefault = " qwen3 qwen3.5 qwq glm-4.6 glm-4.7 glm-5.2 nemotron-3 gpt-oss kimi-k2-thinking seed-oss deepseek-r1-distill-llama deepseek-r1-distill-qwen "

// thinks reports whether the case makes the model think.
func (c *rawCase) thinks() bool {
	for _, option := range []string{"enable_thinking", "thinking"} {
		if on, ok := c.Options[option].(bool); ok {
			return on
		}
	}
	if mode, ok := c.Options["thinking_mode"]; ok {
		return mode == "thinking"
	}
	return strings.Contains(thinksByDefault, " "+c.Family+" ")
}

// date is the date when the case was rendered.
func (c *rawCase) date() string {
	if c.Family == "gpt-oss" {
		return "2025-07-01"
	}
	return "2024-07-26"
}

// request returns the request for the same prompt.
func (c *rawCase) request(t *testing.T) *messages.Request {
	body := map[string]any{"model": "m", "max_tokens": 4096}
	if c.thinks() {
		body["thinking"] = map[string]any{"type": "enabled", "budget_tokens": 1024}
	}
	var list []any
	for _, m := range c.Messages {
		content := []any{}
		if thought := m.Reasoning + m.Thinking; thought != "" {
			content = append(content, map[string]any{"type": "thinking", "thinking": thought, "signature": "s"})
		}
		switch m.Role {
		case "system":
			body["system"] = m.Content
			continue
		case "tool":
			m.Role = messages.RoleUser
			content = append(content, map[string]any{"type": "tool_result", "tool_use_id": m.CallID, "content": m.Content})
		default:
			if m.Content != "" {
				content = append(content, map[string]any{"type": "text", "text": m.Content})
			}
		}
		for _, call := range m.Calls {
			input := call.Function.Arguments
			if input.Kind() == '"' {
				var text string
				if err := json.Unmarshal(input, &text); err != nil {
					t.Fatal(err)
				}
				input = jsontext.Value(text)
			}
			content = append(content, map[string]any{"type": "tool_use", "id": strings.NewReplacer(".", "_", ":", "_").Replace(call.ID), "name": call.Function.Name, "input": input})
		}
		for _, b := range content {
			if b, ok := b.(map[string]any); ok && b["type"] == "tool_result" {
				b["tool_use_id"] = strings.NewReplacer(".", "_", ":", "_").Replace(m.CallID)
			}
		}
		list = append(list, map[string]any{"role": m.Role, "content": content})
	}
	body["messages"] = list
	var tools []any
	for _, tool := range c.Tools {
		tools = append(tools, map[string]any{"name": tool.Function.Name, "description": tool.Function.Description, "input_schema": tool.Function.Parameters})
	}
	if tools != nil {
		body["tools"] = tools
	}
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	b, err := messages.ReadBody(t.Context(), data, messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.KeepsThinking = true
	req, err := b.Request(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func mustTemplate(t testing.TB, name string) *format.ChatTemplate {
	t.Helper()
	template, err := format.ChatTemplateNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return template
}

// rawDifferences are the differences between Dragoman's prompts and the families' own templates, in the cases with tools:
// pairs of Dragoman's text and the template's, by family. docs/reference/chat-templates.md says why.
var rawDifferences = map[string][]string{
	"mistral-v3-tekken": {"000000000", "abcdefg12", "[INST]Be brief.\n\nWeather", "[INST]Weather"},
	"mistral-v11":       {"000000000", "abcdefg12"},
	"deepseek-v3.1":     {"Be brief.\n\n" + deepseekTools, "Be brief."},
	"seed-oss": {
		"Tool List:\n" + `[{"type": "function", "function": {"name": "get_weather", "description": "Weather now", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]`,
		"Function:\ndef get_weather(city: str):\n    \"\"\"\n    Weather now\n\n    Args:\n    - city (str) [必填]: \n\n    \"\"\"",
	},
}

// deepseekTools are the tools of a case as DeepSeek V3.1 sees them.
const deepseekTools = `## Tools
In this environment you have access to a set of tools you can use to answer the user's question. Here are the tools available:

### get_weather
Description: Weather now

Parameters: {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}

You may call them like this:
<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>$TOOL_NAME<｜tool▁sep｜>{"$PARAMETER_NAME": $PARAMETER_VALUE, ...}<｜tool▁call▁end｜><｜tool▁calls▁end｜>

- Name exactly one of the tools above.
- Give every parameter that is required, and only what the schema of the tool allows.
- Several calls stand one after another within one such section, and nothing after it: the results come next.`

// TestRawFixtures checks that a prompt in a chat template equals the output of the family's own
// template, byte for byte, except for the listed differences. BOS is compared if the template
// writes it.
func TestRawFixtures(t *testing.T) {
	for _, c := range rawCases(t) {
		t.Run(c.Family+"/"+c.Case, func(t *testing.T) {
			raw := c.render(t)
			got := raw.Text
			if strings.HasPrefix(c.Expected, raw.BOS) {
				got = raw.BOS + got
			}
			if d, ok := rawDifferences[c.Family]; ok && c.Case == "tools" {
				for _, s := range [2]int{0, len(d) - 2} {
					if !strings.Contains(got, d[s]) {
						t.Errorf("the prompt has no %q", d[s])
					}
				}
				got = strings.NewReplacer(d...).Replace(got)
			}
			if got != c.Expected {
				t.Errorf("got\n%q\nwant\n%q", got, c.Expected)
			}
		})
	}
}

// render returns the prompt for the case, in the format of the family.
func (c *rawCase) render(t *testing.T) *RawPrompt {
	name, ok := ChatTemplateFor(c.Family)
	if !ok {
		t.Fatal("no template")
	}
	target := Target{ModelOptions: ModelOptions{ChatTemplate: name, Family: c.Family, Format: FormatAuto}, Prefill: true, Date: c.date()}
	if own := mustTemplate(t, name).Own; own != nil {
		target.Format = own.Name
	}
	return mustRender(t, c.request(t), target).Raw()
}

// TestRawFixturesAreCurrent checks that the copy of the cases equals the file next to the reference. It
// does nothing if that file does not exist.
func TestRawFixturesAreCurrent(t *testing.T) {
	shared, err := os.ReadFile("../../shared/reference/raw-prompts.jsonl")
	if err != nil {
		t.Skip("there is no reference beside the repository")
	}
	if own, err := os.ReadFile("testdata/raw-prompts.jsonl"); err != nil || !bytes.Equal(own, shared) {
		t.Errorf("testdata/raw-prompts.jsonl is another file (%v)", err)
	}
}
