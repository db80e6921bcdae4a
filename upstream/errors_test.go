package upstream

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestExceptions has the rows for Amazon Bedrock in docs/reference/errors.md §7.
func TestExceptions(t *testing.T) {
	tests := []struct {
		name   string
		http   int // the HTTP status; a stream has none
		status int
		typ    string
	}{
		{"ValidationException", 400, 400, "invalid_request_error"},
		{"ConflictException", 400, 409, "conflict_error"},
		{"AccessDeniedException", 403, 502, "api_error"},
		{"UnrecognizedClientException", 403, 502, "api_error"},
		{"InvalidSignatureException", 403, 502, "api_error"},
		{"IncompleteSignatureException", 403, 502, "api_error"},
		{"ExpiredTokenException", 403, 502, "api_error"},
		{"ResourceNotFoundException", 404, 404, "not_found_error"},
		{"ThrottlingException", 429, 429, "rate_limit_error"},
		{"ServiceQuotaExceededException", 400, 429, "rate_limit_error"},
		{"ModelNotReadyException", 429, 529, "overloaded_error"},
		{"ModelTimeoutException", 408, 504, "timeout_error"},
		{"ModelErrorException", 424, 500, "api_error"},
		{"ModelStreamErrorException", 424, 500, "api_error"},
		{"InternalServerException", 500, 500, "api_error"},
		{"ServiceUnavailableException", 503, 529, "overloaded_error"},
	}
	for _, test := range tests {
		lower := strings.ToLower(test.name[:1]) + test.name[1:]
		for _, spelled := range []string{test.name, lower, "com.amazon.bedrock#" + test.name, test.name + ":http://internal/"} {
			for _, status := range []int{test.http, 0} {
				e := exceptionError(spelled, "why", status)
				if e.Status != test.status || e.Type != test.typ {
					t.Errorf("%s, %d: %v", spelled, status, e)
				}
				if refused := test.http == 403; refused == strings.Contains(e.Message, "why") {
					t.Errorf("%s: message %q", spelled, e.Message)
				}
				if !strings.Contains(e.Error(), "why") {
					t.Errorf("%s: the log does not say why: %v", spelled, e)
				}
			}
		}
	}
	for status, want := range map[int]int{400: 400, 403: 502, 429: 429, 503: 529, 0: 502, 418: 502} {
		if e := exceptionError("NewException", "", status); e.Status != want || !strings.Contains(e.Error(), "NewException") && want != 502 {
			t.Errorf("unknown exception with status %d: %v", status, e)
		}
	}
}

// TestAPIErrors has the statuses and types in docs/reference/errors.md §2, in place of an answer and in a
// stream.
func TestAPIErrors(t *testing.T) {
	tests := []struct {
		http   int
		typ    string
		status int // the same in both cases
		want   string
	}{
		{400, "invalid_request_error", 400, "invalid_request_error"},
		{401, "authentication_error", 502, "api_error"},
		{402, "billing_error", 402, "billing_error"},
		{403, "permission_error", 502, "api_error"},
		{404, "not_found_error", 404, "not_found_error"},
		{409, "conflict_error", 409, "conflict_error"},
		{413, "request_too_large", 413, "request_too_large"},
		{429, "rate_limit_error", 429, "rate_limit_error"},
		{500, "api_error", 500, "api_error"},
		{504, "timeout_error", 504, "timeout_error"},
		{529, "overloaded_error", 529, "overloaded_error"},
		{500, "brand_new_error", 500, "brand_new_error"},
	}
	for _, test := range tests {
		for _, status := range []int{test.http, 200, 0} {
			e := apiError(test.typ, "why", status)
			if e.Status != test.status || e.Type != test.want || !strings.Contains(e.Error(), "why") {
				t.Errorf("%s, %d: %v", test.typ, status, e)
			}
		}
	}
	if e := apiError("api_error", "why", 503); e.Status != 503 || e.Type != "api_error" {
		t.Errorf("the status that came with a type is not kept: %v", e)
	}
	if e := apiError("odd_error", "why", 401); e.Status != 502 || strings.Contains(e.Message, "why") {
		t.Errorf("a 401 of an unknown type: %v", e)
	}
}

// An error with blank text and code still has a message that is a whole sentence.
func TestBlankErrors(t *testing.T) {
	for name, e := range map[string]*Error{
		"an AWS error":               exceptionError("", " ", 0),
		"a refusal of AWS":           exceptionError("", "", 400),
		"an error of the Messages":   apiError("", "", 0),
		"a refusal of the Messages":  readMessagesError(400, "application/json", []byte(`{"message":" "}`)),
		"an error of a chat":         chatError([]byte(`{"error":{}}`), 200),
		"a refusal of a chat":        readChatError(500, "application/json", []byte(`{"error":{"message":"\n"}}`)),
		"a blank refusal of a chat":  readChatError(429, "text/plain", []byte(" ")),
		"an error of Google's front": googleError([]byte(`{"error":{"code":500,"message":" ","status":"INTERNAL"}}`)),
	} {
		if m := e.Message; m != strings.TrimSpace(m) || !strings.HasPrefix(m, "the upstream ") || strings.HasSuffix(m, "with") || strings.HasSuffix(m, ":") {
			t.Errorf("%s: message %q", name, m)
		}
	}
}

func TestHTTPFailures(t *testing.T) {
	tests := []struct {
		http   int
		kind   string
		body   string
		status int
		typ    string
		says   string
	}{
		{400, "text/plain", "bad apple", 400, "invalid_request_error", "bad apple"},
		{400, "application/json", `{"message":"bad apple"}`, 400, "invalid_request_error", "bad apple"},
		{422, "application/json", `{"error":{"message":"bad apple","code":3}}`, 400, "invalid_request_error", "bad apple"},
		{401, "text/html", "<html>", 502, "api_error", "credentials"},
		{403, "", "", 502, "api_error", "credentials"},
		{404, "text/html", "<html>", 404, "not_found_error", "404"},
		{408, "", "", 504, "timeout_error", "408"},
		{409, "", "", 409, "conflict_error", "409"},
		{413, "", "", 413, "request_too_large", "413"},
		{429, "", "", 429, "rate_limit_error", "429"},
		{500, "", "", 500, "api_error", "500"},
		{502, "text/html", "<html>", 502, "api_error", "502"},
		{503, "text/plain", "no healthy upstream", 529, "overloaded_error", "no healthy upstream"},
		{504, "", "", 504, "timeout_error", "504"},
		{529, "", "", 529, "overloaded_error", "529"},
		{405, "", "", 502, "api_error", "405"},
		{301, "", "", 502, "api_error", "redirect"},
		{200, "text/html", "<html>", 502, "api_error", "event stream"},
		{200, "application/json", `{"type":"error","error":{"type":"overloaded_error","message":"full"}}`, 529, "overloaded_error", "full"},
		{400, "text/plain", strings.Repeat("é", 1000), 400, "invalid_request_error", "é…"},
	}
	for _, test := range tests {
		e := readMessagesError(test.http, test.kind, []byte(test.body))
		if e.Status != test.status || e.Type != test.typ || !strings.Contains(e.Message, test.says) || strings.Contains(e.Message, "<html>") {
			t.Errorf("%d %q %.40q: %v", test.http, test.kind, test.body, e)
		}
		if len(e.Message) > 2*maxErrorText {
			t.Errorf("message of %d bytes", len(e.Message))
		}
	}
}

func TestTransportErrors(t *testing.T) {
	tests := []struct {
		err    error
		status int
		typ    string
	}{
		{&net.OpError{Op: "dial", Err: errors.New("connection refused")}, 502, "api_error"},
		{&net.DNSError{Err: "no such host", Name: "upstream.invalid"}, 502, "api_error"},
		{&net.DNSError{Err: "slow", IsTimeout: true}, 504, "timeout_error"},
		{context.DeadlineExceeded, 504, "timeout_error"},
		{io.ErrUnexpectedEOF, 502, "api_error"},
		{gatewayError("known", nil), 502, "api_error"},
	}
	for _, test := range tests {
		e := transportError(test.err)
		if e.Status != test.status || e.Type != test.typ || e != test.err && !errors.Is(e, test.err) {
			t.Errorf("%v: %v", test.err, e)
		}
		if e.Unreachable != (e != test.err) {
			t.Errorf("%v: unreachable: %v", test.err, e.Unreachable)
		}
		if strings.Contains(e.Message, "upstream.invalid") {
			t.Errorf("message for the client: %q", e.Message)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name, value string
		want        time.Duration
	}{
		{"retry-after", "7", 7 * time.Second},
		{"retry-after", " 1.5 ", 1500 * time.Millisecond},
		{"retry-after-ms", "250", 250 * time.Millisecond},
		{"retry-after", "Fri, 20 Nov 2026 12:01:00 GMT", time.Minute},
		{"retry-after", "Fri, 20 Nov 2026 11:00:00 GMT", 0},
		{"retry-after", "-1", 0},
		{"retry-after", "NaN", 0},
		{"retry-after", "1e300", 0},
		{"retry-after", "soon", 0},
		{"x-other", "7", 0},
	}
	for _, test := range tests {
		h := http.Header{}
		h.Set(test.name, test.value)
		if got := retryAfter(h, now); got != test.want {
			t.Errorf("%s: %q: %v", test.name, test.value, got)
		}
	}
}

// TestProvokedRefusals are messages that may quote a client's words.
func TestProvokedRefusals(t *testing.T) {
	for _, message := range []string{
		"messages.0.tools: Extra inputs are not permitted",
		"Malformed input request: #/messages/0/content/0/source: extraneous key [temperature] is not permitted, please reformat your input and try again.",
		"Malformed input request: #/messages/0: extraneous key [tools] is not permitted, please reformat your input and try again.",
		"messages.0.content.0: Input tag 'This model doesn't support tool use.' found using 'type' does not match any of the expected tags",
		"messages.1.content: system role not supported",
		"This model doesn't support the image format that you provided.",
	} {
		if e := invalidRequest.error(message); e.Refuses != 0 {
			t.Errorf("%s: refuses %v", message, e.Refuses)
		}
	}
	for message, want := range map[string]Features{
		"This model doesn’t support tool use.":                                                 Tools,
		"This model doesn't support tool use in streaming mode.":                               Tools,
		"tools: Extra inputs are not permitted":                                                Tools,
		"The model returned the following errors: `temperature` is deprecated for this model.": Sampling,
		"Malformed input request: #: extraneous key [top_k] is not permitted, please reformat": TopK,
	} {
		if e := invalidRequest.error(message); e.Refuses != want {
			t.Errorf("%s: refuses %v, want %v", message, e.Refuses, want)
		}
	}
}
