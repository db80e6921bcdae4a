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

// Farewell is the time for cut exchanges to tell their clients. It is the last part of the drain: whoever waits for the
// drain, such as Kubernetes, kills the process afterwards.
const Farewell = 2 * time.Second

// rest is how long a connection must be without a request before the drain closes it. A client that sends its next
// request right after a stream might otherwise send it while the connection closes. With the pause, the request is
// answered, and the answer says that the connection ends.
const rest = time.Second

// Serve answers until ctx ends, and then drains: it accepts connections for timeouts.drain_delay, and open exchanges
// may finish until timeouts.drain is over or second ends. A failing listener starts the drain, too. The error, which is
// also logged, says that a listener failed, or that exchanges were cut.
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

// Drain accepts no new connections, and waits until open exchanges have finished, the limit is over, or ctx ends. The
// error, which is also logged, says that exchanges were cut. Call Close afterwards.
func (s *Server) Drain(ctx context.Context, limit time.Duration) error {
	return s.drain(ctx, nil, 0, limit)
}

// Close ends a server after its drain.
func (s *Server) Close(ctx context.Context) { s.close(ctx, leastFlush) } // a user waits for the end

func (s *Server) close(ctx context.Context, flush time.Duration) {
	s.flush(ctx, flush)
	s.unwatch()
}

// drain ends the exchanges. failed is the error that caused it; nil for a requested end.
func (s *Server) drain(ctx context.Context, failed error, delay, limit time.Duration) error {
	s.current().server.Drain()
	if failed == nil {
		s.log.Info().Stringer("delay", delay).Stringer("timeout", limit).
			Str("msg", "draining: new connections are accepted until the delay is over, and open exchanges may finish until the timeout").Send()
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

// linger continues to serve until the delay is over or ctx ends. In that time, load balancers notice that the server is
// not ready. A balancer that had not noticed would send connections that are refused. linger returns the error of a
// failing listener.
func (s *Server) linger(ctx context.Context, delay time.Duration) error {
	select {
	case err := <-s.failed:
		return err
	case <-ctx.Done():
	case <-time.After(delay):
	}
	return nil
}

// finish accepts no new connections and waits for the open exchanges. Exchanges that are still open shortly before the
// time limit, or when ctx ends, are cut, and finish returns an error. With rest, it waits until connections are at
// rest, so that clients can learn of the drain.
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

// awaitRest waits until every client connection is at rest, or ctx ends.
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

// shutdown closes client connections without a request, and waits until all other connections and exchanges have ended,
// or ctx ends. It ignores that the listener is already closed.
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
