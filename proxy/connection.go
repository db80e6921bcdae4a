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

// How long a client can hold its connection while its body does not arrive.
const (
	// bodyTimeout limits the whole body. Including the error response, the connection is free within a minute.
	bodyTimeout = 55 * time.Second
	// drainTimeout replaces bodyTimeout while the server drains: the client can send its request to another server.
	drainTimeout = 5 * time.Second
	// lingerTimeout limits how long net/http reads the rest of a body that the handler did not read. net/http reads up
	// to 256 KiB before it closes the connection, so that the client can read the response. Without a deadline it would
	// read for as long as the client sends.
	lingerTimeout = 500 * time.Millisecond
)

// incoming returns h with deadlines for the connection. Whatever h does with a request, the connection soon either
// serves the next request or is closed: a body must arrive in time, nobody waits for a body that h does not read, and
// the client must accept the answer in time. An exchange removes the write deadline, and watches each of its writes
// itself.
func (s *Server) incoming(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.catchPanic()
		control := http.NewResponseController(w) // its errors only mean that the connection has no deadlines
		extend := func() { _ = control.SetWriteDeadline(time.Now().Add(s.timeouts.WriteStall)) }
		extend()
		defer extend() // for what net/http writes after h
		s.keepConnection(r, w.Header())
		if r.Body != nil && r.Body != http.NoBody {
			b := &incomingBody{ReadCloser: r.Body, server: s, request: r, w: w, control: control}
			defer b.abandon()
			withBody := *r // a copy, because net/http looks at its own request after h
			withBody.Body = b
			r = &withBody
			b.begin(r.ProtoMajor)
			defer context.AfterFunc(s.draining, b.shorten)()
		}
		h.ServeHTTP(w, r)
	})
}

// catchPanic cuts the connection after a panic, as net/http would, and logs the panic itself. The log of net/http would
// have the panic's value, which may quote a request, and the stack on separate lines. catchPanic covers panics outside
// of exchanges.
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

// keepConnection sets the header that closes the connection after this answer, if the server drains or the connection
// is too old. The client then connects to another server without an error. With HTTP/2, net/http sends GOAWAY instead,
// and lets the connection's open streams end.
func (s *Server) keepConnection(r *http.Request, answer http.Header) {
	if s.draining.Err() != nil || s.isTooOld(r) {
		answer.Set("Connection", "close")
	} else {
		answer.Del("Connection")
	}
}

// incomingBody is the body of a request, with a deadline until it has been read or the request has been answered.
type incomingBody struct {
	io.ReadCloser
	server  *Server
	request *http.Request
	w       http.ResponseWriter
	control *http.ResponseController

	mu   sync.Mutex
	over bool // the deadline no longer applies
}

// begin starts the time for the body. Until the body has been read, the response header says that the connection
// closes: otherwise net/http would read the rest of the body before it answers.
func (b *incomingBody) begin(protocol int) {
	_ = b.control.SetReadDeadline(time.Now().Add(bodyTimeout))
	if protocol == 1 {
		b.w.Header().Set("Connection", "close")
	}
}

func (b *incomingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && b.markOver() {
		// From now on net/http reads only to notice that the client leaves, so an answer may take any time.
		_ = b.control.SetReadDeadline(time.Time{})
		b.server.keepConnection(b.request, b.w.Header())
	}
	return n, err
}

// markOver ends the wait for the body. It reports whether the wait was still on.
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

// abandon ends the wait for a body that the handler has not read. The answer then closes the connection.
func (b *incomingBody) abandon() {
	if b.markOver() {
		_ = b.control.SetReadDeadline(time.Now().Add(lingerTimeout))
	}
}

// connection is what the server knows about a client's connection.
type connection struct {
	began time.Time
	// The connection's random share of Options.MaxConnectionAge, so that connections that began together do not end together.
	share float64
}

// connectionKey is the context key for the connection of a request: net/http gives handlers no other way to know it.
type connectionKey struct{}

// WithConnection returns the context for the requests of a new connection, for Options.MaxConnectionAge. Use it as
// [http.Server.ConnContext].
func WithConnection(ctx context.Context, _ net.Conn) context.Context {
	const jitter = 0.1
	return context.WithValue(ctx, connectionKey{}, connection{time.Now(), 1 - jitter + 2*jitter*rand.Float64()})
}

// isTooOld reports whether the connection of a request is older than allowed.
func (s *Server) isTooOld(r *http.Request) bool {
	c, known := r.Context().Value(connectionKey{}).(connection)
	return known && s.maxAge > 0 && time.Since(c.began) >= time.Duration(c.share*float64(s.maxAge))
}
