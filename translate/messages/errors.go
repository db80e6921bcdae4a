package messages

import "github.com/go-json-experiment/json/jsontext"

// InvalidRequestError says what is wrong with a request, where, and how to mend it.
type InvalidRequestError struct {
	Path    string // dotted, zero-based: "messages.3.content.0.text"; "" for the body as a whole
	Message string
	Details jsontext.Value // what programs may want to know: the error's "details" (reference/errors.md §1), or nil
}

func (e *InvalidRequestError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}
