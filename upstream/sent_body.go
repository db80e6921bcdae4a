package upstream

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// sentBody is the JSON body of a request. An answer may take minutes, and nothing sends its request again once
// it has begun. net/http keeps the request until the end of the answer, so sentBody takes the bytes back.
type sentBody struct {
	data []byte // nil after forget
}

// in returns the request with the body. net/http may send it again on a new connection. The body is a
// bytes.Reader, because net/http treats readers that it knows better: it sends the header together with the
// body, and so notices a dead connection before it has sent anything.
func (b *sentBody) in(r *http.Request) *http.Request {
	first := bytes.NewReader(b.data)
	var again atomic.Bool
	r.Body, r.ContentLength = io.NopCloser(first), int64(len(b.data))
	r.GetBody = func() (io.ReadCloser, error) {
		again.Store(true)
		return io.NopCloser(bytes.NewReader(b.data)), nil
	}
	return r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{WroteRequest: func(sent httptrace.WroteRequestInfo) {
		if sent.Err == nil && !again.Load() { // otherwise another connection may still read
			first.Reset(nil)
		}
	}}))
}

// forget frees the body. Call it when the answer has begun.
func (b *sentBody) forget() { b.data = nil }
