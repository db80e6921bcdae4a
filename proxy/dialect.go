package proxy

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"dragoman/proxy/bedrock"
	"dragoman/translate"
	"dragoman/upstream"
)

// dialect is a client API that we speak: all that an exchange has to know of its
// bytes. Functions that append take dst and return it longer.
type dialect struct {
	// name is the label of the metrics and in the log.
	name string

	// identify writes the id of the request, beside the header that all answers
	// have; nil if the API has no other.
	setID func(h http.Header, requestID string)

	// keys returns what of a request may be a key of ours. Empty ones are none.
	credentials func(h http.Header) []string

	// convert writes the body of a request as one of the Messages API, for decode; nil
	// if it is one. The error is a *translate.InvalidRequestError, or the cause of ctx.
	convert func(ctx context.Context, body []byte) (*bedrock.Conversion, error)

	// decode reads a request, up to its validation, by the options and what header
	// and path say of them. The error is a *translate.InvalidRequestError, or the cause
	// of the request's context.
	read func(r *http.Request, body []byte, opt translate.DecodeOptions) (*translate.Body, error)

	// native is the request for a model with tools of its own.
	nativeRequest func(h http.Header, body *translate.Body) upstream.Native

	// unheeded are headers of a request that ask for what is not done here.
	ignored []ignoredHeader

	// message appends a whole answer, in JSON, which took so long, and may add to its
	// header.
	appendMessage func(h http.Header, dst []byte, m *translate.Message, took time.Duration) []byte

	// count appends the answer to the question how many tokens a request has, in JSON.
	tokenCount func(dst []byte, tokens int) []byte

	// failure returns the status and the body, in JSON, of the answer to a request
	// that failed, and may add to its header.
	failureBody func(h http.Header, f *failure, requestID string) (status int, body []byte)

	// streamHeader is what the header of a streamed answer holds.
	streamHeader http.Header

	// ping is the frame that breaks a silence; nil if the API has none.
	pingFrame []byte

	// frames returns what writes the frames of one streamed answer, for a client of
	// whose request h is the header.
	newFrames func(h http.Header) frameWriter
}

// unheeded is a header that asks for something, unless it is of one value.
type ignoredHeader struct{ header, unless, name string }

// leftOut returns the names of what the header of a request asks for in vain, sorted.
func (d *dialect) ignoredIn(h http.Header) (names []string) {
	for _, u := range d.ignored {
		if value := h.Get(u.header); value != "" && !strings.EqualFold(value, u.unless) {
			names = append(names, u.name)
		}
	}
	slices.Sort(names)
	return names
}

// frames writes the frames of one streamed answer, one after another.
type frameWriter interface {
	// event appends the frame of an event, so long after the request. It may append
	// nothing, or several.
	appendEvent(dst []byte, e translate.Event, took time.Duration) []byte

	// failure appends the frame that ends a stream that failed.
	appendFailure(dst []byte, f *failure, requestID string) []byte
}
