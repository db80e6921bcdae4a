package upstream

import "testing"

func TestMaxTokensOf(t *testing.T) {
	for id, want := range map[string]int{
		"claude-2.1":                                4096,
		"anthropic.claude-v2:1":                     4096,
		"anthropic.claude-instant-v1":               4096,
		"claude-2*":                                 4096,
		"claude-3-opus-20240229":                    4096,
		"us.anthropic.claude-3-haiku-20240307-v1:0": 4096,
		"claude-3-haiku@20240307":                   4096,
		"anthropic/claude-3-sonnet":                 4096,
		"Claude-3-5-Sonnet-20241022":                8192,
		"claude-3.5-haiku":                          8192,
		"claude-3-*":                                0,
		"claude-3-7-sonnet-20250219":                0,
		"claude-sonnet-4-20250514":                  0,
		"claude-*":                                  0,
		"meta.llama3-70b-instruct-v1:0":             0,
		"gpt-4o":                                    0,
		"":                                          0,
	} {
		if got := MaxTokensOf(id); got != want {
			t.Errorf("%q gives %d tokens, want %d", id, got, want)
		}
	}
}

// A limit counts only at the beginning of a message, and only in a rejected request.
func TestLimitRefused(t *testing.T) {
	const anthropic = "max_tokens: 32000 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307"
	for message, want := range map[string]int{
		anthropic: 4096,
		"The model returned the following errors: " + anthropic:                                                                                   4096,
		"The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.":        4096,
		"The maximum tokens you requested exceeds the model limit of 32768":                                                                       32768,
		"Malformed input request: #/max_tokens_to_sample: 32000 is not less or equal to 4096, please reformat your input and try again.":          4096,
		"max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.":                           4096,
		"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]":                                                                    8192,
		"<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 16384]":                                                     16384,
		"`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model":  8192,
		"Invalid request: Invalid max_tokens value, the valid range of max_tokens is [1, 8192]":                                                   0,
		"The maximum tokens you requested exceeds the model limit of 99999999999999999999.":                                                       0,
		"The maximum tokens you requested exceeds the model limit of 0.":                                                                          0,
		"The maximum tokens you requested exceeds the model limit of ":                                                                            0,
		"messages.0.content.0: Input tag '" + anthropic + "' found using 'type' does not match any of the expected tags":                          0,
		"Malformed input request: #/messages/0/max_tokens: 2 is not less or equal to 1, please reformat your input and try again.":                0,
		"'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 50": 0,
		"This model's maximum context length is 8192 tokens. However, you requested 32050 tokens (50 in the messages, 32000 in the completion).":  0,
		"prompt is too long: 200049 tokens > 200000 maximum":                                                                                      0,
	} {
		if e := invalidRequest.error(message); e.MaxTokens != want {
			t.Errorf("%s: %d, want %d", message, e.MaxTokens, want)
		}
	}
	if e := overloaded.error(anthropic); e.MaxTokens != 0 {
		t.Errorf("a limit of %d in a failure of another kind", e.MaxTokens)
	}
}

// A server names the member that it refuses at the beginning of its message.
func TestMemberRefused(t *testing.T) {
	for message, want := range map[string]string{
		"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.":                        "max_tokens",
		"Unsupported parameter: 'parallel_tool_calls' is not supported with this model.":                                                    "parallel_tool_calls",
		"Unknown parameter: 'parallel_tool_calls'.":                                                                                         "parallel_tool_calls",
		"Unrecognized request argument supplied: parallel_tool_calls. Please contact us through an Azure support":                           "parallel_tool_calls",
		"parallel_tool_calls=False is not supported by this model.":                                                                         "parallel_tool_calls",
		`Invalid JSON payload received. Unknown name "parallel_tool_calls": Cannot find field.`:                                             "parallel_tool_calls",
		"Unrecognized request argument supplied: stream_options":                                                                            "stream_options",
		"Unknown parameter: 'stream_options'.":                                                                                              "stream_options",
		"body.stream_options: Extra inputs are not permitted":                                                                               "stream_options",
		"Validation error at #/stream_options: Extra inputs are not permitted":                                                              "stream_options",
		"1 validation error for ChatCompletionRequest\nstream_options\n  Extra inputs are not permitted":                                    "stream_options",
		"unknown field: parameter 'strict' is not a valid field. For proper usage, please refer to":                                         "strict",
		"Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: true'":                                      "strict",
		"Tools with strict=True are not supported by this model":                                                                            "strict",
		"tools.0.function.strict: Extra inputs are not permitted":                                                                           "strict",
		"property 'messages.2.assistant.reasoning_content' is unsupported":                                                                  "reasoning_content",
		"'messages.3' : for 'role:assistant' the following must be satisfied[('messages.3' : property 'reasoning_content' is unsupported)]": "reasoning_content",
		"body.messages.2.assistant.reasoning_content: Extra inputs are not permitted":                                                       "reasoning_content",
		"body.top_k: Extra inputs are not permitted":                                                                                        "top_k",
		"body.tools.0.function.parameters.properties.strict: Extra inputs are not permitted":                                                "",
		"body.messages.0.content: 'x: Unknown parameter: stream_options' is not allowed":                                                    "",
		"Unexpected role 'user' after role 'tool'":                                                                                          "user_after_tool",
		"tool_choice is not supported":                                                                                                      "",
		"property 'messages.0.user.name' is unsupported":                                                                                    "",
	} {
		if e := invalidRequest.error(message); e.Refuses.LogString() != want {
			t.Errorf("%s: %q, want %q", message, e.Refuses.LogString(), want)
		}
	}
	body := `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",2,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted","input":"hm"}]},"type":"invalid_request_message_error"}`
	if e := readChatError(422, "application/json", []byte(body)); e.Refuses != ReasoningMember {
		t.Errorf("%+v", *e)
	}
}
