package proxy

import "context"

// callContext returns the context of the calls of upstreams. It ends when the client leaves, unless
// the answer is then read to its end all the same, and when the server cuts the exchange. Those that
// nobody waits for are to leave room for others: beyond a share they are cancelled.
func (x *exchange) callContext() (ctx context.Context, cancel context.CancelCauseFunc) {
	if !x.s.finishes {
		ctx, x.leave = context.WithCancelCause(x.r.Context())
		return ctx, x.leave
	}
	client, leave := context.WithCancelCause(x.r.Context())
	x.r, x.leave = x.r.WithContext(client), leave
	ctx, cancelCall := context.WithCancelCause(context.WithoutCancel(client))
	stopCut := context.AfterFunc(x.s.base, func() { cancelCall(context.Cause(x.s.base)) })
	stopLeft := context.AfterFunc(client, func() {
		switch {
		case wasCut(client):
			return
		case !x.s.abandoned.take(1):
			cancelCall(errClientGone)
			return
		}
		<-ctx.Done()
		x.s.abandoned.give(1)
	})
	return ctx, func(cause error) {
		stopCut()
		stopLeft()
		cancelCall(cause)
	}
}
