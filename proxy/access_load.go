package proxy

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"dragoman/metrics"
	"dragoman/translate/messages"
)

// gate bounds how much all exchanges together have of something. What is taken is given
// back with give, whatever becomes of the exchange.
type gate struct {
	most  int64 // 0: no bound
	taken *atomic.Int64
}

// take takes n if there is room for them, and reports whether there was.
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

// hasRoom reports whether there is room for n now.
func (g *gate) hasRoom(n int64) bool { return g.most == 0 || g.taken.Load()+n <= g.most }

func (g *gate) give(n int64) { g.taken.Add(-n) }

// admission is what one exchange has taken of the gates.
type admission struct {
	s       *Server
	entered bool  // it counts among the exchanges that are being answered
	bytes   int64 // of its body that count as in flight
}

// enter admits the exchange among those that are being answered, before its body is read.
// giveBack ends what enter and admit began.
func (a *admission) enter() error {
	if !a.s.concurrent.take(1) {
		return a.s.overloaded(metrics.GateConcurrent)
	}
	a.entered = true
	return nil
}

// admit admits a body of so many bytes, unpacked. It is called before they are in memory:
// again and again while a body grows, and once more when its announced length is believed.
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

// giveBack gives back what the exchange has taken.
func (a *admission) giveBack() {
	if a.entered {
		a.s.concurrent.give(1)
	}
	a.s.inflightBytes.give(a.bytes)
	a.s.metrics.InflightBodyBytes.Sub(float64(a.bytes))
}

// overloaded counts an exchange that a gate refuses, and returns the error for its client.
// Those that are refused together are not all to come back in the same second.
func (s *Server) overloaded(gate string) error {
	s.metrics.Overload.WithLabelValues(gate).Inc()
	return &failure{
		status: 529, typ: messages.ErrorOverloaded, message: "the server has more to do than it can take: try again in some seconds",
		retryAfter: time.Duration(1+rand.IntN(4)) * time.Second,
	}
}

// CountConnection counts a connection of a client that was closed because there are too
// many: connections are not the proxy's, its metrics are.
func (s *Server) CountConnection() { s.metrics.Overload.WithLabelValues(metrics.GateConnections).Inc() }
