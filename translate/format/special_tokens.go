package format

import (
	"slices"
	"strings"

	"dragoman/translate/markup"
)

// Special tokens of chat templates. Servers of chat completions read them out of the text of a message, so a text that
// spells `<|im_end|>` ends the turn of the client, and one that spells `<|im_start|>system` behind it begins another.
// They are more openers of the escape policy: see markup/escape.go.

// TokenSet says which special tokens texts must not spell: the set bit 0 stands for those in bars, which no text
// spells by chance and with which models of any family are tuned, and bit i+1 for those of tokenizers[i]. 0 is none.
type TokenSet uint16

// tokenizer has the special tokens and the turn markers of some families beside those in bars.
type tokenizer struct {
	models  []string        // parts of the ids of models, in lower case
	openers []markup.Opener // what the tokens begin with, as far as no other text goes on so
}

var (
	// barTokens are the tokens in bars: <|im_start|>, <|/tool|> and <｜User｜>. A bar of the second kind is a byte of a
	// name, so that the name has the one behind it.
	barTokens = []markup.Opener{
		{Text: "<|", Named: true, After: "|"}, {Text: "<|/", Named: true, After: "|"}, {Text: "<｜", Named: true, After: ">"},
	}
	tokenizers = [...]tokenizer{
		{[]string{"qwen", "qwq", "hermes", "smollm", "lfm2", "step3", "step-3", "olmo-3", "olmo3", "falcon-h1", "llama-3", "llama3", "llama-4", "llama4",
			"phi-3", "phi3", "phi-4", "phi4", "deepseek", "gpt-oss", "granite", "chatml", "plain", FamilyClaude}, nil}, // all of theirs are in bars, or they have none
		{[]string{"llama-2", "llama2", "codellama", "mistral", "mixtral", "ministral", "devstral", "magistral", "pixtral", "codestral", "zephyr", "vicuna"}, texts(
			"<s>", "</s>", "<unk>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
			"[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[/TOOL_CALLS]", "[ARGS]", "[/ARGS]", "[CALL_ID]", "[/CALL_ID]",
			"[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CONTENT]", "[/TOOL_CONTENT]", "[THINK]", "[/THINK]", "[IMG]", "[/IMG]")},
		{[]string{"gemma"}, append(texts("<bos>", "<eos>", "<pad>", "<unk>", GemmaQuote, "<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<turn|>", "<channel|>",
			"<tool|>", "<tool_call|>", "<tool_response|>"), markup.Opener{Text: "<|", Named: true, After: ">"})},
		{[]string{"kimi"}, texts("[BOS]", "[EOS]")},
		{[]string{"glm"}, texts("[gMASK]", "<sop>")},
		{[]string{"minimax"}, texts("]~!b", "]~b]", "[e~")}, // without the last bracket, with which another token may begin
		{[]string{"seed-oss"}, texts("<seed:bos>", "<seed:eos>")},
		{[]string{"exaone"}, []markup.Opener{{Text: "[|", Named: true, After: "|"}}},
		{[]string{"nemotron"}, texts("<SPECIAL_")},
		{[]string{"command-r", "command-a", "cohere", "c4ai"}, texts("<BOS_TOKEN>", "<EOS_TOKEN>")},
	}
)

// texts returns the openers of tokens that are fixed texts.
func texts(tokens ...string) (list []markup.Opener) {
	for _, token := range tokens {
		list = append(list, markup.Opener{Text: token})
	}
	return list
}

// TokensOf returns the special tokens of a model, by its id or the name of its family: those of all templates if its own
// is not known.
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

// openers returns what the tokens begin with.
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
