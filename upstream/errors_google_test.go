package upstream

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
)

func TestGoogleErrors(t *testing.T) {
	google := func(code, status, message, details string) string {
		return `{"error":{"code":` + code + `,"message":"` + message + `","status":"` + status + `","details":[` + details + `]}}`
	}
	const info = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","metadata":{"retryDelay":"99s"}}`
	retry := func(delay string) string {
		return info + `,{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":` + delay + `}`
	}
	const ours = "the upstream refused the proxy's own credentials, not the key of this request"
	tests := []struct {
		status int
		body   string
		want   Error
	}{
		{400, google("400", "INVALID_ARGUMENT", "bad", ""), Error{Status: 400, Type: messages.ErrorInvalidRequest, Message: "bad"}},
		{400, google("400", "FAILED_PRECONDITION", "not here", info), Error{Status: 400, Type: messages.ErrorInvalidRequest, Message: "not here"}},
		{401, google("401", "UNAUTHENTICATED", "no token", ""), Error{Status: 502, Type: messages.ErrorAPI, Message: ours, Credentials: CredentialsRefused}},
		{403, google("403", "PERMISSION_DENIED", "Project p is not allowed to use Publisher Model m", ""), Error{Status: 502, Type: messages.ErrorAPI, Message: ours, Final: true, Credentials: CredentialsRefused}},
		{404, google("404", "NOT_FOUND", "none", ""), Error{Status: 404, Type: messages.ErrorNotFound, Message: "none"}},
		{429, google("429", "RESOURCE_EXHAUSTED", "quota", ""), Error{Status: 429, Type: messages.ErrorRateLimit, Message: "quota"}},
		{429, google("429", "RESOURCE_EXHAUSTED", "quota", retry(`"12s"`)), Error{Status: 429, Type: messages.ErrorRateLimit, Message: "quota", RetryAfter: 12 * time.Second}},
		{429, google("429", "RESOURCE_EXHAUSTED", "quota", retry(`"0.25s"`)), Error{Status: 429, Type: messages.ErrorRateLimit, Message: "quota", RetryAfter: 250 * time.Millisecond}},
		{429, google("429", "RESOURCE_EXHAUSTED", "quota", retry(`"-1s"`)), Error{Status: 429, Type: messages.ErrorRateLimit, Message: "quota"}},
		{429, google("429", "RESOURCE_EXHAUSTED", "quota", retry(`12`)), Error{Status: 429, Type: messages.ErrorRateLimit, Message: "quota"}},
		{499, google("499", "CANCELLED", "gone", ""), Error{Status: 502, Type: messages.ErrorAPI, Message: "gone"}},
		{500, google("500", "INTERNAL", "", ""), Error{Status: 500, Type: messages.ErrorAPI, Message: "the upstream failed with INTERNAL"}},
		{503, google("503", "UNAVAILABLE", "busy", ""), Error{Status: 529, Type: messages.ErrorOverloaded, Message: "busy"}},
		{504, google("504", "DEADLINE_EXCEEDED", "slow", ""), Error{Status: 504, Type: messages.ErrorTimeout, Message: "slow"}},
		{409, google("409", "ABORTED", "again", ""), Error{Status: 409, Type: messages.ErrorConflict, Message: "again"}},
		{503, "[" + google("503", "UNAVAILABLE", "busy", "") + "]", Error{Status: 529, Type: messages.ErrorOverloaded, Message: "busy"}},
		{200, "[" + google("503", "UNAVAILABLE", "busy", "") + "\n,\n{}]", Error{Status: 529, Type: messages.ErrorOverloaded, Message: "busy"}},
		{429, `{"type":"error","error":{"type":"rate_limit_error","message":"slowly"},"request_id":"req_vrtx_1"}`,
			Error{Status: 429, Type: messages.ErrorRateLimit, Message: "slowly", RequestID: "req_vrtx_1"}},
		{503, `[{"error":{"code":503}}]`, Error{Status: 529, Type: messages.ErrorOverloaded, Message: "the upstream answered with status 503"}},
		{503, `[]`, Error{Status: 529, Type: messages.ErrorOverloaded, Message: "the upstream answered with status 503"}},
	}
	for _, test := range tests {
		for name, read := range map[string]errorReader{"messages": readMessagesError, "chat": readChatError} {
			got := read(test.status, "application/json", []byte(test.body))
			if test.want.Message == ours && (got.Err == nil || !strings.Contains(got.Err.Error(), "UNAUTHENTICATED") && !strings.Contains(got.Err.Error(), "PERMISSION_DENIED")) {
				t.Errorf("%s: cause %v", test.body, got.Err)
			}
			want := test.want
			if name == "chat" {
				want.RequestID = "" // chat completions have no id in the body
			}
			got.Err = nil
			if *got != want {
				t.Errorf("%s: %s: got %+v\nwant %+v", name, test.body, *got, want)
			}
		}
	}
}

func TestGoogleErrorInAStream(t *testing.T) {
	const failure = `{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3s"}]}}`
	chat := new(chatDecoder)
	for name, decode := range map[string]func([]byte) (translate.Chunk, error){"messages": new(messagesDecoder).decode, "chat": chat.decode} {
		for _, data := range []string{failure, "[" + failure + "]"} {
			_, err := decode([]byte(data))
			var e *Error
			if !errors.As(err, &e) || e.Status != http.StatusTooManyRequests || e.Message != "quota" || e.RetryAfter != 3*time.Second {
				t.Errorf("%s: %s: %v", name, data, err)
			}
		}
	}
}
