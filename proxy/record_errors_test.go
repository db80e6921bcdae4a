package proxy

import (
	"context"
	"encoding/base64"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// In every client API, the log line of a 400 has a reason from a fixed set of words, and the line of any other answer
// has none. The documentation lists the words.
func TestErrorReason(t *testing.T) {
	body := func(members string) string { return `{"model":"claude-2.1","max_tokens":9,` + members + `}` }
	const hello = `"messages":[{"role":"user","content":"x"}]`
	refusing := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		yield(translate.Chunk{}, &upstream.Error{Status: 400, Type: "invalid_request_error", Message: "too long"})
	})
	seen := map[string]bool{}
	for _, tt := range []struct {
		path, body, header, want string
		up                       any
	}{
		{"/v1/messages", question, "Content-Encoding: gzip", reasonBody, nil},
		{"/v1/messages", question, "Content-Encoding: br", messages.FaultValue, nil},
		{"/v1/messages", question, "x-dragoman-dry-run: maybe", messages.FaultValue, nil},
		{"/v1/messages", `{"model":`, "", messages.FaultJSON, nil},
		{"/v1/messages", ``, "", messages.FaultJSON, nil},
		{"/v1/messages", `[]`, "", messages.FaultJSON, nil},
		{"/v1/messages", body(hello + `,"a":1,"a":2`), "", messages.FaultJSON, nil},
		{conversePath, `[]`, "", messages.FaultJSON, nil},
		{"/v1/messages", body(hello + `,"Stream":true`), "", messages.FaultUnknownField, nil},
		{conversePath, `{"Messages":[]}`, "", messages.FaultUnknownField, nil},
		{"/v1/messages", body(`"system":"x"`), "", messages.FaultMissingField, nil},
		{"/v1/messages/count_tokens", body(`"messages":[{"role":"user"}]`), "", messages.FaultMissingField, nil},
		{"/v1/messages", body(hello + `,"top_k":-1`), "", messages.FaultValue, nil},
		{conversePath, `{"messages":{}}`, "", messages.FaultValue, nil},
		{"/v1/projects/p/locations/l/publishers/%20/models/claude-2.1:rawPredict", `{}`, "", messages.FaultValue, nil},
		{"/v1/messages", body(hello + `,"tools":[{"name":"t","input_schema":{"type":"object","required":"a"}}]`), "", messages.FaultSchema, nil},
		{"/v1/messages", body(`"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}]`), "", messages.FaultConversation, nil},
		{"/v1/messages", body(hello + `,"thread":{"id":"t"}`), "", messages.FaultUnsupported, nil},
		{"/v1/messages", body(hello + `,"x":` + strings.Repeat("[", 201) + strings.Repeat("]", 201)), "", messages.FaultLimit, nil},
		{"/v1/messages", question, "", reasonUpstream, refusing},
		{conversePath, `{"messages":[{"role":"user","content":[{"text":"x"}]}]}`, "", reasonUpstream, refusing},
		{"/v1/messages", strings.Replace(question, "claude", "gpt", 1), "", "", nil},
		{"/v1/messages", question, "", "", nil},
	} {
		if tt.up == nil {
			tt.up = completing(endOfTurn, "hi")
		}
		var header []string
		if name, value, ok := strings.Cut(tt.header, ": "); ok {
			header = []string{name, value}
		}
		var log logged
		w := httptest.NewRecorder()
		answerTo(newServer(t, tt.up, log.option), w, newRequest("POST", tt.path, tt.body, header...))
		got, _ := log.exchange(t)["error_reason"].(string)
		if got != tt.want || (w.Code == 400) != (tt.want != "") {
			t.Errorf("%s %.80s %s: %d, error_reason %q, want %q: %.200s", tt.path, tt.body, tt.header, w.Code, got, tt.want, w.Body)
		}
		seen[got] = true
	}
	page, err := os.ReadFile("../docs/reference/log.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range slices.Concat(messages.Faults, []string{reasonBody, reasonUpstream}) {
		if !seen[word] || !strings.Contains(string(page), "\n| `"+word+"` | ") {
			t.Errorf("%s: no request is refused for it, or it is not documented", word)
		}
	}
}

// If the message of a 400 has a path, the log has it too, in every client API and whoever found the error.
func TestErrorPath(t *testing.T) {
	const (
		noText  = `"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":""}]}]}`
		noType  = `"max_tokens":9,"messages":[{"role":"user","content":[{"text":"x"}]}]}`
		longTop = `"max_tokens":9,"top_k":-1,"messages":[{"role":"user","content":"x"}]}`
	)
	packed := base64.StdEncoding.EncodeToString([]byte(`{"anthropic_version":"bedrock-2023-05-31",` + noType))
	for _, tt := range []struct{ name, method, path, body, header, want string }{
		{"messages", "POST", "/v1/messages", `{"model":"claude-2.1",` + noType, "", "messages.0.content.0.type"},
		{"messages, of the whole", "POST", "/v1/messages", `{"model":"claude-2.1",` + noText, "", "messages"},
		{"messages, no model", "POST", "/v1/messages", `{}`, "", "model"},
		{"messages, counted", "POST", "/v1/messages/count_tokens", `{"model":"claude-2.1",` + noType, "", "messages.0.content.0.type"},
		{"messages, the client's name", "POST", "/v1/messages", `{"model":"claude-2.1","c4n4ry":1,"c4n4ry":2,` + longTop, "", "*"},
		{"dry run", "POST", "/v1/messages", question, "x-dragoman-dry-run: maybe", "x-dragoman-dry-run"},
		{"encoding", "POST", "/v1/messages", question, "content-encoding: br", "Content-Encoding"},
		{"list", "GET", "/v1/models?limit=x", "", "", "limit"},
		{"list after", "GET", "/v1/models?after_id=x", "", "", "after_id"},
		{"list before", "GET", "/v1/models?before_id=x", "", "", "before_id"},
		{"vertex", "POST", vertexStream, `{` + longTop, "", "top_k"},
		{"invoke", "POST", "/model/claude-2.1/invoke", `{` + noType, "", "messages.0.content.0.type"},
		{"invoke, another family", "POST", "/model/claude-2.1/invoke", `{"inputText":"x"}`, "", "inputText"},
		{"converse", "POST", conversePath, `{"messages":[{"role":"user","content":[{"text":"x"},{"image":{}}]}]}`, "", "messages.0.content.1.image.format"},
		{"converse, decoded", "POST", conversePath, `{"inferenceConfig":{"maxTokens":"many"},"messages":[{"role":"user","content":[{"text":"x"}]}]}`, "", "inferenceConfig.maxTokens"},
		{"count of bedrock", "POST", "/model/claude-2.1/count-tokens", `{"input":{"invokeModel":{"body":"` + packed + `"}}}`, "", "input.invokeModel.body.messages.0.content.0.type"},
		{"no id", "POST", "/model/%20/invoke%20", `{}`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log logged
			s := newServer(t, completing(endOfTurn, "hi"), log.option)
			var header []string
			if name, value, ok := strings.Cut(tt.header, ": "); ok {
				header = []string{name, value}
			}
			w := httptest.NewRecorder()
			answerTo(s, w, newRequest(tt.method, tt.path, tt.body, header...))
			line := log.exchange(t)
			if got, _ := line["error_path"].(string); got != tt.want || w.Code != 400 && tt.want != "" {
				t.Errorf("%d, error_path %q: %.300s", w.Code, got, w.Body)
			}
		})
	}
	for message, want := range map[string]string{
		"messages.3.content.0.text: Field required": "messages.3.content.0.text",
		"tools.0.custom.name: String should match":  "tools.0.custom.name",
		"c4n4ry: is not known":                      "",
		"1234: is not known":                        "",
		"messages.c4n4ry: is not known":             "",
		"messages are wrong":                        "",
	} {
		var log logged
		failing := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
			yield(translate.Chunk{}, &upstream.Error{Status: 400, Type: "invalid_request_error", Message: message})
		})
		if w := post(newServer(t, failing, log.option), question); w.Code != 400 {
			t.Errorf("status %d", w.Code)
		}
		if got, _ := log.exchange(t)["error_path"].(string); got != want || strings.Contains(log.String(), "c4n4ry") {
			t.Errorf("%s: error_path %q", message, got)
		}
	}
}
