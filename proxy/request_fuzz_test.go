package proxy

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzRequests sends a body to every dialect. The server answers it, or rejects it with a client error in the dialect's
// own form; it never reports an error of its own.
func FuzzRequests(f *testing.F) {
	anthropic := func(t *testing.T, body []byte) string {
		var e apiError
		if err := json.Unmarshal(body, &e); err != nil || e.Type != "error" || e.Error.Type != "invalid_request_error" {
			t.Errorf("not an error of the Messages API: %s", body)
		}
		return e.Error.Message
	}
	aws := func(t *testing.T, body []byte) string {
		var e map[string]string
		if err := json.Unmarshal(body, &e); err != nil || len(e) != 1 {
			t.Errorf("not an exception: %s", body)
		}
		return e["message"]
	}
	openai := func(t *testing.T, body []byte) string {
		var e struct{ Error chatError }
		if err := json.Unmarshal(body, &e); err != nil || e.Error.Type != "invalid_request_error" {
			t.Errorf("not an error of Chat Completions: %s", body)
		}
		return e.Error.Message
	}
	routes := []struct {
		path    string
		message func(t *testing.T, body []byte) string
	}{
		{"/v1/messages", anthropic},
		{"/v1/messages/count_tokens", anthropic},
		{vertexModels + "claude-2.1:rawPredict", anthropic},
		{vertexModels + "claude-2.1:streamRawPredict", anthropic},
		{"/model/claude-2.1/invoke", aws},
		{"/model/claude-2.1/invoke-with-response-stream", aws},
		{"/model/claude-2.1/converse", aws},
		{"/model/claude-2.1/converse-stream", aws},
		{"/model/claude-2.1/count-tokens", aws},
		{chatPath, openai},
	}
	for _, good := range []string{question, vertexQuestion, bedrockQuestion, converseQuestion, chatQuestion, agentLike, `{"input":{"converse":` + converseQuestion + `}}`} {
		f.Add(good)
		for _, change := range [][2]string{
			{`"role":"user"`, `"role":"system"`}, {`[`, `{}`}, {`{`, `[`}, {`"text"`, `"toolUse"`}, {`"messages"`, `"mess"`},
			{`100`, `-1`}, {`100`, `1e99`}, {`"Oslo`, `"\ud800`}, {`:"`, `:null,"x":"`}, {`}`, ``}, {`"name"`, `"name":"","name"`},
		} {
			f.Add(strings.Replace(good, change[0], change[1], 1))
		}
	}
	for _, bodies := range hostileBodies(1 << 10) {
		for _, body := range bodies {
			f.Add(body)
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		s := newServer(t, completing(endOfCall, weather...))
		for _, route := range routes {
			w := httptest.NewRecorder()
			answerTo(s, w, newRequest("POST", route.path, body))
			switch w.Code {
			case 200, 404: // 404: the body names an unknown model
			case 400, 413:
				if message := route.message(t, w.Body.Bytes()); message == "" {
					t.Errorf("%s: refused without a word", route.path)
				}
			default:
				t.Errorf("%s: status %d, %s", route.path, w.Code, w.Body)
			}
		}
	})
}

// agentLike has every kind of block.
const agentLike = `{"model":"claude-2.1","max_tokens":100,"stream":true,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],
"thinking":{"type":"enabled","budget_tokens":1024},"tool_choice":{"type":"any"},"metadata":{"user_id":"u"},
"tools":[{"name":"get_weather","input_schema":{"type":"object","properties":{"city":{"type":"string"},"at":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":["null","array"]}}}}],
"messages":[{"role":"user","content":[{"type":"text","text":"Oslo?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{"city":"Oslo"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text","text":"no"}]}]}]}`
