package proxy

import (
	"context"
	"crypto/sha256"
	"sync/atomic"

	"dragoman/metrics"
)

// shared is what a server has in common with those that take its place: what becomes of the process,
// what all exchanges together have taken, and what depends on no configuration.
type shared struct {
	draining context.Context // ends with Drain
	drain    context.CancelFunc
	base     context.Context // ends with Cut
	cut      context.CancelCauseFunc

	concurrentTaken, bytesTaken, abandonedTaken atomic.Int64 // of the gates

	kept    kept
	advice  once[way]    // models that were asked with more tools than is advised: see adviseTools
	aliases once[string] // of paths
}

func newShared() *shared {
	c := &shared{kept: newKept(), advice: once[way]{most: maxRefusals}, aliases: once[string]{most: maxAliases}}
	c.draining, c.drain = context.WithCancel(context.Background())
	c.base, c.cut = context.WithCancelCause(context.Background())
	return c
}

// Successor returns a server that is to take the place of s for new requests; those that s is
// answering go on as they began. stays reports whether an upstream is the one that s has under this
// name: what is known of it goes on to count. So does what clients have taken of a key that stays,
// and what all requests together have taken of the limits. [Server.Drain] and [Server.Cut] of either
// server are for both. The errors are those of [New]; then nothing has changed.
func (s *Server) Successor(opt Options, stays func(upstream string) bool) (*Server, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	next := newServerWith(opt, s.shared)
	next.learn(opt, s, stays)
	return next, nil
}

// learn gives a new server what the one before it, if there is one, knows of upstreams that stay and
// of keys, and bounds the labels of the metrics by its options.
func (s *Server) learn(opt Options, before *Server, stays func(upstream string) bool) {
	models, upstreams := map[string]bool{}, map[string]bool{}
	s.breakers, s.refusals, s.lists = map[string]*breaker{}, refusals{}, s.newModelLists(opt.Unlisted)
	for _, r := range opt.Routes {
		models[r.Name] = true
		for _, m := range r.UpstreamModels() {
			upstreams[m.Upstream] = true
		}
	}
	for name := range upstreams {
		s.breakers[name], s.refusals[name] = newBreaker(), new(upstreamRefusals)
		if before == nil || before.breakers[name] == nil || !stays(name) {
			continue
		}
		s.breakers[name], s.refusals[name] = before.breakers[name], before.refusals[name]
		if s.lists[name] != nil && before.lists[name] != nil {
			s.lists[name] = before.lists[name]
		}
	}
	held := map[[sha256.Size]byte]*heldKey{}
	if before != nil {
		for _, k := range before.keys {
			held[k.Sum] = k
		}
	}
	ids := map[string]bool{}
	for _, k := range opt.Keys {
		s.keys, ids[k.ID()] = append(s.keys, held[k.Sum].as(k)), true
	}
	s.metrics.MaxConcurrent.Set(float64(opt.MaxConcurrent))
	s.metrics.SetLabels(metrics.Labels{Keys: ids, Models: models, Upstreams: upstreams})
}

// Drain makes /readyz answer 503 from now on, so that no new clients are sent here.
// Requests are still answered, but a body has to arrive within seconds, and the answer is the
// last on its connection.
func (s *Server) Drain() { s.drain() }

// Draining reports whether Drain has been called.
func (s *Server) Draining() bool { return s.draining.Err() != nil }

// Base returns the context in which requests have to be served for Cut to end them: it is for
// [http.Server.BaseContext].
func (s *Server) Base() context.Context { return s.base }

// Cut ends all exchanges. Their clients are told that the server shuts down.
func (s *Server) Cut() { s.cut(errShutDown) }
