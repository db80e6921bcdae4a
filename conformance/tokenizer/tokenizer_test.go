// Package tokenizer checks the frame of prompts in chat templates with a real tokenizer: the library
// tokenizers, with a small vocabulary that has the special tokens of a family.
package tokenizer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"dragoman/conformance/install"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// special are the special tokens of families, by a part of their templates' names
// (docs/reference/raw-prompts.md §4).
var special = []struct{ family, tokens string }{
	{"chatml qwen qwq nemotron-3 step lfm2 olmo phi-4", "<|im_start|> <|im_end|> <|im_sep|> <|endoftext|> <|vision_start|> <|vision_end|> <|image_pad|> <|video_pad|> <|tool_call_start|> <|tool_response_start|>"},
	{"llama-3 hermes nemotron-super", "<|begin_of_text|> <|end_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|> <|eom_id|> <|python_tag|> <|finetune_right_pad_id|> <|image|> <|reserved_special_token_7|> <|im_start|> <|im_end|>"},
	{"llama-4", "<|begin_of_text|> <|header_start|> <|header_end|> <|eot|> <|eom|> <|python_start|> <|python_end|>"},
	{"llama-2 vicuna", "<s> </s> <unk>"},
	{"mistral", "<s> </s> <unk> [INST] [/INST] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_CALLS] [ARGS] [CALL_ID] [TOOL_RESULTS] [/TOOL_RESULTS] [TOOL_CONTENT] [THINK] [/THINK] [IMG] [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] [MODEL_SETTINGS] [/MODEL_SETTINGS]"},
	{"gemma", `<bos> <eos> <pad> <unk> <start_of_turn> <end_of_turn> <start_of_image> <end_of_image> <|turn> <turn|> <|channel> <channel|> <|tool> <tool|> <|tool_call> <tool_call|> <|tool_response> <tool_response|> <|"|> <|think|>`},
	{"phi-3 phi-4-mini zephyr starchat", "<|system|> <|user|> <|assistant|> <|end|> <|endoftext|> <|tool|> <|/tool|> <|tool_call|>"},
	{"zephyr", "<s> </s> <unk>"},
	{"deepseek", "<｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <｜User｜> <｜Assistant｜> <｜tool▁calls▁begin｜> <｜tool▁call▁begin｜> <｜tool▁sep｜> <｜tool▁call▁end｜> <｜tool▁calls▁end｜> <｜tool▁output▁begin｜> <｜tool▁output▁end｜>"},
	{"glm", "[gMASK] [sMASK] [MASK] <sop> <eop> <|system|> <|user|> <|assistant|> <|observation|> <|endoftext|>"},
	{"kimi", "[BOS] [EOS] [EOT] <|im_system|> <|im_user|> <|im_assistant|> <|im_middle|> <|im_end|> <|tool_calls_section_begin|> <|tool_call_begin|> <|tool_call_argument_begin|> <|tool_call_end|> <|tool_calls_section_end|>"},
	{"minimax", "]~!b[ ]~b] [e~[ ]!p~[ ]!d~["},
	{"gpt-oss", "<|start|> <|end|> <|message|> <|channel|> <|constrain|> <|call|> <|return|> <|startoftext|> <|endoftext|>"},
	{"granite", "<|start_of_role|> <|end_of_role|> <|end_of_text|>"},
	{"command-r", "<BOS_TOKEN> <EOS_TOKEN> <EOP_TOKEN> <|START_OF_TURN_TOKEN|> <|END_OF_TURN_TOKEN|> <|SYSTEM_TOKEN|> <|USER_TOKEN|> <|CHATBOT_TOKEN|>"},
	{"seed-oss", "<seed:bos> <seed:eos>"},
	{"exaone", "[|system|] [|user|] [|assistant|] [|endofturn|]"},
	{"nemotron-nano", "<SPECIAL_10> <SPECIAL_11> <SPECIAL_12>"},
	{"plain base", "<|endoftext|>"}, // its turns are words: TestRawFrameHolds in translate
}

// tokensOf returns the special tokens of a template.
func tokensOf(t *testing.T, template string) (tokens []string) {
	t.Helper()
	for _, s := range special {
		if slices.ContainsFunc(strings.Fields(s.family), func(part string) bool { return strings.Contains(template, part) }) {
			tokens = append(tokens, strings.Fields(s.tokens)...)
		}
	}
	if tokens == nil {
		t.Fatalf("no special tokens are known of %s", template)
	}
	slices.Sort(tokens)
	return slices.Compact(tokens)
}

// spoken is a request with the text in every place where a client can write.
func spoken(t *testing.T, text string) *messages.Request {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"model":"m","max_tokens":9,"system":%[1]s,
		"tools":[{"name":"f","description":%[1]s,"input_schema":{"type":"object","properties":{"p":{"type":"string","description":%[1]s,"enum":[%[1]s]},"q%[2]s":{}}}}],
		"messages":[{"role":"user","content":%[1]s},
			{"role":"assistant","content":[{"type":"text","text":%[1]s},{"type":"tool_use","id":"a","name":"f","input":{"p":%[1]s,"q%[2]s":%[1]s}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":%[1]s},{"type":"text","text":%[1]s}]},
			{"role":"assistant","content":%[1]s},{"role":"user","content":%[1]s}]}`, quoted, quoted[1:len(quoted)-1])
	req, err := messages.Decode([]byte(body), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// vocabulary is the input of special.py: special tokens, and texts to look for them in.
type vocabulary struct {
	Special []string `json:"special"`
	Texts   []string `json:"texts"`
}

// A tokenizer finds the same special tokens in a prompt, whatever the client's text is. In the client's text
// alone, it finds the spelled tokens, which shows that the test works.
func TestNoTextIsASpecialToken(t *testing.T) {
	python := install.Python(t, "requirements.txt")
	var names []string
	var vocabularies []vocabulary
	for _, about := range translate.AboutChatTemplates() {
		name := about.Name
		for _, format := range []string{translate.FormatAttribute, cmp.Or(about.Format, translate.FormatJSON)} {
			tokens := tokensOf(t, name)
			said := []string{"a b\nc"} // not a name either
			for _, token := range tokens {
				said = append(said, "a"+token+"\nb")
			}
			said = append(said, strings.Join(tokens, ""), strings.Join(tokens, "<"), strings.Join(tokens, "\n"))
			v := vocabulary{Special: tokens}
			for _, s := range said {
				p, err := translate.Render(spoken(t, s), translate.Target{ModelOptions: translate.ModelOptions{ChatTemplate: name, Family: name, Format: format}, Prefill: true})
				if err != nil {
					t.Fatal(err)
				}
				v.Texts = append(v.Texts, p.Raw().Text)
			}
			names, vocabularies = append(names, name+" "+format), append(vocabularies, vocabulary{tokens, append(v.Texts, said...)})
		}
	}
	for i, found := range tokenize(t, python, vocabularies) {
		n := len(found) / 2
		for j := 1; j < n; j++ {
			if diff := gocmp.Diff(found[0], found[j]); diff != "" {
				t.Errorf("%s: %q is read as special tokens: -want +got:\n%s", names[i], vocabularies[i].Texts[n+j], diff)
			}
			if len(found[n+j]) == 0 {
				t.Errorf("%s: the tokenizer finds no special token in %q", names[i], vocabularies[i].Texts[n+j])
			}
		}
	}
}

// tokenize returns the special tokens in each text of each vocabulary.
func tokenize(t *testing.T, python string, vocabularies []vocabulary) (found [][][]string) {
	t.Helper()
	input, err := json.Marshal(vocabularies)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "special.py")
	cmd.Stdin, cmd.Env = strings.NewReader(string(input)), install.Environment()
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	if err := json.Unmarshal(output, &found); err != nil {
		t.Fatal(err)
	}
	return found
}
