package messages

import "github.com/go-json-experiment/json/jsontext"

// The values of error.type that the API documents, in a body or in an event of a stream
// (docs/reference/errors.md §2, where each has its HTTP status). Clients take types they
// do not know for the status alone.
const (
	ErrorInvalidRequest = "invalid_request_error" // 400
	ErrorAuthentication = "authentication_error"  // 401
	ErrorBilling        = "billing_error"         // 402
	ErrorPermission     = "permission_error"      // 403
	ErrorNotFound       = "not_found_error"       // 404: a path or a model
	ErrorConflict       = "conflict_error"        // 409
	ErrorTooLarge       = "request_too_large"     // 413
	ErrorRateLimit      = "rate_limit_error"      // 429
	ErrorAPI            = "api_error"             // 500, and 501 to 503
	ErrorTimeout        = "timeout_error"         // 504
	ErrorOverloaded     = "overloaded_error"      // 529
)

// InvalidRequestError says what is wrong with a request, where, and how to mend it. Its
// type is [ErrorInvalidRequest].
type InvalidRequestError struct {
	Path    string         // dotted, zero-based: "messages.3.content.0.text"; "" for the body as a whole
	Message string         // in the API's wording where the API refuses the same
	Details jsontext.Value // the error's "details", an object for programs (docs/reference/errors.md §1), or nil
	Fault   string         // what kind of mistake it is, one of [Faults]; "" for FaultValue
}

// The kinds of mistake in a request. They are for the log, where no word of the request may stand.
const (
	FaultJSON         = "invalid_json"         // the body is no JSON object, or has a name twice
	FaultUnknownField = "unknown_field"        // a name that the API does not have
	FaultMissingField = "missing_field"        // a field that the API requires
	FaultValue        = "invalid_value"        // a value of the wrong type, or that the API does not allow
	FaultSchema       = "invalid_schema"       // the schema of a tool or of the answer, or an example that does not fit it
	FaultConversation = "invalid_conversation" // messages, tool_use and tool_result that do not follow each other as they have to
	FaultUnsupported  = "unsupported"          // what the model cannot do, or the API's version does not have
	FaultLimit        = "limit_exceeded"       // more than Dragoman reads: too many blocks, members, levels and so on
)

// Faults are the kinds of mistake in a request.
var Faults = []string{FaultJSON, FaultUnknownField, FaultMissingField, FaultValue, FaultSchema, FaultConversation, FaultUnsupported, FaultLimit}

// Error returns the path and the message.
func (e *InvalidRequestError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}
