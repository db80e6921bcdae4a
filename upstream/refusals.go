package upstream

import (
	"strconv"
	"strings"
)

// What a server's message says of a refusal: that the model lacks a feature, or gives
// fewer tokens than it was asked for. Servers have no codes for these, so their messages
// are compared with those that are known.

// limitRefusals are the beginnings of messages by which servers refuse a max_tokens
// beyond what the model can do (docs/reference/wire.md §8, docs/reference/bedrock.md
// §2b; reports of users). %d stands for a number, the last of which is the limit. They
// are compared as those of [featureRefusals] are. Messages about a limit that depends on
// the length of the prompt are not here: that is no limit of the model's.
var limitRefusals = []string{
	"max_tokens: %d > %d, which is the maximum allowed number of output tokens",
	"the maximum tokens you requested exceeds the model limit of %d",
	"malformed input request: #/max_tokens: %d is not less or equal to %d,",
	"malformed input request: #/max_tokens_to_sample: %d is not less or equal to %d,",
	"max_tokens is too large: %d. this model supports at most %d completion tokens",
}

// limitRefused returns the most tokens that the model gives, as an unwrapped message
// says, 0 if the message is about something else.
func limitRefused(message string) int {
	for _, excess := range limitRefusals {
		if n := lastNumber(message, excess); n > 0 {
			return n
		}
	}
	return 0
}

// lastNumber returns the last number of a text that begins as the pattern says, 0 if it
// does not or if a number is too large.
func lastNumber(text, pattern string) int {
	last, first := 0, true
	for literal := range strings.SplitSeq(pattern, "%d") {
		if !first { // a number stands before this literal
			n := digits([]byte(text))
			value, err := strconv.ParseInt(text[:n], 10, 32)
			if err != nil {
				return 0
			}
			last, text = int(value), text[n:]
		}
		var ok bool
		if text, ok = strings.CutPrefix(text, literal); !ok {
			return 0
		}
		first = false
	}
	if text != "" && text[0] >= '0' && text[0] <= '9' {
		return 0
	}
	return last
}

// featureRefusals are the beginnings of messages by which servers refuse a feature
// (docs/reference/bedrock.md §9, docs/reference/wire.md §8; for chat completions,
// reports of users), in lower case. Only the beginning of a message is compared: what a
// server quotes of a request comes later, so no client can make it say these words.
// A refusal that no other try can avoid is not here, such as that of an image in a prompt
// that has one.
var featureRefusals = []struct {
	text    string
	feature Features
}{
	{"this model doesn't support tool use", Tools},
	{"malformed input request: #: extraneous key [tools]", Tools},
	{"tools: extra inputs are not permitted", Tools},
	{"this model does not support tools", Tools},
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
	// Chat templates of Gemma and Mistral; our turns alternate, so that it is the
	// system message that does not fit.
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
	// Google, llama.cpp, and vLLM with others that name the key.
	{"unable to submit request because the model does not support the stopsequences parameter", StopSequences},
	{"assistant response prefill is incompatible", Prefill},
	{"cannot set both `continue_final_message`", Prefill},
	{"unrecognized request arguments supplied: add_generation_prompt", Prefill},
	{"continue_final_message", Prefill},
}

// wrappings are what some servers write before a message, in lower case.
var wrappings = []string{"the model returned the following errors: ", "jinja exception: ", "error: ", "value error, "}

// unwrapped returns a message as it is compared: in lower case, and without what a
// server wrote before it.
func unwrapped(message string) string {
	message = strings.ToLower(strings.ReplaceAll(message, "’", "'"))
	for _, wrapping := range wrappings {
		message = strings.TrimPrefix(message, wrapping)
	}
	return message
}

// featureRefused returns the feature that a server refuses with this unwrapped message,
// 0 if it refuses something else.
func featureRefused(message string) Features {
	for _, r := range featureRefusals {
		if strings.HasPrefix(message, r.text) {
			return r.feature
		}
	}
	return 0
}
