package translate

import (
	"strings"
	"testing"

	"dragoman/translate/messages"
)

// The family decides which tokens are escaped. Ordinary text stays unchanged, and so does all text
// if nobody reads tokens.
func TestSpecialTokens(t *testing.T) {
	for _, tt := range []struct{ models, spelled, plain string }{
		{"qwen2.5 qwq Qwen/Qwen3-8B hermes-3", "<|im_end|> <|im_start|>system <|endoftext|> <|vision_start|>", "[INST] <s> </s> [/INST] <<SYS>> a <| b |> c <|> d <||> <bos> <|x"},
		{"meta.llama3-1-70b-instruct-v1:0 llama-4-scout", "<|eot_id|> <|start_header_id|> <|header_start|> <|eot|> <|python_tag|> <|reserved_special_token_12|>", "[INST] <s> [gMASK]"},
		{"mistral-small dolphin-mixtral meta-llama/Llama-2-7b-chat", "[INST] [/INST] <s> </s> <<SYS>> <</SYS>> [SYSTEM_PROMPT] [TOOL_RESULTS] [/TOOL_RESULTS] <|im_end|>", "[inst] [INSTALL] <span> <SYS> <bos> [|user|]"},
		{"gemma-2-9b gemma4", "<start_of_turn> <end_of_turn> <bos> <eos> <|turn> <turn|> <|channel> <start_of_image>", "[INST] <s> <turn> Array<string|number>"},
		{"glm-4.6", "[gMASK] <sop> <|observation|> <|user|>", "<s> [MASKS]"},
		{"deepseek-v3.1 deepseek.r1-v1:0", "<｜User｜> <｜end▁of▁sentence｜> <｜tool▁output▁begin｜>", "<s> <User> ｜"},
		{"gpt-oss-20b", "<|start|>system<|message|> <|end|> <|return|> <|constrain|>", "<s> <message>"},
		{"phi-4-mini", "<|system|> <|end|> <|im_sep|> <|tool|> <|/tool|>", "[INST]"},
		{"kimi-k2 moonshotai.kimi-k2.5", "<|im_system|> <|im_middle|> <|im_assistant|> [BOS] [EOS]", "[INST]"},
		{"minimax-m2", "]~b]system [e~[ ]~!b[ a]~b]ai", "[INST] a] ~b ]~"},
		{"seed-oss-36b", "<seed:bos> <seed:eos>", "<seed:x>"},
		{"exaone-3.5", "[|system|] [|endofturn|]", "[|] [| a |]"},
		{"nemotron-nano-9b-v2", "<SPECIAL_10> <SPECIAL_12>", "<special>"},
		{"command-r-plus", "<BOS_TOKEN> <|START_OF_TURN_TOKEN|>", "<TOKEN>"},
		{"claude-3-haiku", "<|im_end|>", "[INST] </s>"},
		{"my-own-tune yi-34b xLAM-2-8b-fc-r gigachat", "<|im_end|> [INST] </s> <<SYS>> <start_of_turn> <turn|> <｜User｜> [gMASK] ]~b] <seed:bos> [|user|] <SPECIAL_11> <BOS_TOKEN>", "<span> [x] a <| b"},
	} {
		for model := range strings.FieldsSeq(tt.models) {
			shown := func(s string, tokens bool) string {
				return mustRender(t, &messages.Request{Messages: []messages.MessageParam{user(s)}}, Target{ModelOptions: ModelOptions{Family: model, EscapeSpecialTokens: new(tokens)}}).Turns[0].Parts[0].Text
			}
			for s := range strings.FieldsSeq(tt.spelled) {
				if got := shown(s, true); strings.Contains(got, s) {
					t.Errorf("%s: %s is shown as it is", model, s)
				}
				if got := shown(s, false); got != s {
					t.Errorf("%s: %s is shown as %s to a server that reads no tokens", model, s, got)
				}
			}
			if got := shown(tt.plain, true); got != tt.plain {
				t.Errorf("%s: %s is shown as %s", model, tt.plain, got)
			}
		}
	}
}

// If the model repeats a token, the client gets its own text back: in text, in thinking that the
// upstream marks, in arguments, and with any cuts.
func TestSpecialTokensComeBack(t *testing.T) {
	const said = "x<|im_end|> &lt;|im_end|> [/INST] </s> a & b &amp;amp;lt;s>"
	for _, model := range []string{"qwen2.5", "mistral", "unknown"} {
		req := spoken(said)
		prompt := mustRender(t, req, Target{ModelOptions: ModelOptions{Format: FormatAuto, Family: model, EscapeSpecialTokens: new(true)}})
		repeated := prompt.Escape(said)
		calls := prompt.WriteCalls([]ToolUse{{Name: "f", Input: req.Messages[1].Content[1].Input}})
		for n := range 6 {
			text := completion{repeated + "\n" + calls, messages.StopEndTurn, ""}.chunks(n)(prompt)
			m, err := messages.Collect(checked(t, Events(req, prompt, whatever(func(yield func(Chunk, error) bool) {
				for s := repeated; s != ""; {
					piece := s[:min(len(s), 1+n)]
					if s = s[len(piece):]; !yield(Chunk{Thinking: piece}, nil) {
						return
					}
				}
				text(yield)
			}))))
			if err != nil {
				t.Fatal(err)
			}
			if m.Content[0].Thinking != said || m.Content[1].Text != said || !sameInput(m.Content[2].Input, req.Messages[1].Content[1].Input) {
				t.Errorf("%s, pieces of %d: %s, repeated as\n%s\n%s\nbecame\n%s", model, n, said, repeated, calls, show(m))
			}
		}
	}
}

// TestTokensOfFamilies checks that no text of a client spells a token of the model's family, and that it comes back as
// the client wrote it if the model repeats it, also out of a tool's description.
func TestTokensOfFamilies(t *testing.T) {
	for model, tokens := range map[string][]string{
		"functiongemma-270m":  {"<start_function_response>", "<end_function_response>", "<start_function_declaration>", "<end_function_declaration>", "<start_function_call>", "<escape>"},
		"gemma-3":             {"<end_of_image>", "<start_of_image>"},
		"nemotron-nano-9b-v2": {"<TOOL_RESPONSE>", "</TOOL_RESPONSE>", "<AVAILABLE_TOOLS>", "</AVAILABLE_TOOLS>", "<TOOLCALL>"},
		"glm-4.6":             {"<eop>", "[MASK]", "[sMASK]"},
		"kimi-k2":             {"[EOT]"},
		"minimax-m2":          {"]!p~[", "]!d~["},
		"command-r":           {"<EOP_TOKEN>"},
		"mistral-small":       {"[PREFIX]", "[SUFFIX]", "[MIDDLE]", "[IMG_BREAK]", "[IMG_END]", "[MODEL_SETTINGS]", "[/MODEL_SETTINGS]"},
		"qwen2.5":             {"<|im_end|>"},
	} {
		for _, name := range []string{model, "unknown"} {
			for _, format := range []string{FormatAuto, FormatLegacy, FormatJSON} {
				for _, token := range tokens {
					text := "a " + token + " b"
					req := repeated([]messages.Tool{{Name: "book", InputSchema: []byte(`{"type":"object"}`)}}, text)
					target := Target{ModelOptions: ModelOptions{Format: format, Family: name, EscapeSpecialTokens: new(true)}}
					prompt := mustRender(t, req, target)
					if strings.Contains(prompt.Text(), text) {
						t.Errorf("%s, %s: the prompt has %s", name, format, token)
					}
					for place, shown := range shownIn(t, req, target) {
						m := parseIn(t, prompt, req, completion{"It says: " + shown + ".", messages.StopEndTurn, ""}, 1)
						if got := spokenText(m); got != "It says: "+text+"." {
							t.Errorf("%s, %s: %q in %s, shown as %q, came back as %q", name, format, text, place, shown, got)
						}
					}
				}
			}
		}
	}
}

// The name of a parameter spells no token either, in formats with quoted names: such a call is
// written as JSON.
func TestSpecialTokensInNames(t *testing.T) {
	for name, target := range map[string]Target{
		"a[INST]b":  {ModelOptions: ModelOptions{Format: FormatAttribute, Family: "llama-2", EscapeSpecialTokens: new(true)}},
		"[|user|]":  {ModelOptions: ModelOptions{Format: FormatAttribute, Family: "exaone", EscapeSpecialTokens: new(true)}},
		"]~b]user":  {ModelOptions: ModelOptions{Format: FormatAuto, Family: "minimax-m2", EscapeSpecialTokens: new(true)}},
		"x[gMASK]y": {ModelOptions: ModelOptions{Format: FormatAttribute, ChatTemplate: "glm-4.6"}},
	} {
		req := spoken("x")
		req.Messages = []messages.MessageParam{user("hi"), {Role: messages.RoleAssistant, Content: []messages.BlockParam{
			{Type: messages.BlockToolUse, ID: "1", Name: "f", Input: []byte(`{"` + name + `":"v"}`)},
		}}, user("go on")}
		if got := mustRender(t, req, target).Turns[1].Parts[0].Text; strings.Contains(got, name) {
			t.Errorf("%s is shown in %s", name, got)
		}
	}
}
