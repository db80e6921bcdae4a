package proxy

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"dragoman/proxy/convert"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// dialect is a client API: how to read its requests and how to write its answers. Functions with a dst append to dst
// and return the longer slice.
type dialect struct {
	// name is the label in the metrics and the log. If a path belongs to an API but is not one of its operations, the
	// name is "".
	name string

	// credentials returns the values in a request's header that may be one of our keys. An empty string is never a key.
	credentials func(h http.Header) []string

	// convert turns a request's body into a body of the Messages API; nil if this dialect already uses that API. The
	// error is a *messages.InvalidRequestError, or the cause of ctx.
	convert func(ctx context.Context, body []byte) (*convert.Conversion, error)

	// read reads the body of a Messages API request far enough to know its model and whether it streams. Header and
	// path may say part of this. The error is a *messages.InvalidRequestError, a *failure, or the cause of the
	// request's context.
	read func(r *http.Request, body []byte, opt messages.DecodeOptions) (*messages.Body, error)

	// nativeRequest returns the request for a model with the Messages API.
	nativeRequest func(h http.Header, body *messages.Body) upstream.Native

	// ignored lists headers that ask for an unsupported option.
	ignored []ignoredHeader

	// setID sets the header that this API has for the request id, in addition to request-id; nil if there is no such
	// header.
	setID func(h http.Header, requestID string)

	// appendMessage appends a whole answer in JSON, and may set headers. c is the conversion of the request, nil if the
	// dialect has no convert. took is the time since the request arrived.
	appendMessage func(h http.Header, dst []byte, c *convert.Conversion, m *messages.Message, took time.Duration) []byte

	// appendTokenCount appends the answer to a request to count tokens, in JSON; nil if the API has no such request.
	appendTokenCount func(dst []byte, tokens int) []byte

	// failureBody returns the status and the JSON body for a failed request, and may set headers.
	failureBody func(h http.Header, f *failure, requestID string) (status int, body []byte)

	// streamHeader has the headers of a streamed answer.
	streamHeader http.Header

	// pingFrame is written when a stream has been silent for a while; nil if the API has no such frame.
	pingFrame []byte

	// waitFrame is written to a stream that waits for its first event: see beginEarly. It is nil if the API has no
	// frame that its clients ignore at that point.
	waitFrame []byte

	// newFrames returns the writer of one streamed answer. h is the header of the request. c is its conversion, nil if
	// the dialect has no convert.
	newFrames func(h http.Header, c *convert.Conversion) frameWriter
}

// frameWriter turns the events of one streamed answer into frames on the client's wire.
type frameWriter interface {
	// appendEvent appends the frames of an event: one, none or several. For the event that begins or ends the message,
	// took is the time since the request arrived.
	appendEvent(dst []byte, e messages.Event, took time.Duration) []byte

	// appendFailure appends the frame that ends a failed stream.
	appendFailure(dst []byte, f *failure, requestID string) []byte
}

// ignoredHeader is a header for an unsupported option. The header has no effect if its value is the default.
type ignoredHeader struct {
	header       string
	defaultValue string
	name         string // in x-dragoman-dropped
	hint         bool   // the option changes no answer, so compat: strict accepts it
}

// ignoredIn returns the sorted names of the unsupported options in a request's header.
func (d *dialect) ignoredIn(h http.Header) (names []string) {
	for _, i := range d.ignored {
		if value := h.Get(i.header); value != "" && !strings.EqualFold(value, i.defaultValue) {
			names = append(names, i.name)
		}
	}
	slices.Sort(names)
	return names
}

// refuses reports whether compat: strict rejects the option with this name in x-dragoman-dropped.
func (d *dialect) refuses(name string) bool {
	return slices.ContainsFunc(d.ignored, func(i ignoredHeader) bool { return i.name == name && !i.hint })
}
