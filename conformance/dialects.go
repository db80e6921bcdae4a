package conformance

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Dialect is a client API: how it differs from the Messages API.
type Dialect struct {
	// events maps the types of a stream's events to letters; grammar is the order of these letters.
	events  map[string]string
	grammar *regexp.Regexp
	// textArguments: the input of a call is a text, which is open JSON if the call was cut.
	textArguments bool
	// tells checks how the API reports a failure; want is the report of the Messages API.
	tells func(t *testing.T, f *Failure, want told)
}

// told is a failure in the terms of the Messages API.
type told struct {
	status int    // 200 for a failure in a stream
	kind   string // the type of the error
	final  bool   // a retry does not help; the AWS SDKs must recognize that by the exception
}

// Messages is the Messages API.
var Messages = Dialect{
	events: map[string]string{
		"message_start": "(", "content_block_start": "[", "content_block_delta": ".", "content_block_stop": "]",
		"message_delta": ";", "message_stop": ")",
		"ping": "", // may come anywhere, and libraries may hide it
	},
	// message_start, blocks one after another, message_delta at least once, message_stop.
	grammar: regexp.MustCompile(`^\((\[\.*\])*;+\)$`),
	tells:   tellsMessages,
}

// Vertex is the API of Vertex AI. Google's front end reports some failures in its own words.
var Vertex = like(Messages, tellsVertex)

// Bedrock is the InvokeModel API of Bedrock with Anthropic's library. Failures in a stream look like those of
// the Messages API.
var Bedrock = like(Messages, tellsBedrock)

// Invoke is the InvokeModel API with an AWS SDK.
var Invoke = like(Messages, tellsAWS)

// Converse is the Converse API of Bedrock with an AWS SDK. A text block has no start event.
var Converse = Dialect{
	events: map[string]string{
		"messageStart": "(", "contentBlockStart": "[", "contentBlockDelta": ".", "contentBlockStop": "]",
		"messageStop": ")", "metadata": ";",
	},
	grammar: regexp.MustCompile(`^\((\[?\.*\])*\);$`),
	tells:   tellsAWS,
}

// Chat is Chat Completions. Its streams have chunks instead of events.
var Chat = Dialect{tells: tellsChat, textArguments: true}

// like returns a dialect with the streams of another dialect.
func like(d Dialect, tells func(*testing.T, *Failure, told)) Dialect {
	d.tells = tells
	return d
}

// tellsMessages checks the status, and the type and a message in the body.
func tellsMessages(t *testing.T, f *Failure, want told) {
	t.Helper()
	var body struct {
		Type  string
		Error struct{ Type, Message string }
	}
	decode(t, f, &body)
	// Some libraries report no status for a failure in a stream.
	rightStatus := f.Status == want.status || want.status == http.StatusOK && f.Status == 0
	if !rightStatus || body.Type != "error" || body.Error.Type != want.kind || body.Error.Message == "" {
		t.Errorf("failure is %d %s, want %d %s", f.Status, f.Body, want.status, want.kind)
	}
}

// chatErrors maps the error types of the Messages API to types and codes of OpenAI's API. As for exceptions, a test of
// the proxy's own list needs a second one.
var chatErrors = map[string][2]string{
	"invalid_request_error": {"invalid_request_error", ""},
	"request_too_large":     {"invalid_request_error", "request_too_large"},
	"conflict_error":        {"invalid_request_error", ""},
	"authentication_error":  {"invalid_request_error", "invalid_api_key"},
	"billing_error":         {"insufficient_quota", "insufficient_quota"},
	"not_found_error":       {"invalid_request_error", ""},
	"timeout_error":         {"server_error", "timeout"},
	"rate_limit_error":      {"rate_limit_error", "rate_limit_exceeded"},
	"api_error":             {"server_error", ""},
	"overloaded_error":      {"server_error", "overloaded"},
}

// tellsChat checks the status, and the type and the code in the body, of which some libraries keep only the error. A
// code that is not in the list says more than the type.
func tellsChat(t *testing.T, f *Failure, want told) {
	t.Helper()
	type description struct{ Type, Message, Code string }
	var body struct {
		description
		Error description
	}
	decode(t, f, &body)
	e := cmp.Or(body.Error, body.description)
	status := want.status
	if status == 529 {
		status = http.StatusServiceUnavailable
	}
	rightStatus := f.Status == status || want.status == http.StatusOK && f.Status == 0
	expected := chatErrors[want.kind]
	if !rightStatus || e.Type != expected[0] || expected[1] != "" && e.Code != expected[1] || e.Message == "" {
		t.Errorf("failure is %d %s, want %d %v", f.Status, f.Body, status, expected)
	}
}

// tellsVertex checks Google's status word for a wrong key and for an unknown model. For other failures it is
// tellsMessages.
func tellsVertex(t *testing.T, f *Failure, want told) {
	t.Helper()
	name, google := map[int]string{http.StatusUnauthorized: "UNAUTHENTICATED", http.StatusNotFound: "NOT_FOUND"}[want.status]
	if !google {
		tellsMessages(t, f, want)
		return
	}
	var body struct {
		Error struct {
			Code            int
			Message, Status string
		}
	}
	decode(t, f, &body)
	if f.Status != want.status || body.Error.Code != want.status || body.Error.Status != name || body.Error.Message == "" {
		t.Errorf("failure is %d %s, want %d %s", f.Status, f.Body, want.status, name)
	}
}

// exception is Bedrock's name for a failure, with its status.
type exception struct {
	name   string
	status int
}

// exceptions maps the error types of the Messages API to Bedrock's exceptions, with their statuses. They are
// written here a second time on purpose: otherwise no test would find a mistake in the proxy's own list.
var exceptions = map[string]exception{
	"invalid_request_error": {"ValidationException", http.StatusBadRequest},
	"request_too_large":     {"ValidationException", http.StatusBadRequest},
	"conflict_error":        {"ConflictException", http.StatusBadRequest},
	"authentication_error":  {"UnrecognizedClientException", http.StatusForbidden},
	"billing_error":         {"AccessDeniedException", http.StatusForbidden},
	"not_found_error":       {"ResourceNotFoundException", http.StatusNotFound},
	"timeout_error":         {"ModelTimeoutException", http.StatusRequestTimeout},
	"rate_limit_error":      {"ThrottlingException", http.StatusTooManyRequests},
	"api_error":             {"InternalServerException", http.StatusInternalServerError},
	"overloaded_error":      {"ServiceUnavailableException", http.StatusServiceUnavailable},
}

// exception returns the exception for a failure.
func (w told) exception() exception {
	if w.final {
		return exception{"ModelErrorException", http.StatusFailedDependency}
	}
	return exceptions[w.kind]
}

// tellsBedrock checks the status of the exception before an answer. For a failure in a stream it is
// tellsMessages, because Anthropic's library drops the name of the exception.
func tellsBedrock(t *testing.T, f *Failure, want told) {
	t.Helper()
	if want.status == http.StatusOK {
		tellsMessages(t, f, want)
		return
	}
	var body struct{ Message string }
	decode(t, f, &body)
	if e := want.exception(); f.Status != e.status || body.Message == "" {
		t.Errorf("failure is %d %s, want %d", f.Status, f.Body, e.status)
	}
}

// tellsAWS also checks the exception's name. In a stream there is no status, and the name begins in lower
// case.
func tellsAWS(t *testing.T, f *Failure, want told) {
	t.Helper()
	var body struct {
		Name    string `json:"__type"`
		Message string
	}
	decode(t, f, &body)
	e := want.exception()
	rightStatus := f.Status == e.status || want.status == http.StatusOK
	if !rightStatus || !strings.EqualFold(body.Name, e.name) || body.Message == "" {
		t.Errorf("failure is %d %s, want %d %s", f.Status, f.Body, e.status, e.name)
	}
}

// decode reads the body of a failure.
func decode(t *testing.T, f *Failure, body any) {
	t.Helper()
	if err := json.Unmarshal(f.Body, body); err != nil {
		t.Fatalf("body is not JSON: %s", f.Body)
	}
}
