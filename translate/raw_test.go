package translate

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// rawRequest offers a tool and asks a question.
func rawRequest() *messages.Request {
	return &messages.Request{
		MaxTokens: 99, System: []messages.BlockParam{{Type: messages.BlockText, Text: "Be brief."}},
		Tools:    []messages.Tool{{Name: "get_weather", Description: "Weather now", InputSchema: jsontext.Value(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}},
		Messages: []messages.MessageParam{user("Weather in Oslo?")},
	}
}

// Calls written as in the template are read as these calls, in any template.
func TestRawRoundTrip(t *testing.T) {
	input := jsontext.Value(`{"city":"Oslo \"<|im_end|>\" [/INST]\n</s> ]~b]"}`)
	for _, target := range rawTargets() {
		t.Run(target.ChatTemplate+" "+target.Format, func(t *testing.T) {
			req := rawRequest()
			req.Messages[0].Content[0].Text += string(input)
			p := mustRender(t, req, target)
			for n := range 3 {
				calls := slices.Repeat([]ToolUse{{Name: "get_weather", Input: input}}, 1+n%2)
				c := completion{p.WriteCalls(calls), messages.StopEndTurn, ""}
				m := parseIn(t, p, req, c, n)
				if len(m.Content) != len(calls) || m.StopReason != messages.StopToolUse || !sameInput(m.Content[len(calls)-1].Input, input) {
					t.Errorf("%s\nis read as\n%s", c.text, show(m))
				}
			}
		})
	}
}

// A forced call begins in the prompt, after the mark that ends thinking. The completion completes
// it.
func TestRawForcedCall(t *testing.T) {
	for _, target := range rawTargets() {
		t.Run(target.ChatTemplate+" "+target.Format, func(t *testing.T) {
			req := rawRequest()
			req.ToolChoice = messages.ToolChoice{Type: messages.ChoiceTool, Name: "get_weather"}
			p := mustRender(t, req, target)
			raw := p.Raw()
			if p.Opening == "" || !strings.HasSuffix(raw.Text, p.Opening) || raw.OpensThinking {
				t.Fatalf("the prompt ends in %q, not in %q", tail(raw.Text), p.Opening)
			}
			if th := mustTemplate(t, target.ChatTemplate).Thinking; th != nil {
				if end := strings.TrimRight(strings.TrimSuffix(raw.Text, p.Opening), "\n"); th.On != "" && !strings.HasSuffix(end, "</think>") {
					t.Errorf("the prompt leaves thinking open: %q", tail(raw.Text))
				}
			}
			m := parseIn(t, p, req, completion{p.WriteCalls([]ToolUse{{Name: "get_weather", Input: jsontext.Value(`{"city":"Oslo"}`)}}), messages.StopEndTurn, ""}, 1)
			m.Outcomes = nil // after the template's part of it, Harmony's header is short
			if got := show(m); got != "get_weather {\"city\":\"Oslo\"}\ntool_use" {
				t.Errorf("behind %q: %s", tail(raw.Text), got)
			}
		})
	}
}

// tail returns the end of a text.
func tail(s string) string { return s[max(0, len(s)-120):] }

// A model that is asked to continue gets its first prompt, directly followed by what it has said.
func TestRawContinues(t *testing.T) {
	for _, target := range rawTargets() {
		for _, change := range []func(*messages.Request){
			func(*messages.Request) {},
			func(r *messages.Request) { r.Thinking = messages.ThinkingShown },
			func(r *messages.Request) { r.Messages = append(r.Messages, assistant("It is")) },
			func(r *messages.Request) { r.ToolChoice.Type = messages.ChoiceAny },
		} {
			req := rawRequest()
			change(req)
			p := mustRender(t, req, target)
			if got, want := p.ContinuedFrom(" a\n", 9).Raw().Text, p.Raw().Text+" a\n"; got != want {
				t.Errorf("%s: the prompt goes on with %q, not with %q", target.ChatTemplate, tail(got), tail(want))
			}
		}
	}
}

// If the client has begun the answer, it continues directly after the client's text.
func TestRawPrefill(t *testing.T) {
	for _, target := range rawTargets() {
		req := rawRequest()
		req.Messages = append(req.Messages, assistant("It is {"))
		raw := mustRender(t, req, target).Raw()
		if !strings.HasSuffix(raw.Text, "It is {") || raw.OpensThinking {
			t.Errorf("%s: the prompt ends in %q", target.ChatTemplate, tail(raw.Text))
		}
	}
}

// If a template opens thinking, the answer begins in thinking. If the client asks for none,
// thinking is turned off, if the template can do that.
func TestRawThinking(t *testing.T) {
	for _, name := range ChatTemplates() {
		th := mustTemplate(t, name).Thinking
		if th == nil {
			continue
		}
		target := Target{ModelOptions: ModelOptions{ChatTemplate: name, Family: name, Format: FormatAttribute, UnaskedThinking: UnaskedBlock}, Prefill: true}
		req := rawRequest()
		off := mustRender(t, req, target)
		if off.Raw().OpensThinking != (th.Always && th.On != "") {
			t.Errorf("%s: thinking that nobody asks for: %t", name, off.Raw().OpensThinking)
		}
		req.Thinking = messages.ThinkingShown
		on := mustRender(t, req, target)
		raw := on.Raw()
		if raw.OpensThinking != (th.On != "") || !strings.HasSuffix(raw.Text, th.On) {
			t.Errorf("%s: the prompt ends in %q", name, tail(raw.Text))
		}
		if strings.Contains(raw.Text, "before you answer") {
			t.Errorf("%s: the prompt asks in words for thinking, which the model has of its own", name)
		}
		if !raw.OpensThinking {
			continue
		}
		m := parseIn(t, on, req, completion{"Hm, 1 < 2.\n</think>\n\nYes.", messages.StopEndTurn, ""}, 1)
		want := []messages.ContentBlock{{Type: messages.BlockThinking, Thinking: "Hm, 1 < 2."}, {Type: messages.BlockText, Text: "Yes."}}
		for i := range m.Content {
			m.Content[i].ID, m.Content[i].Signature = "", ""
		}
		if diff := cmp.Diff(want, m.Content); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// The stop strings are the template's and then the prompt's, each once. The parts are the turns.
func TestRawStopsAndParts(t *testing.T) {
	req := rawRequest()
	req.StopSequences = []string{"END", "<|im_end|>"}
	req.Messages = append(req.Messages, assistant("Cold."), user("And now?"))
	raw := mustRender(t, req, Target{ModelOptions: ModelOptions{ChatTemplate: "qwen2.5", Format: FormatJSON}, Prefill: true}).Raw()
	if diff := cmp.Diff([]string{"<|im_end|>", "<|endoftext|>", "<tool_response>", "END"}, raw.Stops); diff != "" {
		t.Error(diff)
	}
	var roles []string
	for i, part := range raw.Parts {
		roles = append(roles, part.Role)
		if !strings.HasPrefix(raw.Text[part.Offset:], "<|im_start|>"+part.Role+"\n") {
			t.Errorf("part %d is not at %q", i, raw.Text[part.Offset:min(len(raw.Text), part.Offset+30)])
		}
	}
	if want := []string{"system", "user", "assistant", "user", "assistant"}; !slices.Equal(roles, want) {
		t.Errorf("the parts are %q, want %q", roles, want)
	}
}

// Any id with the name of a family has the family's template. The longest name counts.
func TestChatTemplateFor(t *testing.T) {
	for model, want := range map[string]string{
		"qwen2.5": "qwen2.5", "Qwen/Qwen2.5-Coder-7B-Instruct": "qwen2.5", "Qwen2ForCausalLM": "qwen2.5", "qwen3": "qwen3", "Qwen3-Coder-30B": "qwen3-coder",
		"qwen.qwen3-235b-a22b-2507-v1:0": "qwen3-instruct", "QwQ-32B": "qwq", "meta.llama3-1-70b-instruct-v1:0": "llama-3.1", "Llama-3.3-70B-Instruct": "llama-3.1",
		"llama3.2:3b": "llama-3.2", "LLAMA3": "llama-3", "meta.llama4-scout-17b-instruct-v1:0": "llama-4", "CodeLlama-7b": "llama-2",
		"mistral.mistral-7b-instruct-v0:2": "mistral-v1", "mistral.mixtral-8x7b-instruct-v0:1": "mistral-v1", "Mixtral-8x22B": "mistral-v3", "Mistral-Nemo-Instruct-2407": "mistral-v3-tekken",
		"Mistral-Small-3.2-24B-Instruct-2506": "mistral-v11", "Devstral-Small-2507": "mistral-v13", "us.deepseek.r1-v1:0": "deepseek-r1", "DeepSeek-R1-Distill-Llama-8B": "deepseek-r1",
		"Hermes-3-Llama-3.1-8B": "hermes", "OpenHermes-2.5-Mistral-7B": "hermes", "openai/gpt-oss-20b": "gpt-oss", "gemma-2-9b-it": "gemma-3", "phi-4-mini-instruct": "phi-4-mini",
		"zai.glm-4.6": "glm-4.6", "command-r-plus": "command-r", "Llama-3.3-Nemotron-Super-49B-v1.5": "nemotron-super", "plain": "plain", "base": "base",
		"my-base-model": "", "explain": "", "nobody-knows": "", "tiiuae/falcon-7b": "base", "Falcon-H1-7B": "chatml",
	} {
		if got, ok := ChatTemplateFor(model); got != want || ok != (want != "") {
			t.Errorf("%s has the template %q, want %q", model, got, want)
		}
	}
	for _, name := range ChatTemplates() {
		if got, _ := ChatTemplateFor(name); got != name {
			t.Errorf("%s has the template %s", name, got)
		}
	}
}

// The error names an unknown template. A template with a date gets the target's date.
func TestRawTarget(t *testing.T) {
	if _, err := Render(rawRequest(), Target{ModelOptions: ModelOptions{ChatTemplate: "chat"}}); err == nil || !strings.Contains(err.Error(), `"chat"`) {
		t.Errorf("err = %v", err)
	}
	if p := mustRender(t, rawRequest(), Target{}); p.Raw() != nil {
		t.Errorf("a prompt of turns is a string as well: %+v", p.Raw())
	}
	for name, want := range map[string]string{"llama-3.2": "Today Date: 09 Mar 2026\n", "llama-3.1": "Today Date: 26 Jul 2024\n", "gpt-oss": "Current date: 2026-03-09\n"} {
		if got := mustRender(t, rawRequest(), Target{ModelOptions: ModelOptions{ChatTemplate: name}, Date: "2026-03-09"}).Raw().Text; !strings.Contains(got, want) {
			t.Errorf("%s: %q is not in %q", name, want, got)
		}
	}
	if got := mustRender(t, rawRequest(), Target{ModelOptions: ModelOptions{ChatTemplate: "gpt-oss"}}).Raw().Text; strings.Contains(got, "Current date") {
		t.Errorf("a day that nobody knows is in %q", got)
	}
}

// An operator's template is part of the system text, wherever the chat template has tools.
func TestRawOperatorTemplate(t *testing.T) {
	target := Target{ModelOptions: ModelOptions{ChatTemplate: "mistral-v13", Format: format.Mistral, Template: "Call [TOOL_CALLS]f[ARGS]. Tools: {{tools}}"}}
	raw := mustRender(t, rawRequest(), target).Raw().Text
	if at := strings.Index(raw, "Call [TOOL_CALLS]f[ARGS]."); at < 0 || at > strings.Index(raw, "[/SYSTEM_PROMPT]") {
		t.Errorf("the words are not in the system text of %s", raw)
	}
}

// The example call and the sentences on calls are in the system text, if the template has no text
// around the tools.
func TestRawExampleCall(t *testing.T) {
	for _, target := range rawTargets() {
		target.ExampleCall = ExampleOn
		p := mustRender(t, rawRequest(), target)
		if p.Example == nil {
			t.Fatalf("%s: no example", target.ChatTemplate)
		}
		raw := p.Raw().Text
		if example := p.WriteCalls([]ToolUse{p.Example.ToolUse}); !strings.Contains(raw, strings.TrimSpace(example)) {
			t.Errorf("%s in %s: no %q in\n%s", target.ChatTemplate, target.Format, example, raw)
		}
		if strings.Contains(raw, "[/AVAILABLE_TOOLS]\n") || strings.Contains(raw, "<tool|>\n") {
			t.Errorf("%s: something follows the tools in\n%s", target.ChatTemplate, raw)
		}
	}
}

// Texts and results that the fixtures do not have: white space, text around calls, and results
// followed by a question.
func TestRawTurns(t *testing.T) {
	call := messages.BlockParam{Type: messages.BlockToolUse, ID: "a", Name: "get_weather", Input: jsontext.Value(`{"city":"Oslo"}`)}
	text := func(s string) messages.BlockParam { return messages.BlockParam{Type: messages.BlockText, Text: s} }
	result := messages.BlockParam{Type: messages.BlockToolResult, ToolUseID: "a", Content: []messages.BlockParam{text("4 degrees")}}
	req := rawRequest()
	req.Messages = []messages.MessageParam{
		user(" Weather? \n"),
		{Role: messages.RoleAssistant, Content: []messages.BlockParam{text("Let me see."), call}},
		{Role: messages.RoleUser, Content: []messages.BlockParam{result, text("And?")}},
	}
	for name, want := range map[string]string{
		"qwen2.5": "<|im_start|>user\n Weather? \n<|im_end|>\n<|im_start|>assistant\nLet me see.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call><|im_end|>\n" +
			"<|im_start|>user\n<tool_response>\n4 degrees\n</tool_response><|im_end|>\n<|im_start|>user\nAnd?<|im_end|>\n<|im_start|>assistant\n",
		"gemma-4": "<|turn>user\nWeather?<turn|>\n<|turn>model\nLet me see.<|tool_call>call:get_weather{city:<|\"|>Oslo<|\"|>}<tool_call|>" +
			"<|tool_response>response:get_weather{value:<|\"|>4 degrees<|\"|>}<tool_response|><turn|>\n<|turn>user\nAnd?<turn|>\n<|turn>model\n<|channel>thought\n<channel|>",
		"gpt-oss": "<|start|>user<|message|> Weather? \n<|end|><|start|>assistant<|channel|>commentary<|message|>Let me see.<|end|><|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>{\"city\": \"Oslo\"}<|call|>" +
			"<|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>\"4 degrees\"<|end|><|start|>user<|message|>And?<|end|><|start|>assistant",
		"mistral-v13": "[INST] Weather? \n[/INST]Let me see.[TOOL_CALLS]get_weather[ARGS]{\"city\": \"Oslo\"}</s>[TOOL_RESULTS]4 degrees[/TOOL_RESULTS][INST]And?[/INST]",
		"llama-2": "NST] Let me see.\n\n<function_calls>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">Oslo</parameter>\n</invoke>\n</function_calls> </s><s>" +
			"[INST] <function_results>\n<result>\n<tool_name>get_weather</tool_name>\n<stdout>\n4 degrees\n</stdout>\n</result>\n</function_results>\nAnd? [/INST]",
	} {
		asked := FormatAttribute
		if own := mustTemplate(t, name).Own; own != nil {
			asked = own.Name
		}
		got := mustRender(t, req, Target{ModelOptions: ModelOptions{ChatTemplate: name, Format: asked}, Prefill: true}).Raw().Text
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s: -want +got:\n%s", name, cmp.Diff(want, got[max(0, len(got)-len(want)):]))
		}
	}
}

// If the assistant begins a conversation, a user turn comes first only if the template requires it.
func TestRawAssistantFirst(t *testing.T) {
	req := &messages.Request{Messages: []messages.MessageParam{assistant("Hello!"), user("Hi")}}
	for name, want := range map[string]string{
		"qwen3":      "<|im_start|>assistant\nHello!<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n",
		"gemma-3":    "<start_of_turn>user\n<end_of_turn>\n<start_of_turn>model\nHello!<end_of_turn>\n<start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\n",
		"mistral-v3": "[INST][/INST] Hello!</s>[INST] Hi[/INST]",
		"plain":      "\n\nHuman:\n\nAssistant: Hello!\n\nHuman: Hi\n\nAssistant:",
		"base":       "User:\n\nAssistant: Hello!\n\nUser: Hi\n\nAssistant:",
	} {
		if got := mustRender(t, req, Target{ModelOptions: ModelOptions{ChatTemplate: name}}).Raw().Text; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
