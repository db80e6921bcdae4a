package upstream

import (
	"fmt"
	"strings"
	"testing"
)

// Every server has its own words for an exceeded context window. Clients know only the words of the Messages
// API: they then shorten the conversation or lower max_tokens.
func TestOverflow(t *testing.T) {
	const (
		tooLong    = "prompt is too long"
		overMax    = "prompt is too long: %d tokens > %d maximum"
		overWindow = "input length and `max_tokens` exceed context limit: %d + %d > %d, decrease input length or `max_tokens` and try again"
	)
	for message, want := range map[string]struct {
		message string
		room    int
	}{
		"This model's maximum context length is 8192 tokens. However, you requested 9192 tokens (5192 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.": {
			fmt.Sprintf(overWindow, 5192, 4000, 8192), 3000},
		"This model's maximum context length is 8192 tokens. However, you requested 9455 tokens (2426 in the messages, 2933 in the functions, and 4096 in the completion). Please reduce the length of the messages, functions, or completion.": {
			fmt.Sprintf(overWindow, 5359, 4096, 8192), 2833},
		"This model's maximum context length is 4097 tokens. However, your messages resulted in 4238 tokens (4143 in the messages, 95 in the functions).":  {fmt.Sprintf(overMax, 4238, 4097), 0},
		"This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens. Please reduce the length of the input messages.": {fmt.Sprintf(overMax, 9000, 8192), 0},
		"This model's maximum context length is 32768 tokens. However, you requested 32000 output tokens and your prompt contains at least 769 input tokens, for a total of at least 32769 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=769)": {
			fmt.Sprintf(overWindow, 769, 32000, 32768), 7999},
		"This model's maximum context length is 32768 tokens. However, you requested 0 output tokens and your prompt contains at least 32769 input tokens, for a total of at least 32769 tokens.": {
			fmt.Sprintf(overMax, 32769, 32768), 0},
		"This model's maximum context length is 32768 tokens. However, you requested 1000 output tokens and your prompt contains 900000 characters (more than 131072 characters, which is the upper bound for 31768 input tokens).": {tooLong, 0},
		"This model's maximum context length is 4097 tokens, however you requested 4322 tokens (4066 in your prompt; 256 for the completion). Please reduce your prompt; or completion length.":                                     {fmt.Sprintf(overWindow, 4066, 256, 4097), 0},
		"'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 4096 tokens and your request has 2778 input tokens (8000 > 4096 - 2778).":                                               {fmt.Sprintf(overWindow, 2778, 8000, 4096), 1318},
		"The decoder prompt (length 41000) is longer than the maximum model length of 40960. Make sure that `max_model_len` is no smaller than the number of text tokens.":                                                          {fmt.Sprintf(overMax, 41000, 40960), 0},
		"max_tokens must be at least 1, got -808.": {tooLong, 0},
		"You passed 2049 input tokens and requested 2048 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 2048 tokens.": {fmt.Sprintf(overWindow, 2049, 2048, 4096), 2047},
		"request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it":                                                                                  {fmt.Sprintf(overMax, 14429, 8192), 0},
		"the request exceeds the available context size. try increasing the context size or enable context shift":                                                                     {tooLong, 0},
		"Context size has been exceeded.": {tooLong, 0},
		"The input (291793 tokens) is longer than the model's context length (262144 tokens).": {fmt.Sprintf(overMax, 291793, 262144), 0},
		"Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 70000 tokens: 6000 tokens from the input messages and 64000 tokens for the completion. Please reduce the number of tokens": {
			fmt.Sprintf(overWindow, 6000, 64000, 32768), 26768},
		"Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.": {fmt.Sprintf(overMax, 15857, 4096), 0},
		"The input length exceeds the context length": {tooLong, 0},
		"This endpoint's maximum context length is 131072 tokens. However, you requested about 138956 tokens (7884 of text input, 131072 in the output). Please reduce the length of either one, or use the \"middle-out\" transform": {
			fmt.Sprintf(overWindow, 7884, 131072, 131072), 123188},
		"This endpoint's maximum context length is 204800 tokens. However, you requested about 205432 tokens (81684 of text input, 3748 of tool input, 120000 in the output).": {fmt.Sprintf(overWindow, 85432, 120000, 204800), 119368},
		"This endpoint's maximum context length is 16384 tokens. However, you requested about 94307 tokens (94307 of text input).":                                             {fmt.Sprintf(overMax, 94307, 16384), 0},
		"This model's maximum prompt length is 131072 but the request contains 537812 tokens.":                                                                                 {fmt.Sprintf(overMax, 537812, 131072), 0},
		"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).":                                                                              {fmt.Sprintf(overMax, 1196265, 1048575), 0},
		"prompt too long; exceeded max context length by 65590 tokens (ref: 632f)":                                                                                             {tooLong, 0},
		`Ollama API error 400: {"StatusCode":400,"Status":"400 Bad Request","error":"prompt too long; exceeded max context length by 4 tokens"}`:                               {tooLong, 0},
		"400 `prompt too long; exceeded max context length by 100918 tokens`":                                                                                                  {tooLong, 0},
		`Error code: 400 - {'error': {'message': 'prompt too long; exceeded max context length by 7 tokens', 'type': None, 'code': 400}}`:                                      {tooLong, 0},
		"litellm.BadRequestError: OpenAIException - prompt too long; exceeded max context length by 7 tokens":                                                                  {tooLong, 0},
		"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 1000 `max_new_tokens`":                                    {fmt.Sprintf(overWindow, 4000, 1000, 4096), 0},
		"inputs tokens + max_new_tokens must be <= 2048. Given: 1000 inputs tokens and 1500 max_new_tokens":                                                                    {fmt.Sprintf(overWindow, 1000, 1500, 2048), 1048},
		"`inputs` must have less than 1024 tokens. Given: 1025":                                                                                                                {fmt.Sprintf(overMax, 1025, 1024), 0},
		"Provider returned error: Input length 131393 exceeds the maximum allowed input length of 131040 tokens.":                                                              {fmt.Sprintf(overMax, 131393, 131040), 0},
		"Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)":                                                                                 {fmt.Sprintf(overMax, 291351, 262144), 0},
		"error, status code: 400, message: Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)":                                               {fmt.Sprintf(overMax, 291351, 262144), 0},
		"invalid params, context window exceeds limit (2013)":                                                                                                                  {tooLong, 0},
		"context window exceeds limit (2013)":                                                                   {tooLong, 0},
		"prompt token count of 202345 exceeds the limit of 128000":                                              {fmt.Sprintf(overMax, 202345, 128000), 0},
		"This model's maximum context length is  8192 tokens. However, your messages resulted in  9000 tokens.": {fmt.Sprintf(overMax, 9000, 8192), 0},
		"tokens in request more than max tokens allowed":                                                        {tooLong, 0},
		"Prompt exceeds max length":                                                                             {tooLong, 0},
		"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]":                 {tooLong, 0},
		"Range of input length should be [1, 983616]":                                                           {tooLong, 0},
		"Please reduce the length of the messages or completion.":                                               {tooLong, 0},
		"Input is too long for requested model.":                                                                {tooLong, 0},
		"The model returned the following errors: Input is too long for requested model.":                       {tooLong, 0},
		"prompt is too long: 200049 tokens > 200000 maximum":                                                    {fmt.Sprintf(overMax, 200049, 200000), 0},
		"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length":    {fmt.Sprintf(overWindow, 190000, 20000, 200000), 10000},
	} {
		for name, class := range map[string]errorClass{"400": invalidRequest, "500": internalError, "413": requestTooLarge} {
			e := class.error(message)
			if e.Status != 400 || e.Type != "invalid_request_error" || e.Message != want.message || e.Overflow == nil {
				t.Errorf("%s: %s\ngot  %+v\nwant %s", name, message, *e, want.message)
				continue
			}
			if room := e.Overflow.Room(); room != want.room {
				t.Errorf("%s: room for %d tokens, want %d", message, room, want.room)
			}
			if said := plainWords(strings.ToLower(message)); !strings.Contains(said, Explain(e)) || Explain(e) == "" {
				t.Errorf("the log says %q of %q", Explain(e), said)
			}
		}
	}
}

// Text that a client could have quoted, and other limits, do not count as an exceeded context window.
func TestNoOverflow(t *testing.T) {
	for _, message := range []string{
		"messages.0.content.0: Input tag 'prompt is too long: 9 tokens > 8 maximum' found using 'type' does not match any of the expected tags",
		`Invalid value: "prompt is too long: 9 tokens > 8 maximum"`,
		`Tool name 'prompt too long; exceeded max context length by 4 tokens' is not valid`,
		"Too many tokens, please wait before trying again.",
		"max_tokens must be at least 1, got 0.",
		"max_tokens: 32000 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307",
		"prompt: String should have at least 1 character",
	} {
		if e := invalidRequest.error(message); e.Overflow != nil || e.Message != message {
			t.Errorf("%s: %+v", message, *e)
		}
	}
	const denied = "prompt is too long: 9 tokens > 8 maximum"
	if e := credentialsRefused.error(denied); e.Overflow != nil || e.Credentials == "" {
		t.Errorf("%+v", *e)
	}
}

// A server of chat completions may report it with a code, in its own members, or in the middle of its answer.
func TestChatOverflow(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}`: "prompt is too long: 1407 tokens > 256 maximum",
		`{"error":{"code":400,"message":"no room","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}`:                                                                                                 "prompt is too long: 1407 tokens > 256 maximum",
		`{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}}`:                                                                  "prompt is too long",
		`{"object":"error","message":"This model's maximum context length is 8 tokens. However, your request has 9 input tokens. Please","type":"BadRequestError","param":null,"code":400}`:                                "prompt is too long: 9 tokens > 8 maximum",
		`{"error":"the input length exceeds the context length"}`:                                                                 "prompt is too long",
		`{"error":"Input validation error: ` + "`inputs`" + ` must have less than 8 tokens. Given: 9","error_type":"validation"}`: "prompt is too long: 9 tokens > 8 maximum",
		`{"error":{"code":"1261","message":"Prompt exceeds max length"}}`:                                                         "prompt is too long",
	} {
		for _, status := range []int{200, 400, 500} {
			e := readChatError(status, "application/json", []byte(body))
			if e.Status != 400 || e.Message != want || e.Overflow == nil {
				t.Errorf("%d %s: %+v", status, body, *e)
			}
		}
		if _, err := new(chatDecoder).decode([]byte(body)); err == nil || !strings.HasPrefix(err.Error(), "400 invalid_request_error: "+want) {
			t.Errorf("in a stream: %s: %v", body, err)
		}
	}
}
