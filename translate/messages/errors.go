package messages

import "github.com/go-json-experiment/json/jsontext"

// The documented values of error.type, in a body or a stream event. docs/reference/errors.md §2 has
// the HTTP status of each. If a client does not know a type, it uses the status alone.
const (
	ErrorInvalidRequest = "invalid_request_error" // 400
	ErrorAuthentication = "authentication_error"  // 401
	ErrorBilling        = "billing_error"         // 402
	ErrorPermission     = "permission_error"      // 403
	ErrorNotFound       = "not_found_error"       // 404: unknown path or model
	ErrorConflict       = "conflict_error"        // 409
	ErrorTooLarge       = "request_too_large"     // 413
	ErrorRateLimit      = "rate_limit_error"      // 429
	ErrorAPI            = "api_error"             // 500, and 501 to 503
	ErrorTimeout        = "timeout_error"         // 504
	ErrorOverloaded     = "overloaded_error"      // 529
)

// InvalidRequestError says what is wrong with a request, where, and how to fix it. Its type is
// [ErrorInvalidRequest].
type InvalidRequestError struct {
	Path    string         // dotted, zero-based: "messages.3.content.0.text"; "" for the body as a whole
	Message string         // in the API's wording, if the API rejects the same
	Details jsontext.Value // the error's "details", an object for programs (docs/reference/errors.md §1), or nil
	Fault   string         // the kind of mistake, one of [Faults]; "" counts as FaultValue
}

// The kinds of mistakes in a request. The log has them, because it must not quote the request.
const (
	FaultJSON         = "invalid_json"         // the body is not a JSON object, or has a duplicate name
	FaultUnknownField = "unknown_field"        // a name that the API does not know
	FaultMissingField = "missing_field"        // a field that the API requires is missing
	FaultValue        = "invalid_value"        // a value has the wrong type, or the API does not allow it
	FaultSchema       = "invalid_schema"       // the schema of a tool or of the answer is invalid, or an example does not fit it
	FaultConversation = "invalid_conversation" // messages, tool_use or tool_result in the wrong order
	FaultUnsupported  = "unsupported"          // the model cannot do it, or the API version does not have it
	FaultLimit        = "limit_exceeded"       // above one of Dragoman's limits: too many blocks, members, levels and so on
)

// Faults are all kinds of mistakes in a request.
var Faults = []string{FaultJSON, FaultUnknownField, FaultMissingField, FaultValue, FaultSchema, FaultConversation, FaultUnsupported, FaultLimit}

// Error returns the path and the message.
func (e *InvalidRequestError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}
