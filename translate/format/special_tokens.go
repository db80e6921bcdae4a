package format

import (
	"slices"
	"strings"

	"dragoman/translate/markup"
)

// This file lists the special tokens of chat templates. Chat completion servers read them even in
// the text of a message: `<|im_end|>` in a text ends the client's turn, and `<|im_start|>system`
// after it begins another. The escape policy treats them as openers: see markup/escape.go.

// TokenSet is a set of special tokens that texts must not spell. Bit 0 is the tokens in bars: no
// text spells them by chance, and models of any family may be tuned with them. Bit i+1 is the
// tokens of tokenizers[i]. 0 is the empty set.
type TokenSet uint16

// tokenizer has the special tokens and turn markers of some families, except the tokens in bars.
type tokenizer struct {
	models  []string        // parts of the ids of models, in lower case
	openers []markup.Opener // the starts of the tokens, as long as no other text begins that way
}

var (
	// barTokens are the tokens in bars: <|im_start|>, <|/tool|> and <｜User｜>. A bar of the second
	// kind counts as a byte of the name, so the name includes the bar after it.
	barTokens = []markup.Opener{
		{Text: "<|", Named: true, After: "|"}, {Text: "<|/", Named: true, After: "|"}, {Text: "<｜", Named: true, After: ">"},
	}
	tokenizers = [...]tokenizer{
		{[]string{"qwen", "qwq", "hermes", "smollm", "lfm2", "step3", "step-3", "olmo-3", "olmo3", "falcon-h1", "llama-3", "llama3", "llama-4", "llama4",
			"phi-3", "phi3", "phi-4", "phi4", "deepseek", "gpt-oss", "granite", "chatml", "plain", FamilyClaude}, nil}, // all their tokens are in bars, or they have none
		{[]string{"llama-2", "llama2", "codellama", "mistral", "mixtral", "ministral", "devstral", "magistral", "pixtral", "codestral", "zephyr", "vicuna"}, texts(
			"<s>", "</s>", "<unk>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
			"[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[/TOOL_CALLS]", "[ARGS]", "[/ARGS]", "[CALL_ID]", "[/CALL_ID]",
			"[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CONTENT]", "[/TOOL_CONTENT]", "[THINK]", "[/THINK]", "[IMG]", "[/IMG]",
			"[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[MODEL_SETTINGS]", "[/MODEL_SETTINGS]")},
		{[]string{"gemma"}, append(texts("<bos>", "<eos>", "<pad>", "<unk>", GemmaQuote, "<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<end_of_image>", "<turn|>", "<channel|>",
			"<tool|>", "<tool_call|>", "<tool_response|>",
			"<start_function_declaration>", "<end_function_declaration>", "<start_function_call>", "<end_function_call>", "<start_function_response>", "<end_function_response>", "<escape>"), markup.Opener{Text: "<|", Named: true, After: ">"})},
		{[]string{"kimi"}, texts("[BOS]", "[EOS]", "[EOT]")},
		{[]string{"glm"}, texts("[gMASK]", "[sMASK]", "[MASK]", "<sop>", "<eop>")},
		{[]string{"minimax"}, texts("]~!b", "]~b]", "[e~", "]!p~", "]!d~")}, // without the last bracket, because another token may begin with it
		{[]string{"seed-oss"}, texts("<seed:bos>", "<seed:eos>")},
		{[]string{"exaone"}, []markup.Opener{{Text: "[|", Named: true, After: "|"}}},
		{[]string{"nemotron"}, texts("<SPECIAL_", "<AVAILABLE_TOOLS>", "</AVAILABLE_TOOLS>", "<TOOLCALL>", "</TOOLCALL>", "<TOOL_RESPONSE>", "</TOOL_RESPONSE>")},
		{[]string{"command-r", "command-a", "cohere", "c4ai"}, texts("<BOS_TOKEN>", "<EOS_TOKEN>", "<EOP_TOKEN>")},
	}
)

// texts returns the openers for tokens that are fixed texts.
func texts(tokens ...string) (list []markup.Opener) {
	for _, token := range tokens {
		list = append(list, markup.Opener{Text: token})
	}
	return list
}

// TokensOf returns the special tokens of a model, by its id or the name of its family. If the
// family is unknown, it returns the tokens of all templates.
func TokensOf(model string) TokenSet {
	const all = TokenSet(2)<<len(tokenizers) - 1
	set := TokenSet(1)
	model = strings.ToLower(model)
	for i := range tokenizers {
		if slices.ContainsFunc(tokenizers[i].models, func(part string) bool { return strings.Contains(model, part) }) {
			set |= 2 << i
		}
	}
	if set == 1 {
		return all
	}
	return set
}

// openers returns the starts of the tokens.
func (s TokenSet) openers() (list []markup.Opener) {
	if s&1 != 0 {
		list = append(list, barTokens...)
	}
	for i := range tokenizers {
		if s&(2<<i) != 0 {
			list = append(list, tokenizers[i].openers...)
		}
	}
	return list
}
