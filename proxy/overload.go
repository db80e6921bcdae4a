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

// enter admits the exchange among those that are being answered, before its body is read.
// giveBack ends what enter and admitBytes began.
func (x *exchange) enter() error {
	if !x.s.concurrent.take(1) {
		return x.overloaded(metrics.GateConcurrent)
	}
	x.entered = true
	return nil
}

// admitBytes admits a body of so many bytes, unpacked. It is called before they are in memory:
// again and again while a body grows, and once more when its announced length is believed.
func (x *exchange) admitBytes(size int64) error {
	more := size - x.admitted
	if more <= 0 {
		return nil
	}
	if !x.s.inflightBytes.take(more) {
		return x.overloaded(metrics.GateBytes)
	}
	x.admitted = size
	x.s.metrics.InflightBodyBytes.Add(float64(more))
	return nil
}

// giveBack gives back what the exchange has taken.
func (x *exchange) giveBack() {
	if x.entered {
		x.entered = false
		x.s.concurrent.give(1)
	}
	x.s.inflightBytes.give(x.admitted)
	x.s.metrics.InflightBodyBytes.Sub(float64(x.admitted))
	x.admitted = 0
}

// overloaded counts an exchange that a gate refuses, and returns the error for its client.
// Those that are refused together are not all to come back in the same second.
func (x *exchange) overloaded(gate string) error {
	x.s.metrics.Overload.WithLabelValues(gate).Inc()
	return &failure{
		status: 529, typ: messages.ErrorOverloaded, message: "the server has more to do than it can take: try again in some seconds",
		retryAfter: time.Duration(1+rand.IntN(4)) * time.Second,
	}
}

// CountConnection counts a connection of a client that was closed because there are too
// many: connections are not the proxy's, its metrics are.
func (s *Server) CountConnection() { s.metrics.Overload.WithLabelValues(metrics.GateConnections).Inc() }
