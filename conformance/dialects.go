package conformance

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Dialect is an API that clients speak, as far as its words differ from those of the Messages API.
type Dialect struct {
	// events are the types of a stream's events, each one letter, and grammar is their order.
	events  map[string]string
	grammar *regexp.Regexp
	// tells checks how the API tells of a failure, given how the Messages API would.
	tells func(t *testing.T, f *Failure, want told)
}

// told is how the Messages API tells of a failure.
type told struct {
	status int    // 200 for a failure within a stream
	kind   string // the type of the error
	final  bool   // no retry mends it, which the AWS SDKs have to see by the exception
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

// Vertex is the API of Vertex AI. Failures that Google's front end would find are told in its words.
var Vertex = like(Messages, tellsVertex)

// Bedrock is the InvokeModel API of Bedrock with the library of Anthropic, which is told of a failure
// in a stream as by the Messages API.
var Bedrock = like(Messages, tellsBedrock)

// Invoke is the InvokeModel API with an AWS SDK.
var Invoke = like(Messages, tellsAWS)

// Converse is the Converse API of Bedrock with an AWS SDK. A block of text has no start.
var Converse = Dialect{
	events: map[string]string{
		"messageStart": "(", "contentBlockStart": "[", "contentBlockDelta": ".", "contentBlockStop": "]",
		"messageStop": ")", "metadata": ";",
	},
	grammar: regexp.MustCompile(`^\((\[?\.*\])*\);$`),
	tells:   tellsAWS,
}

// like is a dialect whose streams are those of another.
func like(d Dialect, tells func(*testing.T, *Failure, told)) Dialect {
	d.tells = tells
	return d
}

// tellsMessages wants the status, and the type and a message in the body.
func tellsMessages(t *testing.T, f *Failure, want told) {
	t.Helper()
	var body struct {
		Type  string
		Error struct{ Type, Message string }
	}
	decode(t, f, &body)
	// Some libraries give no status to a failure within a stream.
	rightStatus := f.Status == want.status || want.status == http.StatusOK && f.Status == 0
	if !rightStatus || body.Type != "error" || body.Error.Type != want.kind || body.Error.Message == "" {
		t.Errorf("failure is %d %s, want %d %s", f.Status, f.Body, want.status, want.kind)
	}
}

// tellsVertex wants Google's status word for a wrong key and for a model that is not there, and else
// what tellsMessages wants.
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

// exception is what Bedrock calls a failure, and its status.
type exception struct {
	name   string
	status int
}

// exceptions are those of Bedrock for the types of the Messages API, with their statuses. They are
// written here a second time on purpose: a slip in the proxy's own list would show in no test of its.
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

// exception returns that of a failure.
func (w told) exception() exception {
	if w.final {
		return exception{"ModelErrorException", http.StatusFailedDependency}
	}
	return exceptions[w.kind]
}

// tellsBedrock wants the status of the exception before an answer, and what tellsMessages wants within a
// stream: the library of Anthropic keeps no name of an exception.
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

// tellsAWS also wants the exception's name. In a stream there is no status, and the name begins small.
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
