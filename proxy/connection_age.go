package proxy

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

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
