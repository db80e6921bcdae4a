package upstream

import (
	"strconv"
	"strings"
)

// Recognizing why a server rejected a request: the model lacks a feature, gives fewer tokens than requested,
// or has no room for the prompt. Servers have few error codes for these, so Dragoman compares their messages
// with known ones.

// limitRefusals are the beginnings of error messages about a number of tokens, in lower case
// (docs/reference/wire.md §8, docs/reference/bedrock.md §2b; reports of users). They are compared like
// [featureRefusals], and the first match counts. % and a letter match a number:
//
//	%m  the output limit of the model
//	%i  tokens of the input; several are added up
//	%a  tokens of the input at least: the server stopped counting
//	%o  tokens requested for the answer
//	%w  the context window
//	%d  any other number
//
// A message without %m is about the context window.
var limitRefusals = []string{
	"max_tokens: %d > %m, which is the maximum allowed number of output tokens",
	"the maximum tokens you requested exceeds the model limit of %m",
	"malformed input request: #/max_tokens: %d is not less or equal to %m,",
	"malformed input request: #/max_tokens_to_sample: %d is not less or equal to %m,",
	"max_tokens is too large: %d. this model supports at most %m completion tokens",
	// Anthropic and Bedrock.
	"prompt is too long: %i tokens > %w maximum",
	"prompt is too long",
	"input length and `max_tokens` exceed context limit: %i + %o > %w",
	"input is too long for requested model",
	// OpenAI, and vLLM and others that copy its API.
	"this model's maximum context length is %w tokens. however, you requested %d tokens (%i in the messages, %o in the completion)",
	"this model's maximum context length is %w tokens. however, you requested %d tokens (%i in the messages, %i in the functions, and %o in the completion)",
	"this model's maximum context length is %w tokens. however, your messages resulted in %i tokens",
	"this model's maximum context length is %w tokens. however, your request has %i input tokens",
	"this model's maximum context length is %w tokens. however, you requested %o output tokens and your prompt contains %i input tokens",
	"this model's maximum context length is %w tokens. however, you requested %o output tokens and your prompt contains at least %a input tokens",
	"this model's maximum context length is %w tokens, however you requested %d tokens (%i in your prompt; %o for the completion)",
	"this model's maximum context length is %w tokens",
	"input tokens exceed the configured limit of %w tokens. your messages resulted in %i tokens",
	"your input exceeds the context window of this model",
	// vLLM.
	"'max_tokens' or 'max_completion_tokens' is too large: %o. this model's maximum context length is %w tokens and your request has %i input tokens",
	"the decoder prompt (length %i) is longer than the maximum model length of %w",
	"max_tokens must be at least 1, got -%d",
	"you passed %i input tokens and requested %o output tokens. however, the model's context length is only %w tokens",
	// llama.cpp.
	"request (%i tokens) exceeds the available context size (%w tokens)",
	"the request exceeds the available context size",
	"input (%i tokens) is larger than the max context size",
	"context size has been exceeded",
	// SGLang.
	"the input (%i tokens) is longer than the model's context length (%w tokens)",
	"input length (%i) exceeds model's maximum context length (%w)",
	"requested token count exceeds the model's maximum context length of %w tokens. you requested a total of %d tokens: %i tokens from the input messages and %o tokens",
	"requested token count exceeds the model's maximum context length",
	// LM Studio and Ollama.
	"trying to keep the first %i tokens when context the overflows. however, the model is loaded with context length of only %w tokens",
	"the number of tokens to keep from the initial prompt is greater than the context length",
	"the input length exceeds the context length",
	"input length exceeds the context length",
	// OpenRouter, xAI, Mistral and Google.
	"this endpoint's maximum context length is %w tokens. however, you requested about %d tokens (%i of text input, %o in the output)",
	"this endpoint's maximum context length is %w tokens. however, you requested about %d tokens (%i of text input, %i of tool input, %o in the output)",
	"this endpoint's maximum context length is %w tokens. however, you requested about %d tokens (%i of text input)",
	"this endpoint's maximum context length is %w tokens",
	"this model's maximum prompt length is %w but the request contains %i tokens",
	"prompt contains %i tokens and %d draft tokens, too large for model with %w maximum context length",
	"the input token count (%i) exceeds the maximum number of tokens allowed (%w)",
	"the input token count exceeds the maximum number of tokens allowed",
}

// limitRefused reads an unwrapped message. It returns the model's output limit, or how the request exceeds
// the context window; 0 and nil for any other message. The overflow has the words of the message.
func limitRefused(message string) (most int, overflow *Overflow) {
	for _, pattern := range limitRefusals {
		read, words, ok := readNumbers(message, pattern)
		switch {
		case !ok:
		case strings.Contains(pattern, "%m"):
			return read['m'], nil
		default:
			return 0, &Overflow{Input: max(read['i'], read['a']), AtLeast: read['a'] > 0, Output: read['o'], Window: read['w'], words: words}
		}
	}
	return 0, nil
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

// featureRefusals are the beginnings of error messages about a missing feature, in lower case
// (docs/reference/bedrock.md §9, docs/reference/wire.md §8; for chat completions, reports of users). Only the
// beginning of a message is compared: quotes of the request come later, so no client can make a server say
// these words. Features without an alternative are not listed, such as images in a prompt with an image.
var featureRefusals = []struct {
	text    string
	feature Features
}{
	{"this model doesn't support tool use", Tools},
	{"malformed input request: #: extraneous key [tools]", Tools},
	{"tools: extra inputs are not permitted", Tools},
	{"this model does not support tools", Tools},
	// vLLM takes tools only if it was started for them. For Ollama and llama.cpp see chatErrors.
	{`"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`, Tools},
	{"this model doesn't support system messages", System},
	{"this model doesn't support the stopsequences field", StopSequences},
	{"this model doesn't support streaming", Streaming},
	{"the model is unsupported for streaming", Streaming},
	{"this model does not support assistant message prefill", Prefill},
	{"malformed input request: #/system/0: extraneous key [cache_control]", Caching},
	{"system.0.cache_control: extra inputs are not permitted", Caching},
	{"malformed input request: #: extraneous key [temperature]", Sampling},
	{"malformed input request: #: extraneous key [top_p]", Sampling},
	{"malformed input request: #: extraneous key [top_k]", TopK},
	{"`temperature` is deprecated", Sampling},
	{"`top_p` is deprecated", Sampling},
	{"`top_k` is deprecated", TopK},
	// Chat templates of Gemma and Mistral. Dragoman's turns alternate, so the system message must be the
	// problem.
	{"system role not supported", System},
	{"only user and assistant roles are supported", System},
	{"conversation roles must alternate user/assistant", System},
	// OpenAI.
	{"unsupported value: 'messages[0].role' does not support 'system'", System},
	{"unsupported parameter: 'stop' is not supported with this model", StopSequences},
	{"unsupported parameter: 'temperature' is not supported with this model", Sampling},
	{"unsupported value: 'temperature' does not support", Sampling},
	{"unsupported parameter: 'top_p' is not supported with this model", Sampling},
	{"unrecognized request argument supplied: top_k", TopK},
	// Google, llama.cpp, and vLLM and others that name the member.
	{"unable to submit request because the model does not support the stopsequences parameter", StopSequences},
	{"assistant response prefill is incompatible", Prefill},
	{"cannot set both `continue_final_message`", Prefill},
	{"unrecognized request arguments supplied: add_generation_prompt", Prefill},
	{"continue_final_message", Prefill},
}

// wrappings are texts that some servers put before a message, in lower case.
var wrappings = []string{"the model returned the following errors: ", "jinja exception: ", "error: ", "value error, "}

// unwrapped prepares a message for comparison: in lower case, and without such a text before it.
func unwrapped(message string) string {
	message = strings.ToLower(strings.ReplaceAll(message, "’", "'"))
	for _, wrapping := range wrappings {
		message = strings.TrimPrefix(message, wrapping)
	}
	return message
}

// featureRefused returns the feature that an unwrapped message rejects, or 0 for any other message.
func featureRefused(message string) Features {
	for _, r := range featureRefusals {
		if strings.HasPrefix(message, r.text) {
			return r.feature
		}
	}
	return 0
}
