package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"dragoman/translate"
	"dragoman/upstream"
)

// TestAWSMessage: a message may be invalid UTF-8, because it may quote the client.
func TestAWSMessage(t *testing.T) {
	if got := string(awsMessage("slow \"down\"\n\xff")); got != `{"message":"slow \"down\"\n`+"\ufffd"+`"}` {
		t.Errorf("%q", got)
	}
}

func TestInvokeBadBodies(t *testing.T) {
	tests := []struct{ name, body, message string }{
		{"empty", "", "The request body is empty"},
		{"no JSON", "{", "The request body is not valid JSON"},
		{"no object", "[]", ""},
		{"a name twice", `{"a":{"b":1,"b":2}}`, "a.b: "},
		{"no messages", `{"max_tokens":5}`, "messages: "},
		{"a block", `{"max_tokens":5,"messages":[{"role":"user","content":[{"type":"text","text":7}]}]}`, "messages.0.content.0.text: "},
		{"text completions", `{"prompt":"\n\nHuman: Hi\n\nAssistant:","max_tokens_to_sample":300}`, "max_tokens_to_sample: This is the Claude text completions body."},
		{"Llama", `{"prompt":"Hi","max_gen_len":300}`, "max_gen_len: This is the Llama body."},
		{"Titan", `{"inputText":"Hi"}`, "inputText: This is the Titan body."},
		{"Nova", `{"messages":[{"role":"user","content":[{"text":"Hi"}]}],"inferenceConfig":{"maxTokens":5}}`, "inferenceConfig: This is the Nova body."},
		{"Mistral", `{"prompt":"the \"messages\"","max_tokens":5}`, "prompt: This is the text completions body."},
	}
	s := newServer(t, completing(endOfTurn, "hi"))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{invokePath, streamPath} {
				if got := checkException(t, postTo(s, path, tt.body), 400, "ValidationException"); !strings.HasPrefix(got, tt.message) {
					t.Errorf("message %q", got)
				}
			}
		})
	}
	escaped := strings.Replace(bedrockQuestion, `{"`, `{"prompt":1,"`, 1)
	escaped = strings.Replace(escaped, `"messages"`, `"\u006dessages"`, 1)
	if w := postTo(s, invokePath, escaped); w.StatusCode != 200 {
		t.Errorf("a body with messages: status %d", w.StatusCode)
	}
	small := newServer(t, completing(endOfTurn, "hi"), func(o *Options) { o.BodyBytes = 10 })
	checkException(t, postTo(small, invokePath, bedrockQuestion), 400, "ValidationException")
	checkException(t, postTo(s, "/model/gpt/invoke", bedrockQuestion), 404, "ResourceNotFoundException")
}

// failed returns an upstream's error.
func failed(status int, typ string) *upstream.Error {
	return &upstream.Error{Status: status, Type: typ, Message: "of " + typ, RetryAfter: 1500 * time.Millisecond}
}

// forGood returns an error that no retry can fix.
func forGood(status int, typ string) *upstream.Error {
	e := failed(status, typ)
	e.Final = true
	return e
}

func TestInvokeFailures(t *testing.T) {
	tests := []struct {
		err    error
		status int
		name   string
		typ    string
	}{
		{failed(400, "invalid_request_error"), 400, "ValidationException", "invalid_request_error"},
		{failed(401, "authentication_error"), 403, "UnrecognizedClientException", "authentication_error"},
		{failed(402, "billing_error"), 403, "AccessDeniedException", "billing_error"},
		{failed(403, "permission_error"), 403, "AccessDeniedException", "permission_error"},
		{failed(404, "not_found_error"), 404, "ResourceNotFoundException", "not_found_error"},
		{failed(409, "conflict_error"), 400, "ConflictException", "conflict_error"},
		{failed(413, "request_too_large"), 400, "ValidationException", "request_too_large"},
		{failed(422, "odd_error"), 400, "ValidationException", "odd_error"},
		{failed(429, "rate_limit_error"), 429, "ThrottlingException", "rate_limit_error"},
		{failed(500, "api_error"), 500, "InternalServerException", "api_error"},
		{failed(502, "api_error"), 500, "InternalServerException", "api_error"},
		{failed(504, "timeout_error"), 408, "ModelTimeoutException", "timeout_error"},
		{failed(529, "overloaded_error"), 503, "ServiceUnavailableException", "overloaded_error"},
		{failed(599, "odd_error"), 500, "InternalServerException", "odd_error"},
		{errors.New("a secret"), 500, "InternalServerException", "api_error"},
		{forGood(429, "rate_limit_error"), 424, "ModelErrorException", "rate_limit_error"},
		{forGood(502, "api_error"), 424, "ModelErrorException", "api_error"},
		{forGood(504, "timeout_error"), 408, "ModelTimeoutException", "timeout_error"},
		{forGood(529, "overloaded_error"), 424, "ModelErrorException", "overloaded_error"},
		{forGood(599, "odd_error"), 424, "ModelErrorException", "odd_error"},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.typ, func(t *testing.T) {
			within := strings.ToLower(tt.name[:1]) + tt.name[1:]
			if tt.status == 424 {
				within = "modelStreamErrorException"
			}
			message, retryAfter := "internal error", ""
			var up *upstream.Error
			if errors.As(tt.err, &up) {
				message, retryAfter = up.Message, "2"
			}
			first := newServer(t, failing(tt.err))
			midway := newServer(t, failing(tt.err, translate.Chunk{}, translate.Chunk{Text: "It is "}))
			for _, w := range []*http.Response{
				postTo(first, invokePath, bedrockQuestion), postTo(first, streamPath, bedrockQuestion), postTo(midway, invokePath, bedrockQuestion),
			} {
				if got := checkException(t, w, tt.status, tt.name); got != message || w.Header.Get("Retry-After") != retryAfter {
					t.Errorf("message %q, Retry-After %q", got, w.Header.Get("Retry-After"))
				}
			}
			for _, client := range [][]string{
				{"User-Agent", "AnthropicBedrock/JS 1.1.2"}, {"User-Agent", "AsyncAnthropicBedrock/Python 0.121.0"}, {"User-Agent", "Anthropic/Go 2.12.0"},
				{"User-Agent", "mine", "X-Stainless-Lang", "python"}, {"User-Agent", "ai-sdk/amazon-bedrock/4.0.186 runtime/node.js/v20.20.2"},
				{"User-Agent", "ai-sdk-amazon-bedrock/5.0.101 node.js/v20.20.2"},
			} {
				w := postTo(midway, streamPath, bedrockQuestion, client...)
				last := lastFrame(t, w)
				var e apiError
				if err := json.Unmarshal([]byte(last.data), &e); err != nil || e.Type != "error" || e.Error.Type != tt.typ || e.Error.Message != message || e.ID != w.Header.Get("request-id") {
					t.Errorf("%s: %+v, %v", client, last, err)
				}
			}
			for _, agent := range []string{"", "aws-sdk-go-v2/1.47.6 app/Anthropic", "Boto3/1.43.67 md/Botocore#1.43.67", "curl/8"} {
				want := frame{within, `{"message":"` + message + `"}`}
				if last := lastFrame(t, postTo(midway, streamPath, bedrockQuestion, "User-Agent", agent)); last != want {
					t.Errorf("%s: %+v", agent, last)
				}
			}
		})
	}
}

// lastFrame returns the frame that ended a failed stream.
func lastFrame(t *testing.T, w *http.Response) frame {
	t.Helper()
	frames := readChunks(t, w.Body)
	if len(frames) == 0 {
		t.Fatalf("status %d, no frames", w.StatusCode)
	}
	if got, want := names(frames[:len(frames)-1]), "message_start ping content_block_start content_block_delta"; got != want || w.StatusCode != 200 {
		t.Errorf("status %d, events %s", w.StatusCode, got)
	}
	return frames[len(frames)-1]
}

// However much of an answer arrived before it broke off, the answer never looks finished.
func TestTruncatedInvocation(t *testing.T) {
	text := strings.Join(weather, "")
	for n := range len(text) {
		s := newServer(t, upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
			_ = yield(translate.Chunk{}, nil) && yield(translate.Chunk{Text: text[:n]}, nil)
		}))
		events := names(readChunks(t, postTo(s, streamPath, bedrockQuestion).Body))
		if !strings.HasSuffix(events, " internalServerException") || strings.Contains(events, "message_stop") {
			t.Fatalf("cut after %q: %s", text[:n], events)
		}
	}
}
