package upstream

import (
	"strings"
)

// Recognizing why a server rejected a request: the model lacks a feature, gives fewer tokens than requested,
// or has no room for the prompt. Servers have few error codes for these, so Dragoman compares their messages
// with known ones. refusals_limits.go has the messages about tokens.

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
	// Mistral's API, and the templates of its models.
	{"unexpected role 'user' after role 'tool'", UserAfterTool},
	{"after the optional system message, conversation roles must alternate", UserAfterTool},
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
var wrappings = []string{"the model returned the following errors: ", "jinja exception: ", "error: ", "value error, ", "<400> internalerror.algo.invalidparameter: ", "input validation error: "}

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
