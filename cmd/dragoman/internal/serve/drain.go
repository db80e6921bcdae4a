package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"dragoman/cmd/dragoman/internal/logging"
)

// Farewell is the time that exchanges have, after they were cut, to tell their clients. It is the
// last part of the drain: whoever waits for that, as Kubernetes does, kills the process at its end.
const Farewell = 2 * time.Second

// rest is how long a connection has to be without a request before the drain closes it. A client
// that goes on as soon as its stream has ended would else ask just as the connection is closed.
// As it is, it is answered, and the answer says that the connection ends.
const rest = time.Second

// Serve answers until ctx ends, and then drains: connections are taken for timeouts.drain_delay, and open exchanges
// may finish until timeouts.drain is over, or until second ends. A listener that cannot go on begins the drain, too.
// The error, which is also logged, says that a listener failed, or that exchanges were cut.
func (s *Server) Serve(ctx, second context.Context) error {
	select {
	case failed := <-s.failed:
		cfg := s.Config()
		defer s.close(second, leastFlush)
		return s.drain(second, failed, 0, cfg.Drain-cfg.DrainDelay)
	case <-ctx.Done():
		cfg := s.Config()
		end := time.Now().Add(cfg.Drain)
		defer func() { s.close(second, min(mostFlush, time.Until(end))) }()
		return s.drain(second, nil, cfg.DrainDelay, cfg.Drain)
	}
}

// Drain takes no new connections, and waits until open exchanges have finished, the limit is over, or ctx ends. The
// error, which is also logged, says that exchanges were cut. Close is to follow.
func (s *Server) Drain(ctx context.Context, limit time.Duration) error {
	return s.drain(ctx, nil, 0, limit)
}

// Close ends a server that has drained.
func (s *Server) Close(ctx context.Context) { s.close(ctx, leastFlush) } // somebody waits for the end

func (s *Server) close(ctx context.Context, flush time.Duration) {
	s.flush(ctx, flush)
	s.unwatch()
}

// drain ends the exchanges. failed is why, or nil if the end was asked for.
func (s *Server) drain(ctx context.Context, failed error, delay, limit time.Duration) error {
	s.current().server.Drain()
	if failed == nil {
		s.log.Info().Stringer("delay", delay).Stringer("timeout", limit).
			Str("msg", "draining: connections are taken until the delay is over, and open exchanges may finish until the timeout").Send()
		failed = s.linger(ctx, delay)
	}
	err := cmp.Or(failed, s.finish(ctx, limit-delay, delay > 0))
	if err != nil {
		s.log.Error().Str("error", logging.Cut(err.Error())).Str("event", "server_failed").Str("msg", "the server ends with an error").Send()
	} else {
		s.log.Info().Str("msg", "drained").Send()
	}
	return err
}

// linger goes on serving until the delay is over or ctx ends. Balancers find out meanwhile that
// the server is not ready: those that did not would send connections that are refused. It returns
// the error of a listener that cannot go on.
func (s *Server) linger(ctx context.Context, delay time.Duration) error {
	select {
	case err := <-s.failed:
		return err
	case <-ctx.Done():
	case <-time.After(delay):
	}
	return nil
}

// finish takes no new connections and waits for the open exchanges. If some are still open
// shortly before the time limit, or when ctx ends, they are cut, and finish returns an error. With rest, it waits
// until connections rest: clients are given time to learn of the drain.
func (s *Server) finish(ctx context.Context, limit time.Duration, rest bool) error {
	limited, cancel := context.WithTimeout(ctx, limit-min(Farewell, limit/2))
	defer cancel()
	s.clients.Close()
	if rest {
		s.awaitRest(limited)
	}
	err := s.shutdown(limited)
	if err != nil {
		s.current().server.Cut()
		last, cancel := context.WithTimeout(context.Background(), Farewell)
		defer cancel()
		if s.shutdown(last) != nil {
			s.client.Close()
		}
		why := "the time was up"
		if ctx.Err() != nil {
			why = "it was ended by a second signal"
		}
		err = fmt.Errorf("drain: %s with exchanges open; they were cut", why)
	}
	s.admin.Close()
	s.serving.Wait()
	s.closeAll()
	return err
}

// awaitRest waits until every connection of a client is at rest, or ctx ends.
func (s *Server) awaitRest(ctx context.Context) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !s.connections.resting(rest) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// shutdown closes the connections of clients without a request and waits until there are neither
// others nor exchanges, or ctx ends. That the listener is closed already is not an error.
func (s *Server) shutdown(ctx context.Context) error {
	if err := s.client.Shutdown(ctx); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.exchanges.Wait()
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
