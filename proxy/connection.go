package proxy

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"
)

// How long a client can hold its connection with a body that does not come.
const (
	// bodyTimeout is for the whole body. With the answer that says so, the connection is
	// free within a minute.
	bodyTimeout = 55 * time.Second
	// drainTimeout takes its place while the server drains: the client can send its
	// request to another server.
	drainTimeout = 5 * time.Second
	// lingerTimeout is for the rest of a body whose request has been answered without it: net/http
	// reads up to 256 KiB of the body before it closes the connection, so that the client can read
	// the answer. Without a deadline it would read for as long as the client sends.
	lingerTimeout = 500 * time.Millisecond
)

// incoming returns h with deadlines for the connection. Whatever h does with a request,
// the connection is soon free for the next one, or closed: a body has to arrive in time,
// a body that h does not read is not waited for, and an answer has to be taken in time.
// An exchange takes the deadline away, and watches each of its writes itself.
func (s *Server) incoming(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.catchPanic()
		control := http.NewResponseController(w) // its errors say that a connection has no deadlines
		extend := func() { _ = control.SetWriteDeadline(time.Now().Add(s.timeouts.WriteStall)) }
		extend()
		defer extend() // for what net/http writes after h
		s.keepConnection(r, w.Header())
		if r.Body != nil && r.Body != http.NoBody {
			b := &incomingBody{ReadCloser: r.Body, server: s, request: r, w: w, control: control}
			defer b.abandon()
			withBody := *r // a copy: net/http looks at its own request after h
			withBody.Body = b
			r = &withBody
			b.begin(r.ProtoMajor)
			defer context.AfterFunc(s.draining, b.shorten)()
		}
		h.ServeHTTP(w, r)
	})
}

// catchPanic cuts the connection after a panic, as net/http would, and logs it in its place:
// net/http would log the value, which may hold words of a request, and the stack on lines of
// its own. It is for what is outside of an exchange.
func (s *Server) catchPanic() {
	v := recover()
	if v == nil {
		return
	}
	if v != http.ErrAbortHandler {
		logPanic(&s.log, &panicError{v, debug.Stack()}, "")
	}
	panic(http.ErrAbortHandler)
}

// keepConnection says in the header of an answer whether the connection is there for another
// request. While the server drains, or once the connection is too old, it is not, so that the client
// turns to another server in good order. With HTTP/2, net/http sends GOAWAY instead, and lets the
// open streams of the connection end.
func (s *Server) keepConnection(r *http.Request, answer http.Header) {
	if s.draining.Err() != nil || s.isTooOld(r) {
		answer.Set("Connection", "close")
	} else {
		answer.Del("Connection")
	}
}

// incomingBody is the body of a request, which has to arrive in time. It is waited for
// until it has been read to its end, or until the request has been answered.
type incomingBody struct {
	io.ReadCloser
	server  *Server
	request *http.Request
	w       http.ResponseWriter
	control *http.ResponseController

	mu   sync.Mutex
	over bool // not waited for any more
}

// begin starts the time for the body. Until it has been read, the header of the answer
// closes the connection: otherwise net/http would read the rest before it answers.
func (b *incomingBody) begin(protocol int) {
	_ = b.control.SetReadDeadline(time.Now().Add(bodyTimeout))
	if protocol == 1 {
		b.w.Header().Set("Connection", "close")
	}
}

func (b *incomingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && b.markOver() {
		// From now on net/http reads only to notice that the client leaves, however long
		// the answer takes.
		_ = b.control.SetReadDeadline(time.Time{})
		b.server.keepConnection(b.request, b.w.Header())
	}
	return n, err
}

// markOver ends the wait for the body. It reports whether the body was waited for.
func (b *incomingBody) markOver() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	waited := !b.over
	b.over = true
	return waited
}

// shorten is called when the server begins to drain.
func (b *incomingBody) shorten() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over {
		_ = b.control.SetReadDeadline(time.Now().Add(drainTimeout))
	}
}

// abandon ends the wait for a body that the handler has not read. The answer closes the connection.
func (b *incomingBody) abandon() {
	if b.markOver() {
		_ = b.control.SetReadDeadline(time.Now().Add(lingerTimeout))
	}
}

// connection is what the server knows of a client's connection.
type connection struct {
	began time.Time
	share float64 // of Options.MaxConnectionAge that this connection has: those that began together end apart
}

// connectionKey is the key of a connection in the contexts of its requests: net/http tells a handler of its
// connection in no other way.
type connectionKey struct{}

// WithConnection returns the context for the requests of a new connection, for Options.MaxConnectionAge. It is
// for [http.Server.ConnContext].
func WithConnection(ctx context.Context, _ net.Conn) context.Context {
	const jitter = 0.1
	return context.WithValue(ctx, connectionKey{}, connection{time.Now(), 1 - jitter + 2*jitter*rand.Float64()})
}

// isTooOld reports whether the connection of a request has passed the age that it may have.
func (s *Server) isTooOld(r *http.Request) bool {
	c, known := r.Context().Value(connectionKey{}).(connection)
	return known && s.maxAge > 0 && time.Since(c.began) >= time.Duration(c.share*float64(s.maxAge))
}
