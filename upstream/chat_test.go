package upstream

import (
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/messages"
)

func TestChatBody(t *testing.T) {
	const all = System | Streaming | StopSequences | Images | Documents | Prefill
	const head, stream = `{"model":"m",`, `"stream":true,"stream_options":{"include_usage":true}`
	half, k := 0.5, 7
	image := translate.Part{Type: translate.PartImage, Source: []byte(`{"type":"base64","media_type":"image/png","data":"AAAA"}`)}
	document := func(source string) translate.Part {
		return translate.Part{Type: translate.PartDocument, Title: "T", Context: "C", Source: []byte(source)}
	}
	answer := translate.Turn{Role: messages.RoleAssistant, Parts: []translate.Part{textPart("So")}}
	two := []translate.Text{{Text: "one"}, {Text: "two"}}
	tests := []struct {
		name   string
		can    Features
		prompt translate.Prompt
		stop   []string
		want   string
	}{
		{"all of it", all, translate.Prompt{System: two, Turns: partsTurn(textPart("Hi")), MaxTokens: 9, Temperature: &half, TopP: &half, TopK: &k}, []string{"x"},
			head + `"messages":[{"role":"system","content":"one\n\ntwo"},{"role":"user","content":"Hi"}],"max_tokens":9,` +
				`"temperature":0.5,"top_p":0.5,"top_k":7,"stop":["x"],` + stream + `}`},
		{"no system role, no streaming", 0, translate.Prompt{System: two, Turns: partsTurn(textPart("Hi")), MaxTokens: 9}, nil,
			head + `"messages":[{"role":"user","content":"one\n\ntwo\n\nHi"}],"max_tokens":9,"stream":false}`},
		{"texts of a turn", all, translate.Prompt{Turns: partsTurn(textPart("a"), textPart("b\n"), textPart("c"), textPart("\nd"))}, nil,
			head + `"messages":[{"role":"user","content":"a\nb\nc\nd"}],"max_tokens":0,` + stream + `}`},
		{"prefill", all, translate.Prompt{Turns: append(partsTurn(textPart("Hi")), answer)}, nil,
			head + `"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"So"}],"max_tokens":0,` + stream +
				`,"continue_final_message":true,"add_generation_prompt":false}`},
		{"no prefill", all &^ Prefill, translate.Prompt{Turns: append(partsTurn(textPart("Hi")), answer)}, nil,
			head + `"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"So"}],"max_tokens":0,` + stream + `}`},
		{"image", all, translate.Prompt{Turns: partsTurn(textPart("See"), image)}, nil,
			head + `"messages":[{"role":"user","content":[{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}],"max_tokens":0,` + stream + `}`},
		{"document", all, translate.Prompt{Turns: partsTurn(document(`{"type":"base64","media_type":"application/pdf","data":"AAAA"}`))}, nil,
			head + `"messages":[{"role":"user","content":[{"type":"text","text":"T\nC\n\n"},{"type":"file","file":{"filename":"T","file_data":"data:application/pdf;base64,AAAA"}}]}],"max_tokens":0,` + stream + `}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := encodeChat(Model{ID: "m", Can: test.can}, &test.prompt, test.stop, true)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestChatCannotShow(t *testing.T) {
	tests := []struct {
		name, kind, source string
		can                Features
	}{
		{"no images", translate.PartImage, `{"type":"url","url":"https://a.test/"}`, Documents},
		{"no documents", translate.PartDocument, `{"type":"base64","media_type":"application/pdf","data":"AAAA"}`, Images},
		{"an image in a document", translate.PartDocument, `{"type":"content","content":[{"type":"image","source":{"type":"url","url":"https://a.test/"}}]}`, Documents},
		{"another server's file", translate.PartImage, `{"type":"file","file_id":"f"}`, Images},
		{"another server's document", translate.PartDocument, `{"type":"file","file_id":"f"}`, Documents},
	}
	for _, test := range tests {
		p := &translate.Prompt{Turns: partsTurn(translate.Part{Type: test.kind, Source: []byte(test.source)})}
		_, err := encodeChat(Model{ID: "m", Can: test.can}, p, nil, true)
		if err == nil || !strings.Contains(err.Error(), "400 invalid_request_error") || !strings.Contains(err.Error(), test.kind+" in turn 1 (user)") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestDecodeChat(t *testing.T) {
	const done = "\n[DONE]"
	stop := func(more string) string { return `{"choices":[{"delta":{},"finish_reason":"stop"` + more + `}]}` }
	text := func(s string) string {
		return `{"choices":[{"delta":{"content":"` + s + `"},"finish_reason":null}]}` + "\n"
	}
	end := translate.Chunk{Stop: messages.StopEndTurn}
	ours := translate.Chunk{Stop: messages.StopSequence}
	named := translate.Chunk{Stop: messages.StopSequence, StopSequence: translate.CallsEnd}
	finish := func(reason string) string { return strings.Replace(stop(""), `"stop"`, `"`+reason+`"`, 1) + done }
	tests := []struct {
		name   string
		events string // one a line
		text   string
		last   translate.Chunk
		err    string
	}{
		{"text of every form", `{"choices":[{"delta":{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}}]}
{"choices":[{"delta":{}}]}
{"choices":[]}
{"choices":[{"delta":{"content":[{"type":"text","text":"b"},{"type":"text","text":"c"}]}}]}
` + text("a") + stop("") + done, "bca", ours, ""},
		{"reasoning by both names", `{"choices":[{"delta":{"reasoning":"x","reasoning_content":"x"}}]}
{"choices":[{"delta":{"reasoning":"y"}}]}
{"choices":[{"delta":{"reasoning_content":"z","content":"a"}}]}
` + stop("") + done, "[x][y][z]a", ours, ""},
		{"no last event", text("a") + stop(""), "a", ours, ""},
		{"counters behind the end", stop("") + "\n" + `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}` + done,
			"", translate.Chunk{Stop: messages.StopSequence, Usage: messages.Usage{InputTokens: 5, OutputTokens: 3, CacheReadInputTokens: 4}}, ""},
		{"no counters", `{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}],"usage":null}` + done, "a", ours, ""},
		{"a sequence that is named", stop(`,"stop_reason":"</function_calls>"`) + done, "", named, ""},
		{"by another name", stop(`,"matched_stop":"</function_calls>"`) + done, "", named, ""},
		{"one of the server's own", text("<invoke>") + stop(`,"stop_reason":"<|im_end|>"`) + done, "<invoke>", end, ""},
		{"a token, or nothing", text("a") + stop(`,"stop_reason":128009,"matched_stop":null`) + done, "a", end, ""},
		{"length", finish("length"), "", translate.Chunk{Stop: messages.StopMaxTokens}, ""},
		{"model_length", finish("model_length"), "", translate.Chunk{Stop: messages.StopContextWindow}, ""},
		{"content_filter", finish("content_filter"), "", translate.Chunk{Stop: messages.StopRefusal}, ""},
		{"tool_calls", finish("tool_calls"), "", translate.Chunk{Stop: messages.StopToolUse}, ""},
		{"function_call", finish("function_call"), "", translate.Chunk{Stop: messages.StopToolUse}, ""},
		{"sensitive", finish("sensitive"), "", translate.Chunk{Stop: messages.StopRefusal}, ""},
		{"a full context window", finish("model_context_window_exceeded"), "", translate.Chunk{Stop: messages.StopContextWindow}, ""},
		{"in capitals", finish("MAX_TOKENS"), "", translate.Chunk{Stop: messages.StopMaxTokens}, ""},
		{"stop in capitals", finish("STOP"), "", ours, ""},
		{"a reason of tomorrow", finish("bored"), "", translate.Chunk{Stop: messages.StopEndTurn, UnknownStop: "bored"}, ""},
		{"abort", finish("abort"), "", translate.Chunk{}, "502 api_error"},
		{"a connection that was cut", text("a") + finish("network_error"), "a", translate.Chunk{}, "502 api_error: the upstream broke off its answer: network_error"},
		{"a refusal", text("") + `{"choices":[{"delta":{"refusal":"I can"}}]}
{"choices":[{"delta":{"refusal":"not."}}]}
` + stop("") + done, "I cannot.", translate.Chunk{Stop: messages.StopRefusal}, ""},
		{"no refusal", `{"choices":[{"delta":{"content":"a","refusal":null}}]}` + "\n" + stop("") + done, "a", ours, ""},
		{"counters of the Messages API", stop("") + "\n" + `{"choices":[],"usage":{"input_tokens":9,"output_tokens":3,"input_tokens_details":{"cached_tokens":4}}}` + done,
			"", translate.Chunk{Stop: messages.StopSequence, Usage: messages.Usage{InputTokens: 5, OutputTokens: 3, CacheReadInputTokens: 4}}, ""},
		{"counters of Ollama", stop("") + "\n" + `{"choices":[],"usage":{"prompt_eval_count":9,"eval_count":3}}` + done,
			"", translate.Chunk{Stop: messages.StopSequence, Usage: messages.Usage{InputTokens: 9, OutputTokens: 3}}, ""},
		{"counters with a point, or in quotes", stop("") + "\n" + `{"choices":[],"usage":{"prompt_tokens":5.0,"completion_tokens":"5","prompt_tokens_details":{"cached_tokens":"1"}}}` + done,
			"", translate.Chunk{Stop: messages.StopSequence, Usage: messages.Usage{InputTokens: 4, OutputTokens: 5, CacheReadInputTokens: 1}}, ""},
		{"counters that are none", stop("") + "\n" + `{"choices":[],"usage":{"prompt_tokens":{"a":[1]},"completion_tokens":-5,"prompt_tokens_details":["x"]}}
{"choices":[],"usage":"none"}
{"choices":[],"usage":{"prompt_tokens":1e300,"completion_tokens":"NaN"}}` + done, "", ours, ""},
		{"no resources", finish("insufficient_system_resource"), "", translate.Chunk{}, "529 overloaded_error"},
		{"Mistral's thinking", `{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"},{"type":"text","text":"m"}]}]}}]}
{"choices":[{"delta":{"content":[{"type":"thinking","thinking":"?"},{"type":"text","text":"So"}]}}]}
` + text("a") + stop("") + done, "[hm][?]Soa", ours, ""},
		{"another choice beside the first", `{"choices":[{"index":1,"delta":{"content":"x"}},{"index":0,"delta":{"content":"a"}}]}` + "\n" + `{"choices":[{"index":1,"delta":{"content":"y"},"finish_reason":"length"}]}` + "\n" + stop("") + done, "a", ours, ""},
		{"another choice alone", `{"choices":[{"index":1,"delta":{"content":"x"},"finish_reason":"stop"}]}` + done, "", translate.Chunk{}, "without a finish_reason"},
		{"no finish_reason", text("a") + "[DONE]", "a", translate.Chunk{}, "without a finish_reason"},
		{"cut", text("a"), "a", translate.Chunk{}, "broke off"},
		{"nothing", "", "", translate.Chunk{}, "broke off"},
		{"not JSON", text("a") + "{", "a", translate.Chunk{}, "Dragoman cannot read"},
		{"an error", text("a") + `{"error":{"code":502,"message":"Provider disconnected"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`,
			"a", translate.Chunk{}, "502 api_error: Provider disconnected"},
		{"vLLM's error", `{"object":"error","message":"boom","type":"InternalServerError","param":null,"code":500}`, "", translate.Chunk{}, "500 api_error: boom"},
		{"Google's error", `[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}]`, "", translate.Chunk{}, "429 rate_limit_error: quota"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var lines iter.Seq2[[]byte, error] = func(yield func([]byte, error) bool) {
				for line := range strings.Lines(test.events) {
					if !yield([]byte(strings.TrimSpace(line)), nil) {
						return
					}
				}
			}
			d := &chatDecoder{stops: []string{translate.CallsEnd}}
			var text string
			var last translate.Chunk
			var failure error
			decodeStream(d.ended(lines), d.decode, func(c translate.Chunk, err error) bool {
				last, failure = c, err
				if c.Thinking != "" {
					text += "[" + c.Thinking + "]"
				}
				text += c.Text
				return true
			})
			if last.Stop != "" && last.StopWord == "" {
				t.Errorf("%+v lacks the word of the upstream", last)
			}
			last.StopWord = ""
			if text != test.text || !cmp.Equal(last, test.last) {
				t.Errorf("text %q, last %+v", text, last)
			}
			if test.err == "" && failure != nil || test.err != "" && (failure == nil || !strings.Contains(failure.Error(), test.err)) {
				t.Errorf("error %v", failure)
			}
		})
	}
}

func TestChatErrors(t *testing.T) {
	const json = "application/json"
	tests := []struct {
		http       int
		kind, body string
		status     int
		typ, says  string
	}{
		{400, json, `{"error":{"message":"This model's maximum context length is 8 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
			400, "invalid_request_error", "prompt is too long"},
		{401, json, `{"error":{"message":"Incorrect API key provided: sk-1","type":"invalid_request_error","code":"invalid_api_key"}}`, 502, "api_error", "proxy's own credentials"},
		{403, json, `{"error":"no"}`, 502, "api_error", "proxy's own credentials"},
		{402, json, `{"error":{"code":402,"message":"Insufficient credits"}}`, 402, "billing_error", "Insufficient credits"},
		{404, json, `{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`, 404, "not_found_error", "try pulling"},
		{404, json, `{"object":"error","message":"The model x does not exist.","type":"NotFoundError","param":null,"code":404}`, 404, "not_found_error", "does not exist"},
		{404, "text/plain", "404 page not found", 404, "not_found_error", "page not found"},
		{400, json, `{"error":"json: cannot unmarshal"}`, 400, "invalid_request_error", "json: cannot unmarshal"},
		{429, json, `{"error":{"message":"Slow down","type":"requests","code":"rate_limit_exceeded"}}`, 429, "rate_limit_error", "Slow down"},
		{429, json, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, 429, "rate_limit_error", "quota"},
		{429, json, `[{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}]`, 429, "rate_limit_error", "Quota"},
		{503, json, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, 529, "overloaded_error", "Loading model"},
		{500, json, `{"error":{"message":"","type":"server_error"}}`, 500, "api_error", "500"},
		{502, "text/html", "<html>", 502, "api_error", "502"},
		{424, json, `{"error":{"message":"odd"}}`, 502, "api_error", "odd"},
		{414, "text/html", "<html>", 502, "api_error", "414"},
		{200, json, `{"error":"Unexpected endpoint or method. (POST /chat/completions)"}`, 500, "api_error", "Unexpected endpoint"},
		{200, json, `{"error":{"message":"busy","code":"503"}}`, 529, "overloaded_error", "busy"},
		{200, json, `{"error":{"message":"","type":"server_error","code":null}}`, 500, "api_error", "server_error"},
		{200, "text/html", "<html>", 502, "api_error", "200"},
		{302, "", "", 502, "api_error", "redirect"},
	}
	for _, test := range tests {
		e := readChatError(test.http, test.kind, []byte(test.body))
		if e.Status != test.status || e.Type != test.typ || !strings.Contains(e.Message, test.says) || strings.Contains(e.Message, "sk-1") {
			t.Errorf("%d %s: %v", test.http, test.body, e)
		}
		if final := test.http == 401 || test.http == 403 || test.http == 424 || test.http == 414 || strings.Contains(test.body, "insufficient_quota"); e.Final != final {
			t.Errorf("%d %s: final %v", test.http, test.body, e.Final)
		}
	}
}

func TestChatRefusesFeatures(t *testing.T) {
	for message, want := range map[string]Features{
		"System role not supported": System,
		"Conversation roles must alternate user/assistant/user/assistant/...":                                                    System,
		"Unsupported value: 'messages[0].role' does not support 'system' with this model.":                                       System,
		"Unsupported parameter: 'stop' is not supported with this model.":                                                        StopSequences,
		"Unable to submit request because the model does not support the stopSequences parameter. Remove it and try again.":      StopSequences,
		"Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.":        Sampling,
		"Unrecognized request argument supplied: top_k":                                                                          TopK,
		"Assistant response prefill is incompatible with enable_thinking.":                                                       Prefill,
		"continue_final_message is set but the final message does not appear in the chat after applying the chat template!":      Prefill,
		"Unrecognized request arguments supplied: add_generation_prompt, continue_final_message":                                 Prefill,
		"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 …).": 0,
	} {
		if e := invalidRequest.error(message); e.Refuses != want {
			t.Errorf("%s: %q, want %q", message, e.Refuses, want)
		}
	}
}
