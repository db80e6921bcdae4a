package proxy

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The path of an invocation, and its body without the fields that the path replaces.
const (
	invokePath = "/model/claude-2.1/invoke"
	streamPath = "/model/claude-2.1/invoke-with-response-stream"
)

// bedrockQuestion is the question in Bedrock's form.
var bedrockQuestion = `{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["x"],` + strings.TrimPrefix(question, `{"model":"claude-2.1",`)

// postTo has the server answer a request to a path, without a network.
func postTo(s *Server, path, body string, header ...string) *http.Response {
	w := httptest.NewRecorder()
	answerTo(s, w, newRequest("POST", path, body, header...))
	return w.Result()
}

// checkException checks an answer that is an exception, except for its message, which it returns.
func checkException(t *testing.T, w *http.Response, status int, name string) string {
	t.Helper()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	var e map[string]string
	if err := json.Unmarshal(body, &e); err != nil || len(e) != 1 || e["message"] == "" {
		t.Fatalf("%s: %v", body, err)
	}
	if got := w.Header.Get("x-amzn-errortype"); w.StatusCode != status || got != name {
		t.Errorf("status %d, %s, %s; want %d, %s", w.StatusCode, got, body, status, name)
	}
	if id := w.Header.Get("x-amzn-requestid"); !isRequestID(id) || id != w.Header.Get("request-id") {
		t.Errorf("x-amzn-requestid %q, request-id %q", id, w.Header.Get("request-id"))
	}
	if got := w.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q", got)
	}
	return e["message"]
}

func signed(credential string) string {
	return "AWS4-HMAC-SHA256 Credential=" + credential + ", SignedHeaders=host;x-amz-date, Signature=0123"
}

func TestBedrockAuthentication(t *testing.T) {
	const scope = "/20261120/us-east-1/bedrock/aws4_request"
	tests := []struct {
		name   string
		header []string
		taken  bool
	}{
		{"access key id", []string{"Authorization", signed("AKIDONE" + scope)}, true},
		{"without blanks", []string{"Authorization", "AWS4-HMAC-SHA256 SignedHeaders=host,Signature=0123,Credential=AKIDONE" + scope}, true},
		{"bearer", []string{"Authorization", "Bearer AKIDONE"}, true},
		{"x-api-key", []string{"x-api-key", "AKIDONE"}, true},
		{"x-api-key beside a signature", []string{"x-api-key", "AKIDONE", "Authorization", signed("other" + scope)}, true},
		{"none", nil, false},
		{"another access key id", []string{"Authorization", signed("AKIDTWO" + scope)}, false},
		{"no access key id", []string{"Authorization", signed(scope)}, false},
		{"another service", []string{"Authorization", signed("AKIDONE/20261120/us-east-1/s3/aws4_request")}, false},
		{"no scope", []string{"Authorization", signed("AKIDONE")}, false},
		{"a longer scope", []string{"Authorization", signed("AKIDONE" + scope + "/x")}, false},
		{"two of them", []string{"Authorization", "AWS4-HMAC-SHA256 Credential=x, Credential=AKIDONE" + scope}, false},
		{"another scheme", []string{"Authorization", "AWS4 Credential=AKIDONE" + scope}, false},
		{"in the query's place", []string{"X-Amz-Credential", "AKIDONE" + scope}, false},
	}
	s := newServer(t, completing(endOfTurn, "hi"), func(o *Options) { o.Keys = []Key{NewKey("AKIDONE")} })
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{invokePath, streamPath} {
				w := postTo(s, path, bedrockQuestion, tt.header...)
				if tt.taken && w.StatusCode != 200 {
					t.Errorf("%s: status %d", path, w.StatusCode)
				}
				if !tt.taken {
					if got := w.Header.Get("WWW-Authenticate"); got != "" {
						t.Errorf("WWW-Authenticate %q with a 403", got)
					}
					checkException(t, w, 403, "UnrecognizedClientException")
				}
			}
		})
	}
	if w := postTo(s, "/v1/messages", question, "Authorization", signed("AKIDONE"+scope)); w.StatusCode != 401 {
		t.Errorf("the Messages API takes a signature: status %d", w.StatusCode)
	}
}

func TestBedrockModels(t *testing.T) {
	const arn = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-v1:0"
	tests := []struct{ segment, model string }{
		{"anthropic.claude-v2:1", "anthropic.claude-v2:1"},
		{"anthropic.claude-v2%3A1", "anthropic.claude-v2:1"},
		{"arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.anthropic.claude-v1%3A0", arn},
		{"arn:aws:bedrock:us-east-1:123456789012:inference-profile%2fus.anthropic.claude-v1:0", arn},
		{"a%252Fb", "a%2Fb"}, // escaped once
		{"a%252Fb%2F", "a%2Fb/"},
		{"a%20b", "a b"},
		{"m%C3%B6d", "möd"},
		{"..", ".."},
		{"a%2F..%2Fb", "a/../b"},
		{"x%2Finvoke-with-response-stream", "x/invoke-with-response-stream"},
		{strings.Repeat("a", 2048), strings.Repeat("a", 2048)},
	}
	s := newServer(t, completing(endOfTurn, "hi"), func(o *Options) { o.Routes[0].Name = "*" })
	for _, tt := range tests {
		var m message
		w := postTo(s, "/model/"+tt.segment+"/invoke?x=y", bedrockQuestion)
		if err := json.NewDecoder(w.Body).Decode(&m); err != nil || w.StatusCode != 200 || m.Model != tt.model {
			t.Errorf("%.100s: status %d, model %.100q, %v", tt.segment, w.StatusCode, m.Model, err)
		}
	}
	for _, segment := range []string{"", "%FF", "a%2F%80", strings.Repeat("a", 2049), strings.Repeat("%2F", 2049)} {
		message := checkException(t, postTo(s, "/model/"+segment+"/invoke", bedrockQuestion), 400, "ValidationException")
		if message != "modelId: The provided model identifier is invalid." {
			t.Errorf("%.100s: %s", segment, message)
		}
	}
	// The id is one segment. No other path exists below /model.
	for _, path := range []string{"/model/a/b/invoke", "/model/a", "/model/", "/model/a/invoke/", "/model/a%2Finvoke", "/model/a/nope", "/guardrail/g/version/1/apply"} {
		checkException(t, postTo(s, path, bedrockQuestion), 404, "ResourceNotFoundException")
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, newRequest("GET", invokePath, ""))
	checkException(t, w.Result(), 404, "ResourceNotFoundException")
}
