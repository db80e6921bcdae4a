package upstream

import (
	"strings"
	"testing"
)

// TestErrorReasons reads errors of many kinds of servers. Their text reaches the client, whatever the
// server's API is.
func TestErrorReasons(t *testing.T) {
	const json = "application/json"
	for _, tt := range []struct{ kind, body, says string }{
		{json, `{"detail":"Too hot"}`, "Too hot"},
		{json, `{"detail":[{"type":"missing","loc":["body","messages",0],"msg":"Field required"},{"loc":["body"],"msg":"Bad"}]}`,
			"body.messages.0: Field required; body: Bad"},
		{json, `{"detail":{"error":"Too hot"}}`, "Too hot"},
		{json, `{"errors":["Too hot","Too cold"]}`, "Too hot; Too cold"},
		{json, `{"errors":[{"message":"Too hot"}]}`, "Too hot"},
		{json, `{"errors":{"max_tokens":["is too large"],"model":"is old"}}`, "max_tokens: is too large; model: is old"},
		{json, `{"message":"Invalid","errors":[{"msg":"Too hot"}]}`, "Invalid: Too hot"},
		{json, `{"error":"Too hot"}`, "Too hot"},
		{json, `{"error":true,"message":"Too hot"}`, "Too hot"},
		{json, `{"error":"Bad Request","message":"Too hot","statusCode":422}`, "Too hot"},
		{json, `{"error":{"msg":"Too hot"}}`, "Too hot"},
		{json, `{"error":{"detail":"Too hot","code":7}}`, "Too hot"},
		{json, `{"error":{"message":{"text":1,"detail":"Too hot"}}}`, "Too hot"},
		{json, `{"error":["Too hot"]}`, "Too hot"},
		{json, `{"error_type":"validation","error_message":"Too hot"}`, "Too hot"},
		{json, `{"error_code":336003,"error_msg":"Too hot"}`, "Too hot"},
		{json, `{"code":"InvalidParameter","message":"Too hot"}`, "Too hot"},
		{json, `{"title":"Bad","detail":"Too hot","status":422}`, "Too hot"},
		{json, `"Too hot"`, "Too hot"},
		{json, `{"error":{"message":"Provider returned error","code":422,"metadata":{"raw":"{\"error\":{\"message\":\"Too hot\"}}","provider_name":"Cosy"}}}`,
			"Too hot (Provider returned error, Cosy)"},
		{json, `{"error":{"message":"Provider returned error","code":422,"metadata":{"raw":"Too hot","provider_name":"Cosy"}}}`,
			"Too hot (Provider returned error, Cosy)"},
		{json, `{"error":{"message":"Provider returned error","code":422,"metadata":{"raw":{"detail":"Too hot"}}}}`, "Too hot (Provider returned error)"},
		{json, `Too hot`, "Too hot"},
		{"", "Too hot\n", "Too hot"},
		{"text/plain", "Too hot", "Too hot"},
		{"text/html", "<html><head><TITLE>\n Too hot &amp; dry\n</title></head><body>Go away</body>", "Too hot & dry"},
		{"text/plain", "<!doctype html><title>Too hot</title>", "Too hot"},
		{json, `{"error":{"message":"Too hot"}`, "422"}, // cut
		{"text/html", "<html><title>Too", "422"},
		{"text/html", "<html><title>İstanbul", "422"},
		{"application/octet-stream", "Too hot", "422"},
		{"text/plain", "\xff", "422"},
	} {
		for name, read := range map[string]errorReader{"chat": readChatError, "messages": readMessagesError} {
			e := read(422, tt.kind, []byte(tt.body))
			if e.Status != 400 || !strings.HasSuffix(e.Message, tt.says) || strings.Contains(e.Message, "Go away") {
				t.Errorf("%s: %s: %v", name, tt.body, e)
			}
		}
	}
}

// TestErrorReasonsInStreams reads errors that servers send after status 200.
func TestErrorReasonsInStreams(t *testing.T) {
	for _, tt := range []struct{ event, says string }{
		{`{"error_type":"overloaded_error","error_message":"Too hot"}`, "529 overloaded_error: Too hot"},
		{`{"error":"Too hot","error_type":"overloaded_error"}`, "529 overloaded_error: Too hot"},
		{`{"detail":"Too hot"}`, "500 api_error: Too hot"},
		{`{"detail":[{"loc":["body"],"msg":"Too hot"}]}`, "500 api_error: body: Too hot"},
		{`{"errors":["Too hot"]}`, "500 api_error: Too hot"},
		{`{"error":{"msg":"Too hot","code":429}}`, "429 rate_limit_error: Too hot"},
		{`{"error":{"message":"Provider returned error","code":503,"metadata":{"raw":"Too hot","provider_name":"Cosy"}}}`, "529 overloaded_error: Too hot (Provider returned error, Cosy)"},
		{`{"code":400,"message":"Too hot"}`, "400 invalid_request_error: Too hot"},
		{`{"type":"error","error":"Too hot"}`, "500 api_error: Too hot"},
		{`{"type":"error","error":{"message":"Too hot","code":429}}`, "429 rate_limit_error: Too hot"},
		{`{"type":"error","error":{"type":"overloaded_error","detail":"Too hot"}}`, "529 overloaded_error: Too hot"},
		{`{"type":"error","error":{"message":"Too hot","of":"` + strings.Repeat("x", maxErrorBody) + `"}}`, "500 api_error: Too hot"},
	} {
		chat, native := new(chatDecoder), new(nativeDecoder)
		_, fromChat := chat.decode([]byte(tt.event))
		_, fromNative := native.decode([]byte(tt.event))
		for name, err := range map[string]error{"chat": fromChat, "native": fromNative} {
			if err == nil || !strings.HasPrefix(err.Error(), tt.says) {
				t.Errorf("%s: %s: %v, want %s", name, tt.event, err, tt.says)
			}
		}
	}
	for _, event := range []string{
		`{"usage":{"prompt_tokens":1}}`, `{"error":null,"usage":{}}`, `{"error":false}`, `{"message":"warming up"}`, `{"detail":null}`, `{"detail":""}`,
		`{"choices":[{"delta":{"content":"a"}}],"detail":"x","code":"y","message":"z"}`,
	} {
		if _, err := new(chatDecoder).decode([]byte(event)); err != nil {
			t.Errorf("%s: %v", event, err)
		}
	}
}

// TestMasked checks that no key, and no URL with a key, reaches the client.
func TestMasked(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"Incorrect API key provided: sk-proj-abc123DEF.", "Incorrect API key provided: ***."},
		{"key sk-ant-api03-Ab_9 is over its limit", "key *** is over its limit"},
		{"Authorization: Bearer abcdef0123456789", "Authorization: Bearer ***"},
		{`{"api_key": "abcdef0123"}`, `{"api_key": "***"}`},
		{"POST https://host.test/v1/x?key=abc&alt=sse failed", "POST https://host.test/v1/x?*** failed"},
		{"at https://me:word@host.test/v1", "at https://***@host.test/v1"},
		{"AIzaSyA0123456789012345678901234567890 and AKIAIOSFODNN7EXAMPLE", "*** and ***"},
		{"provider_key:gsk_0123456789, (sk-0123456789)", "provider_key:***, (***)"},
		{"postgres://me:pass:wo=rd@db.test:5432/x failed", "postgres://***@db.test:5432/x failed"},
		{"dial me:word@host.test: refused", "dial ***@host.test: refused"},
		{"mail me@host.test at 12:30", "mail me@host.test at 12:30"},
		{"Authorization: Basic bWU6d29yZA==", "Authorization: Basic ***=="},
		{"Authorization: Basic secretword", "Authorization: Basic ***"},
		{"Basic authentication required, use Bearer tokens", "Basic authentication required, use Bearer tokens"},
		{"aws_secret_access_key=wJalr/XUtn+FEMI/K7MDENG=bPx", "aws_secret_access_key=***"},
		{"token ya29.a0AfH6SMBx-y_z expired", "token *** expired"},
		{"password=word12&x api_key = {abc123}", "password=*** api_key = {***}"},
		{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def", "***"},
		{"a bearer instrument, a basic explanation", "a bearer instrument, a basic explanation"},
		{"max_tokens: 100000 > 8192, see https://host.test/docs", "max_tokens: 100000 > 8192, see https://host.test/docs"},
		{"task-completion-12: the risk-free key: temperature, stop token: 128009", "task-completion-12: the risk-free key: temperature, stop token: 128009"},
	} {
		if got := invalidRequest.error(tt.text).Message; got != tt.want {
			t.Errorf("%q became %q, want %q", tt.text, got, tt.want)
		}
	}
}
