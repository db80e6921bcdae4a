package proxy

import "context"

// callContext returns the context of the calls of upstreams for a client, whose context ends when the client leaves.
// So does the context of the calls, unless the answer is then read to its end all the same; it ends as well when the
// server cuts the exchange. Calls that nobody waits for are to leave room for others: beyond a share they are cancelled.
func (s *Server) callContext(client context.Context) (context.Context, context.CancelCauseFunc) {
	if !s.finishes {
		return context.WithCancelCause(client)
	}
	ctx, cancelCall := context.WithCancelCause(context.WithoutCancel(client))
	stopCut := context.AfterFunc(s.base, func() { cancelCall(context.Cause(s.base)) })
	stopLeft := context.AfterFunc(client, func() {
		switch {
		case wasCut(client):
			return
		case !s.abandoned.take(1):
			cancelCall(errClientGone)
			return
		}
		<-ctx.Done()
		s.abandoned.give(1)
	})
	return ctx, func(cause error) {
		stopCut()
		stopLeft()
		cancelCall(cause)
	}
}
