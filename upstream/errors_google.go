package upstream

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// byGoogleStatus maps the status words of Google's front end (docs/reference/vertex.md §6,
// docs/reference/errors.md §7).
var byGoogleStatus = map[string]errorClass{
	"INVALID_ARGUMENT":    invalidRequest,
	"FAILED_PRECONDITION": invalidRequest,
	"UNAUTHENTICATED":     tokenRefused,
	"PERMISSION_DENIED":   credentialsRefused,
	"NOT_FOUND":           noSuchModel,
	"RESOURCE_EXHAUSTED":  rateLimited,
	"CANCELLED":           badGateway,
	"INTERNAL":            internalError,
	"UNAVAILABLE":         overloaded,
	"DEADLINE_EXCEEDED":   timedOut,
}

// googleFailure is an error of Google's front end, which receives all requests to Vertex AI.
type googleFailure struct {
	Code    int              `json:"code"` // an HTTP status
	Message string           `json:"message"`
	Status  string           `json:"status"`
	Details []jsontext.Value `json:"details"`
}

// googleError maps an error of Google's front end, alone or in a list. It returns nil for other data.
func googleError(data []byte) *Error {
	var list []jsontext.Value
	if json.Unmarshal(data, &list, lenient) == nil && len(list) > 0 {
		data = list[0]
	}
	var body struct {
		Error googleFailure `json:"error"`
	}
	if json.Unmarshal(data, &body, lenient) != nil || body.Error.Status == "" {
		return nil
	}
	f := body.Error
	class, known := byGoogleStatus[f.Status]
	if !known { // use the HTTP status that the error repeats
		if class, known = byStatus[f.Code]; !known {
			return nil
		}
	}
	f.Message = orFailedWith(f.Message, f.Status)
	if class.ourCredentials {
		f.Message = f.Status + ": " + f.Message
	}
	e := answeredWith(class.error(f.Message), f.Code, f.Status, byGoogleStatus)
	e.RetryAfter = f.retryAfter()
	return e
}

// retryAfter returns the delay of google.rpc.RetryInfo in the details, or 0: {"@type":
// "…/google.rpc.RetryInfo", "retryDelay": "12.5s"}.
func (f *googleFailure) retryAfter() time.Duration {
	for _, detail := range f.Details {
		var info struct {
			Type  string `json:"@type"`
			Delay string `json:"retryDelay"`
		}
		if json.Unmarshal(detail, &info, lenient) != nil || !strings.HasSuffix(info.Type, "google.rpc.RetryInfo") {
			continue
		}
		if s, ok := parseNonNegative(strings.TrimSuffix(info.Delay, "s")); ok {
			return time.Duration(s * float64(time.Second))
		}
	}
	return 0
}
