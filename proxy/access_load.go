package proxy

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"dragoman/metrics"
	"dragoman/translate/messages"
)

// gate limits a total over all exchanges, such as their number or the bytes of their bodies. Whatever becomes of an
// exchange, give returns what it took.
type gate struct {
	most  int64 // the limit; 0: no limit
	taken *atomic.Int64
}

// take takes n if the limit allows it, and reports whether it did.
func (g *gate) take(n int64) bool {
	for {
		taken := g.taken.Load()
		if g.most > 0 && taken+n > g.most {
			return false
		}
		if g.taken.CompareAndSwap(taken, taken+n) {
			return true
		}
	}
}

// hasRoom reports whether take(n) would succeed now.
func (g *gate) hasRoom(n int64) bool { return g.most == 0 || g.taken.Load()+n <= g.most }

func (g *gate) give(n int64) { g.taken.Add(-n) }

// admission is what one exchange has taken from the gates.
type admission struct {
	s       *Server
	entered bool  // the exchange counts as in progress
	bytes   int64 // the bytes of its body that count as in flight
}

// enter admits the exchange before its body is read. giveBack reverses enter and admit.
func (a *admission) enter() error {
	if !a.s.concurrent.take(1) {
		return a.s.overloaded(metrics.GateConcurrent)
	}
	a.entered = true
	return nil
}

// admit admits a body of size bytes, uncompressed. Callers call it before the bytes are in memory: repeatedly while a
// body grows, or once with the announced length.
func (a *admission) admit(size int64) error {
	more := size - a.bytes
	if more <= 0 {
		return nil
	}
	if !a.s.inflightBytes.take(more) {
		return a.s.overloaded(metrics.GateBytes)
	}
	a.bytes = size
	a.s.metrics.InflightBodyBytes.Add(float64(more))
	return nil
}

// giveBack returns everything that the exchange has taken.
func (a *admission) giveBack() {
	if a.entered {
		a.s.concurrent.give(1)
	}
	a.s.inflightBytes.give(a.bytes)
	a.s.metrics.InflightBodyBytes.Sub(float64(a.bytes))
}

// overloaded counts an exchange that a gate rejects, and returns the error for its client. It varies retry-after, so
// that clients that were rejected together do not all return in the same second.
func (s *Server) overloaded(gate string) error {
	s.metrics.Overload.WithLabelValues(gate).Inc()
	return &failure{
		status: 529, typ: messages.ErrorOverloaded, message: "the server is overloaded: try again in a few seconds",
		retryAfter: time.Duration(1+rand.IntN(4)) * time.Second,
	}
}

// CountConnection counts a client's connection that was closed because there are too many. The caller owns the
// connections; the proxy owns the metrics.
func (s *Server) CountConnection() { s.metrics.Overload.WithLabelValues(metrics.GateConnections).Inc() }
