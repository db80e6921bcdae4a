package proxy

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"dragoman/proxy/bedrock"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// dialect is a client API: how its requests are read, and how its answers are written.
// Functions with a dst append to it and return it longer.
type dialect struct {
	// name is the label in the metrics and the log. Paths that belong to an API without
	// being one of its operations have a dialect with the name "".
	name string

	// credentials returns what in a request's header may be one of our keys. An empty
	// string is no key.
	credentials func(h http.Header) []string

	// convert turns the body of a request into one of the Messages API; nil if it is one.
	// The error is a *messages.InvalidRequestError, or the cause of ctx.
	convert func(ctx context.Context, body []byte) (*bedrock.Conversion, error)

	// read reads the body of a request of the Messages API so far that its model and
	// stream are known, of which header and path may say something. The error is a
	// *messages.InvalidRequestError, a *failure, or the cause of the request's context.
	read func(r *http.Request, body []byte, opt messages.DecodeOptions) (*messages.Body, error)

	// nativeRequest returns the request for a model that is asked over the Messages API.
	nativeRequest func(h http.Header, body *messages.Body) upstream.Native

	// ignored are headers that ask for something that is not supported.
	ignored []ignoredHeader

	// setID sets the header with the request's id that this API has beside request-id; nil
	// if it has none.
	setID func(h http.Header, requestID string)

	// appendMessage appends a whole answer, in JSON, and may add to its header. took is the
	// time since the request came.
	appendMessage func(h http.Header, dst []byte, m *messages.Message, took time.Duration) []byte

	// appendTokenCount appends the answer to a request for a count of tokens, in JSON; nil
	// if the API has no such request.
	appendTokenCount func(dst []byte, tokens int) []byte

	// failureBody returns the status and the body, in JSON, of the answer to a request
	// that failed, and may add to its header.
	failureBody func(h http.Header, f *failure, requestID string) (status int, body []byte)

	// streamHeader has the header fields of a streamed answer.
	streamHeader http.Header

	// pingFrame is written when a stream has been silent for a while; nil if the API has
	// no frame for that.
	pingFrame []byte

	// waitFrame is written to a stream that waits for its first event: see beginEarly. It
	// is nil if the API has nothing that its clients pass over there.
	waitFrame []byte

	// newFrames returns the writer of one streamed answer. The header is the request's.
	newFrames func(h http.Header) frameWriter
}

// frameWriter turns the events of one streamed answer into the bytes of the client's
// wire, one after another.
type frameWriter interface {
	// appendEvent appends the frames of an event: one, none or several. took is the time
	// from the request to the event, if that begins or ends the message.
	appendEvent(dst []byte, e messages.Event, took time.Duration) []byte

	// appendFailure appends the frame that ends a stream that failed.
	appendFailure(dst []byte, f *failure, requestID string) []byte
}

// ignoredHeader is a header that asks for something that is not supported, unless it has
// the value that stands for the default.
type ignoredHeader struct {
	header       string
	defaultValue string
	name         string // in x-dragoman-dropped
	hint         bool   // it changes no answer: compat: strict does not refuse it
}

// ignoredIn returns the names of what a request's header asks for and is not supported,
// sorted.
func (d *dialect) ignoredIn(h http.Header) (names []string) {
	for _, i := range d.ignored {
		if value := h.Get(i.header); value != "" && !strings.EqualFold(value, i.defaultValue) {
			names = append(names, i.name)
		}
	}
	slices.Sort(names)
	return names
}

// refuses reports whether compat: strict refuses the option that has this name in
// x-dragoman-dropped.
func (d *dialect) refuses(name string) bool {
	return slices.ContainsFunc(d.ignored, func(i ignoredHeader) bool { return i.name == name && !i.hint })
}
