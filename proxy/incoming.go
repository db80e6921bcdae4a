package proxy

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// How long a client can hold its connection with a body that does not come. After 55
// seconds it is told so, and all is over within a minute. While the server drains, less
// is enough: the request can go to another server. And once a request has been answered
// all the same, the client has time to read that, but not to send the rest: net/http
// reads on without a deadline of its own, and after it closes its side of the connection
// leaves the other half a second.
const (
	bodyTimeout   = 55 * time.Second
	drainTimeout  = 5 * time.Second
	lingerTimeout = 300 * time.Millisecond
)

// incoming has h answer requests. However h leaves a request, its connection is soon
// free for the next one, or closed: a body has to arrive in time, one that h leaves
// unread is not waited for, and an answer has to be taken in time. A handler that
// answers piece by piece sets a write deadline of its own for each.
func (s *Server) incoming(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w) // a connection that knows no deadlines has none
		allow := func() { _ = control.SetWriteDeadline(time.Now().Add(s.timeouts.WriteStall)) }
		allow()
		defer allow() // for what is still in a buffer
		if r.Body != nil && r.Body != http.NoBody {
			b := &incomingBody{ReadCloser: r.Body, w: w, control: control}
			defer b.abandon()
			defer context.AfterFunc(s.draining, b.shorten)()
			own := *r // the server looks at its own request afterwards
			own.Body = b
			r = &own
			b.begin(r.ProtoMajor)
		}
		h.ServeHTTP(w, r)
	})
}

// incomingBody is the body of a request.
type incomingBody struct {
	io.ReadCloser
	w       http.ResponseWriter
	control *http.ResponseController

	mu   sync.Mutex
	over bool // it has been read to its end, or is not read any more
}

// await begins the time of the body. Until it has been read, an answer closes the
// connection; or else the server would read the rest before it answers.
func (b *incomingBody) begin(protocol int) {
	_ = b.control.SetReadDeadline(time.Now().Add(bodyTimeout))
	if protocol == 1 {
		b.w.Header().Set("Connection", "close")
	}
}

func (b *incomingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && b.markOver() {
		// From now on the server reads only to see a client leave: no deadline may pass.
		_ = b.control.SetReadDeadline(time.Time{})
		b.w.Header().Del("Connection")
	}
	return n, err
}

// end takes down that the body is over. It reports whether it was not.
func (b *incomingBody) markOver() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := !b.over
	b.over = true
	return first
}

// hurry shortens the time of a body that is still awaited.
func (b *incomingBody) shorten() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over {
		_ = b.control.SetReadDeadline(time.Now().Add(drainTimeout))
	}
}

// leave ends the connection of a request that has been answered without its body.
func (b *incomingBody) abandon() {
	if !b.markOver() {
		return
	}
	_ = b.control.SetReadDeadline(time.Now().Add(lingerTimeout))
	// This is what a server takes for the wish to close the connection after the answer,
	// in such a way that the client can read it.
	_, _ = http.MaxBytesReader(b.w, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
}
