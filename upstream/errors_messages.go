package upstream

import (
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// messagesError is an error of the Messages API (docs/reference/errors.md §1), or another server's error in
// the same place.
type messagesError struct {
	Type    string
	Message string
}

func (e *messagesError) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	*e = messagesError{rawjson.StringOf(rawjson.Lookup(v, "type")), reasonIn(v)}
	return nil
}

// byType maps the error types of the Messages API. They decide in the error event of a stream, which has no
// HTTP status.
var byType = map[string]errorClass{
	messages.ErrorInvalidRequest: invalidRequest,
	messages.ErrorNotFound:       noSuchModel,
	messages.ErrorConflict:       conflict,
	messages.ErrorTooLarge:       requestTooLarge,
	messages.ErrorRateLimit:      rateLimited,
	messages.ErrorAPI:            internalError,
	messages.ErrorTimeout:        timedOut,
	messages.ErrorOverloaded:     overloaded,
	messages.ErrorBilling:        {status: http.StatusPaymentRequired, typ: messages.ErrorBilling},
	messages.ErrorAuthentication: credentialsRefused,
	messages.ErrorPermission:     credentialsRefused,
}

// apiError maps an error of the Messages API. It keeps status and type, except for errors about credentials,
// which are the proxy's and not the client's. In a stream, the status is 200 or 0 and follows from the type.
func apiError(typ, message string, status int) *Error {
	class, known := byType[typ]
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		class = credentialsRefused
	case class.ourCredentials:
	case status >= 400:
		class = errorClass{status: status, typ: typ}
	case !known:
		class = errorClass{status: http.StatusInternalServerError, typ: typ}
	}
	return answeredWith(class.error(orFailedWith(message, typ)), status, typ, byType)
}

// eventError maps the error event of a stream; data is its JSON. An event without a type is not of the
// Messages API.
func eventError(e *messagesError, data []byte) *Error {
	if e.Type == "" {
		if other := chatError(data, 0); other != nil {
			return other
		}
	}
	return apiError(e.Type, e.Message, 0)
}

// readMessagesError is the [errorReader] of servers with the Messages API. It recognizes an error of that API
// with any status. Any other error comes from a gateway before the server, or from a server with a similar
// API.
func readMessagesError(status int, kind string, body []byte) *Error {
	var shaped struct {
		Type      string        `json:"type"`
		Error     messagesError `json:"error"`
		RequestID string        `json:"request_id"`
	}
	if json.Unmarshal(body, &shaped, lenient) == nil && shaped.Error.Type != "" && (status >= 400 || shaped.Type == "error") {
		e := apiError(shaped.Error.Type, shaped.Error.Message, status)
		e.RequestID = shaped.RequestID
		return e
	}
	return readChatError(status, kind, body)
}
