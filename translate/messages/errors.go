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
}

// Error returns the path and the message.
func (e *InvalidRequestError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}
