package proxy

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/upstream"
)

// counting is an upstream that counts tokens, or fails to.
type counting struct {
	nativeModel
	err    error
	prompt *translate.Prompt
}

func (c *counting) Count(_ context.Context, _ upstream.Model, p *translate.Prompt) (int, error) {
	c.prompt = p
	return 123, c.err
}

func (c *counting) CountNative(context.Context, upstream.Model, upstream.Native) (int, error) {
	return 45, c.err
}

func (n *nativeModel) CountNative(context.Context, upstream.Model, upstream.Native) (int, error) {
	return 0, errors.New("not counted")
}

func countTokens(s *Server, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	answerTo(s, w, newRequest("POST", "/v1/messages/count_tokens", body))
	return w
}

func TestCountTokens(t *testing.T) {
	uncounted := strings.Replace(question, `"max_tokens":100,`, "", 1)
	tests := []struct {
		name   string
		up     any
		tools  string
		source string
		want   string // "" means an estimate
	}{
		{"the upstream's own count", &counting{}, ToolsXML, "upstream", `{"input_tokens":123}`},
		{"of a model with tools", &counting{}, ToolsNative, "upstream", `{"input_tokens":45}`},
		{"an upstream that fails", &counting{err: busy}, ToolsXML, "estimate", ""},
		{"a model with tools that does not count", &nativeModel{}, ToolsNative, "estimate", ""},
		{"an upstream that does not count", &flaky{}, ToolsXML, "estimate", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := countTokens(newServer(t, tt.up, withTools(tt.tools)), uncounted)
			if got := w.Result().Header.Get("X-Dragoman-Token-Count"); w.Code != 200 || got != tt.source {
				t.Errorf("status %d, counted by %q", w.Code, got)
			}
			body := w.Body.String()
			if tt.want != "" && body != tt.want || !strings.HasPrefix(body, `{"input_tokens":`) || tt.want == "" && len(body) < len(`{"input_tokens":10}`) {
				t.Errorf("answer %s", body)
			}
		})
	}
}

// Dragoman counts the prompt that the model would get.
func TestCountTokensOfTheRenderedPrompt(t *testing.T) {
	up := &counting{}
	countTokens(newServer(t, up), question)
	if up.prompt == nil || !strings.Contains(up.prompt.System[0].Text, "get_weather") {
		t.Errorf("counted: %+v", up.prompt)
	}
}

// Bedrock's CountTokens wraps the request of another operation.
func TestCountTokensOfBedrock(t *testing.T) {
	const path = "/model/claude-2.1/count-tokens"
	packed := func(body string) string {
		return `{"input":{"invokeModel":{"body":"` + base64.StdEncoding.EncodeToString([]byte(body)) + `"}}}`
	}
	for name, body := range map[string]string{
		"converse": `{"input":{"converse":` + converseQuestion + `}}`,
		"invoke":   packed(bedrockQuestion),
	} {
		up := &counting{}
		w := postTo(newServer(t, up), path, body)
		if got := read(t, w.Body); got != `{"inputTokens":123}` || w.Header.Get("X-Dragoman-Token-Count") != "upstream" {
			t.Errorf("%s: status %d, %s", name, w.StatusCode, got)
		} else if !strings.Contains(up.prompt.System[0].Text, "get_weather") {
			t.Errorf("%s: counted %+v", name, up.prompt)
		}
	}
	s := newServer(t, &counting{})
	for body, want := range map[string]string{
		`{}`:                        "input: Exactly one member should be set, but 0 are.",
		`{"input":{"converse":[]}}`: "input.converse: Input should be a valid dictionary",
		`{"input":{"converse":{"messages":[{"role":"x","content":[{"text":"Hi"}]}]}}}`: "input.converse.messages.0.role: ",
		`{"input":{"invokeModel":{"body":"%"}}}`:                                       "input.invokeModel.body: This should be base64.",
		packed(`{"messages":[]}`):                                                      "input.invokeModel.body.messages: ",
		packed(`x`):                                                                    "input.invokeModel.body: ",
		`{"input":{"converse":{},"invokeModel":{"body":""}}}`:                          "input: Exactly one member should be set, but 2 are.",
	} {
		if got := checkException(t, postTo(s, path, body), 400, "ValidationException"); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	w := postTo(s, path, `{"input":{"converse":`+strings.Replace(converseQuestion, `{"messages"`, `{"guardrailConfig":{"guardrailIdentifier":"g","guardrailVersion":"1"},"messages"`, 1)+`}}`)
	if got := w.Header.Get("X-Dragoman-Dropped"); got != "input.converse.guardrailConfig" {
		t.Errorf("dropped %q", got)
	}
}

// Fields that the model does not take are named as in the client's request.
func TestBedrockCountDropped(t *testing.T) {
	s := newServer(t, &counting{}, func(o *Options) {
		model := UpstreamModel{Upstream: "east", Features: upstream.Override{Without: upstream.Sampling | upstream.TopK}}
		o.Routes = []Route{{Name: "*", UpstreamModel: model}}
	})
	converse := strings.Replace(converseQuestion, `{"messages"`, `{"requestMetadata":{"a":"b"},"additionalModelRequestFields":{"top_k":7},`+
		`"inferenceConfig":{"temperature":0.5,"topP":0.5},"messages"`, 1)
	invoke := strings.Replace(bedrockQuestion, `"messages"`, `"speed":"fast","temperature":0.5,"top_k":7,"messages"`, 1)
	for body, want := range map[string]string{
		`{"input":{"converse":` + converse + `}}`: "input.converse.additionalModelRequestFields.top_k,input.converse.inferenceConfig.temperature," +
			"input.converse.inferenceConfig.topP,input.converse.requestMetadata",
		`{"input":{"invokeModel":{"body":"` + base64.StdEncoding.EncodeToString([]byte(invoke)) + `"}}}`: "input.invokeModel.body.speed," +
			"input.invokeModel.body.temperature,input.invokeModel.body.top_k",
	} {
		w := postTo(s, "/model/claude-2.1/count-tokens", body)
		if got := w.Header.Get("X-Dragoman-Dropped"); w.StatusCode != 200 || got != want {
			t.Errorf("%s: status %d, dropped %s", body, w.StatusCode, got)
		}
	}
}

func TestCountTokensRefuses(t *testing.T) {
	s := newServer(t, &counting{})
	checkError(t, countTokens(s, `{"model":"claude-2.1"}`).Result(), 400, "invalid_request_error")
	checkError(t, countTokens(s, strings.Replace(question, "claude-2.1", "gpt", 1)).Result(), 404, "not_found_error")
	// What a model with its own tools API refuses to count, it would also refuse to answer.
	s = newServer(t, &counting{err: noTools}, withTools(ToolsNative))
	checkError(t, countTokens(s, question).Result(), 400, "invalid_request_error")
}
