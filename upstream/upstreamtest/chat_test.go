package upstreamtest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestChatChecksRequests(t *testing.T) {
	const path, head = "/v1/chat/completions", `{"model":"m",`
	const user, assistant = `{"role":"user","content":"Hi"}`, `{"role":"assistant","content":"So"}`
	const call = `{"role":"assistant","content":"","tool_calls":[{"id":"abcdefgh1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	const result = `{"role":"tool","tool_call_id":"abcdefgh1","content":"one"}`
	tests := []struct {
		name, path, body string
		status           int
		says             string
	}{
		{"good", path, head + `"messages":[` + user + `]}`, 200, `"object":"chat.completion"`},
		{"streaming", path, head + `"messages":[` + user + `],"stream":true}`, 200, "data: [DONE]"},
		{"another resource", "/chat/completions", "{}", 404, "Invalid URL"},
		{"unknown key", path, head + `"messages":[` + user + `],"x":1}`, 400, "Unrecognized request argument supplied: x"},
		{"tools", path, head + `"messages":[` + user + `],"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"tool_choice":"auto"}`, 200, ""},
		{"a tool without a schema", path, head + `"messages":[` + user + `],"tools":[{"type":"function","function":{"name":"f"}}]}`, 400, "'tools'"},
		{"a choice without tools", path, head + `"messages":[` + user + `],"tool_choice":"auto"}`, 400, "'tool_choice' is only allowed"},
		{"a choice of no tool", path, head + `"messages":[` + user + `],"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"tool_choice":{"type":"function","function":{"name":"g"}}}`, 400, "no function of that name"},
		{"a result", path, head + `"messages":[` + user + `,` + call + `,` + result + `,` + user + `]}`, 200, ""},
		{"an id that Mistral does not take", path, head + `"messages":[` + user + `,` + strings.Replace(call, "abcdefgh1", "call_1", 1) + `,` + result + `]}`, 400, "Invalid tool call"},
		{"a result of no call", path, head + `"messages":[` + user + `,` + strings.Replace(call, "abcdefgh1", "abcdefgh2", 1) + `,` + result + `]}`, 400, "must be a response"},
		{"no model", path, `{"messages":[` + user + `]}`, 400, "Missing required parameter: 'model'."},
		{"no messages", path, head + `"messages":[]}`, 400, "Missing required parameter: 'messages'."},
		{"two turns of one role", path, head + `"messages":[` + user + `,` + user + `]}`, 400, "must alternate"},
		{"a system message that is not the first", path, head + `"messages":[` + user + `,{"role":"system","content":"x"}]}`, 400, "must alternate"},
		{"a part that is not one", path, head + `"messages":[{"role":"user","content":[{"type":"noise"}]}]}`, 400, "Invalid content part"},
		{"no content", path, head + `"messages":[{"role":"user","content":[]}]}`, 400, "Invalid value"},
		{"counters without a stream", path, head + `"messages":[` + user + `],"stream_options":{"include_usage":true}}`, 400, "stream_options"},
		{"prefill", path, head + `"messages":[` + user + `,` + assistant + `],"continue_final_message":true,"add_generation_prompt":false}`, 200, ""},
		{"prefill that is not told", path, head + `"messages":[` + user + `,` + assistant + `]}`, 400, "continue_final_message"},
		{"prefill told twice", path, head + `"messages":[` + user + `,` + assistant + `],"continue_final_message":true}`, 400, "Cannot set both"},
		{"no JSON", path, "hello", 400, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := NewChat(nil)
			status, _, body := serve(f, httptest.NewRequest(http.MethodPost, test.path, strings.NewReader(test.body)))
			if status != test.status || !strings.Contains(body, test.says) {
				t.Errorf("%d %s", status, body)
			}
			if got := len(f.Requests()); got != 1 && status == 200 || got != 0 && status != 200 {
				t.Errorf("%d requests", got)
			}
		})
	}
}

func TestChatWantsItsKey(t *testing.T) {
	f := NewChat(nil)
	f.Key = "right"
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader("{}"))
	r.Header.Set("authorization", "Bearer wrong")
	if status, _, body := serve(f, r); status != http.StatusUnauthorized || !strings.Contains(body, "Incorrect API key") {
		t.Errorf("%d %s", status, body)
	}
}
