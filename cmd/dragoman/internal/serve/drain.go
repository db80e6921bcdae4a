package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
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

// repeat is how soon after the first signal another one is the same request to stop. timeout(1) signals its command and
// then the whole process group; npm and others pass on a Ctrl-C that the terminal has sent to everybody.
const repeat = 200 * time.Millisecond

// Stopped is the error of a drain that a second signal ended.
type Stopped struct{ Signal os.Signal }

func (s *Stopped) Error() string { return "drain: a second signal ended it" }

// Serve answers until ctx ends, and then drains: it accepts connections for timeouts.drain_delay, and open exchanges
// may finish until timeouts.drain is over, or until stops has a second signal; stops also has the one that ended ctx. A
// failing listener starts the drain, too. The error, which is also logged, is a *Stopped, or it says that a listener
// failed or that exchanges were cut.
func (s *Server) Serve(ctx context.Context, stops chan os.Signal) error {
	second, end := context.WithCancelCause(context.Background())
	defer end(nil)
	select {
	case failed := <-s.failed:
		cfg := s.Config()
		go s.awaitSecond(second, stops, end)
		defer s.close(second, leastFlush)
		return s.drain(second, failed, 0, cfg.Drain-cfg.DrainDelay)
	case <-ctx.Done():
		cfg := s.Config()
		deadline := time.Now().Add(cfg.Drain)
		go s.awaitSecond(second, stops, end)
		defer func() { s.close(second, min(mostFlush, time.Until(deadline))) }()
		return s.drain(second, nil, cfg.DrainDelay, cfg.Drain)
	}
}

// awaitSecond calls end with the second signal, unless ctx ends first. It says before that there may be one.
func (s *Server) awaitSecond(ctx context.Context, stops chan os.Signal, end context.CancelCauseFunc) {
	select {
	case <-time.After(repeat):
	case <-ctx.Done():
		return
	}
	for len(stops) > 0 { // the first, and what came with it
		<-stops
	}
	s.log.Info().Int64("open", s.open.Load()).Str("msg", "a second signal, such as Ctrl-C, ends the drain and the open exchanges at once").Send()
	select {
	case again := <-stops:
		signal.Stop(stops) // before anybody learns of the second, so that a third one ends the program
		end(&Stopped{again})
	case <-ctx.Done():
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
	var stopped *Stopped
	switch {
	case err == nil:
		s.log.Info().Str("msg", "drained").Send()
	case errors.As(err, &stopped):
		s.log.Info().Str("msg", stopped.Error()).Send()
	default:
		s.log.Error().Str("error", logging.Cut(err.Error())).Str("event", "server_failed").Str("msg", "the server ends with an error").Send()
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
// time limit, or when ctx ends, are cut, and finish returns an error. After a second signal, the error is *Stopped. With
// rest, it waits until connections are at rest, so that clients can learn of the drain.
func (s *Server) finish(ctx context.Context, limit time.Duration, rest bool) error {
	limited, cancel := context.WithTimeout(ctx, limit-min(Farewell, limit/2))
	defer cancel()
	s.clients.Close()
	if rest {
		s.awaitRest(limited)
	}
	cut := int64(0)
	if s.shutdown(limited) != nil {
		cut = s.open.Load()
		s.current().server.Cut()
		last, cancel := context.WithTimeout(context.Background(), Farewell)
		defer cancel()
		if s.shutdown(last) != nil {
			s.client.Close()
		}
	}
	s.admin.Close()
	s.serving.Wait()
	s.closeAll()
	switch why := context.Cause(ctx); {
	case why != nil && why != context.Canceled:
		return why
	case cut == 0:
		return nil
	case why != nil:
		return fmt.Errorf("drain: a signal ended it with %d exchanges open; they were cut", cut)
	}
	return fmt.Errorf("drain: the time was up with %d exchanges open; they were cut", cut)
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
