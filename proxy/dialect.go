package proxy

import (
	"net/http"

	"dragoman/translate"
	"dragoman/upstream"
)

// dialect is a client API that we speak: all that an exchange has to know of its
// bytes. Functions that append take dst and return it longer; they are called
// from one goroutine at a time.
type dialect struct {
	// name is the label of the metrics and in the log.
	name string

	// decode reads a request, up to its validation, by the options and what the
	// header says of them. The error is a *translate.InvalidRequestError.
	decode func(h http.Header, body []byte, opt translate.DecodeOptions) (*translate.Body, error)

	// native is the request for a model with tools of its own.
	native func(h http.Header, body *translate.Body) upstream.Native

	// message appends a whole answer, in JSON.
	message func(dst []byte, m *translate.Message) []byte

	// count appends the answer to the question how many tokens a request has, in JSON.
	count func(dst []byte, tokens int) []byte

	// failure appends the body of the answer to a request that failed, in JSON.
	failure func(dst []byte, f *failure, requestID string) []byte

	// streamHeader is what the header of a streamed answer holds.
	streamHeader http.Header

	// event appends the frame of an event of a stream. It may append nothing.
	event func(dst []byte, e translate.Event) []byte

	// failureEvent appends the frame that ends a stream that failed.
	failureEvent func(dst []byte, f *failure, requestID string) []byte
}
