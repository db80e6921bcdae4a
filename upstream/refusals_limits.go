package upstream

import (
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// limitWording is the beginning of an error message about a number of tokens, in lower case, without back-ticks and
// with single blanks. source says whose words they are. % and a letter match a number:
//
//	%m  the output limit of the model
//	%i  tokens of the input; several are added up
//	%a  tokens of the input at least: the server stopped counting
//	%o  tokens requested for the answer
//	%w  the context window
//	%d  any other number
//
// A message without %m is about the context window.
type limitWording struct{ text, source string }

// limitRefusals are compared in this order, and the first match counts (docs/reference/chat-servers.md §3).
var limitRefusals = []limitWording{
	{"max_tokens: %d > %m, which is the maximum allowed number of output tokens", "Anthropic"},
	{"the maximum tokens you requested exceeds the model limit of %m", "Bedrock"},
	{"malformed input request: #/max_tokens: %d is not less or equal to %m,", "Bedrock"},
	{"malformed input request: #/max_tokens_to_sample: %d is not less or equal to %m,", "Bedrock"},
	{"max_tokens is too large: %d. this model supports at most %m completion tokens", "OpenAI"},
	{"invalid max_tokens value, the valid range of max_tokens is [%d, %m]", "DeepSeek"},
	{"range of max_tokens should be [%d, %m]", "DashScope"},
	{"max_tokens must be less than or equal to %m,", "Groq"},
	{"prompt is too long: %i tokens > %w maximum", "Anthropic"},
	{"prompt is too long", "Anthropic"},
	{"input length and max_tokens exceed context limit: %i + %o > %w", "Anthropic"},
	{"input is too long for requested model", "Bedrock"},
	{"this model's maximum context length is %w tokens. however, you requested %d tokens (%i in the messages, %o in the completion)", "OpenAI, vLLM"},
	{"this model's maximum context length is %w tokens. however, you requested %d tokens (%i in the messages, %i in the functions, and %o in the completion)", "OpenAI, vLLM"},
	{"this model's maximum context length is %w tokens. however, your messages resulted in %i tokens", "OpenAI, vLLM, NIM"},
	{"this model's maximum context length is %w tokens. however, your request has %i input tokens", "OpenAI, vLLM"},
	{"this model's maximum context length is %w tokens. however, you requested %o output tokens and your prompt contains %i input tokens", "OpenAI, vLLM"},
	{"this model's maximum context length is %w tokens. however, you requested %o output tokens and your prompt contains at least %a input tokens", "OpenAI, vLLM"},
	{"this model's maximum context length is %w tokens, however you requested %d tokens (%i in your prompt; %o for the completion)", "OpenAI"},
	{"this model's maximum context length is %w tokens", "OpenAI, vLLM"},
	{"input tokens exceed the configured limit of %w tokens. your messages resulted in %i tokens", "OpenAI"},
	{"your input exceeds the context window of this model", "OpenAI"},
	{"'max_tokens' or 'max_completion_tokens' is too large: %o. this model's maximum context length is %w tokens and your request has %i input tokens", "vLLM"},
	{"the decoder prompt (length %i) is longer than the maximum model length of %w", "vLLM"},
	{"max_tokens must be at least 1, got -%d", "vLLM"},
	{"you passed %i input tokens and requested %o output tokens. however, the model's context length is only %w tokens", "vLLM"},
	{"request (%i tokens) exceeds the available context size (%w tokens)", "llama.cpp"},
	{"the request exceeds the available context size", "llama.cpp"},
	{"input (%i tokens) is larger than the max context size", "llama.cpp"},
	{"context size has been exceeded", "llama.cpp"},
	{"the input (%i tokens) is longer than the model's context length (%w tokens)", "SGLang, Together"},
	{"input length (%i) exceeds model's maximum context length (%w)", "SGLang"},
	{"requested token count exceeds the model's maximum context length of %w tokens. you requested a total of %d tokens: %i tokens from the input messages and %o tokens", "SGLang"},
	{"requested token count exceeds the model's maximum context length", "SGLang"},
	{"trying to keep the first %i tokens when context the overflows. however, the model is loaded with context length of only %w tokens", "LM Studio"},
	{"the number of tokens to keep from the initial prompt is greater than the context length", "LM Studio"},
	{"the input length exceeds the context length", "Ollama"},
	{"input length exceeds the context length", "Ollama"},
	{"this endpoint's maximum context length is %w tokens. however, you requested about %d tokens (%i of text input, %o in the output)", "OpenRouter"},
	{"this endpoint's maximum context length is %w tokens. however, you requested about %d tokens (%i of text input, %i of tool input, %o in the output)", "OpenRouter"},
	{"this endpoint's maximum context length is %w tokens. however, you requested about %d tokens (%i of text input)", "OpenRouter"},
	{"this endpoint's maximum context length is %w tokens", "OpenRouter"},
	{"this model's maximum prompt length is %w but the request contains %i tokens", "xAI"},
	{"prompt contains %i tokens and %d draft tokens, too large for model with %w maximum context length", "Mistral"},
	{"the input token count (%i) exceeds the maximum number of tokens allowed (%w)", "Google"},
	{"the input token count exceeds the maximum number of tokens allowed", "Google"},
	{"prompt too long; exceeded max context length by %d tokens", "Ollama"},
	{"prompt too long; exceeded context length", "Ollama"},
	{"inputs tokens + max_new_tokens must be <= %w. given: %i inputs tokens and %o max_new_tokens", "TGI"},
	{"inputs tokens + max_new_tokens must be <= %w", "TGI"},
	{"inputs must have less than %w tokens. given: %i", "TGI"},
	{"inputs must have less than %w tokens", "TGI"},
	{"input length %i exceeds the maximum allowed input length of %w tokens", "Poolside, Baseten"},
	{"input length %i exceeds maximum allowed token size %w", "NIM"},
	{"your request exceeded model token limit: %w (requested: %i)", "Kimi"},
	{"your request exceeded model token limit", "Kimi"},
	{"invalid params, context window exceeds limit", "MiniMax"},
	{"context window exceeds limit", "MiniMax"},
	{"prompt token count of %i exceeds the limit of %w", "GitHub Copilot"},
	{"the number of tokens in request more than max tokens allowed", "Z.ai"},
	{"tokens in request more than max tokens allowed", "Z.ai"},
	{"prompt exceeds max length", "Z.ai"},
	{"range of input length should be [%d, %w]", "DashScope"},
	{"prompt has %i tokens, but the configured context size is %w tokens", "DS4"},
	{"please reduce the length of the messages or completion", "Groq"},
}

// limitRefused reads an unwrapped message. It returns the model's output limit, or how the request exceeds
// the context window; 0 and nil for any other message. The overflow has the words of the message.
//
// A gateway may put another server's error behind its own words. Those are read for an overflow alone: a limit is
// remembered for all clients, and a client could have written what a later part of a message quotes.
func limitRefused(message string) (most int, overflow *Overflow) {
	most, overflow = limitIn(message)
	if most > 0 || overflow != nil {
		return most, overflow
	}
	for inner := range innerErrors(message) {
		if _, overflow = limitIn(inner); overflow != nil {
			break
		}
	}
	return 0, overflow
}

// limitIn is limitRefused for the beginning of a message.
func limitIn(message string) (most int, overflow *Overflow) {
	message = plainWords(message)
	for _, wording := range limitRefusals {
		read, words, ok := readNumbers(message, wording.text)
		switch {
		case !ok:
		case strings.Contains(wording.text, "%m"):
			return read['m'], nil
		default:
			return 0, &Overflow{Input: max(read['i'], read['a']), AtLeast: read['a'] > 0, Output: read['o'], Window: read['w'], words: words}
		}
	}
	return 0, nil
}

// plainWords returns a text without back-ticks and with single blanks.
func plainWords(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "")), " ")
}

// Limits for the search for errors within a message: their number, and the bytes before each.
const (
	maxInner  = 5
	maxBefore = 80
)

// innerErrors yields the errors that may be in a message: `ollama error 400: {"error":"…"}`, `invalid request: …`.
// The words before an error have no quotes, because quotes are around what a client wrote.
func innerErrors(message string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for range maxInner {
			end := strings.IndexAny(message, ":-`'\"{")
			if end < 0 || end > maxBefore {
				return
			}
			switch rest := message[end:]; {
			case rest[0] == '{':
				object := jsontext.Value(rest)
				if !object.IsValid(lenient) { // gateways in Python write {'code': None}
					object, _ = rawjson.AppendPython(nil, strings.ReplaceAll(rest, ": none", ": None"))
				}
				message = reasonIn(object)
			case rest[0] == '`' || rest[0] == '"' || rest[0] == '\'':
				if !onlyStatus(message[:end]) {
					return
				}
				message = rest[1:]
			default:
				message = rest[1:]
			}
			if message = strings.TrimSpace(message); !yield(message) {
				return
			}
		}
	}
}

// onlyStatus reports whether a text is a number: 400.
func onlyStatus(text string) bool {
	return text != "" && strings.Trim(text, "0123456789 ") == ""
}

// readNumbers matches the beginning of a text with a pattern. It returns the numbers by their letters in the
// pattern, and the part of the text that matches. It returns false if the text does not match, or if a number
// is too large.
func readNumbers(text, pattern string) (read map[byte]int, fits string, ok bool) {
	rest, ok := strings.CutPrefix(text, pattern[:strings.IndexByte(pattern+"%", '%')])
	read = map[byte]int{}
	for i, literal := range strings.Split(pattern, "%") {
		if i == 0 {
			continue
		}
		n := digits([]byte(rest))
		value, err := strconv.ParseInt(rest[:n], 10, 32)
		after, found := strings.CutPrefix(rest[n:], literal[1:])
		if !ok || !found || err != nil || digits([]byte(rest[n:])) > 0 {
			return nil, "", false
		}
		read[literal[0]] += int(value)
		rest = after
	}
	return read, text[:len(text)-len(rest)], ok
}
