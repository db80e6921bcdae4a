package proxy

import (
	"context"
	"iter"

	"dragoman/translate/messages"
)

// callContext returns the context of the calls of upstreams. It ends when the client leaves, unless
// the answer is then read to its end all the same, and when the server cuts the exchange.
func (x *exchange) callContext() (ctx context.Context, cancel context.CancelCauseFunc) {
	if !x.s.finishes {
		ctx, x.leave = context.WithCancelCause(x.r.Context())
		return ctx, x.leave
	}
	client, leave := context.WithCancelCause(x.r.Context())
	x.r, x.leave = x.r.WithContext(client), leave
	ctx, cancelCall := context.WithCancelCause(context.WithoutCancel(client))
	stop := context.AfterFunc(x.s.base, func() { cancelCall(context.Cause(x.s.base)) })
	return ctx, func(cause error) {
		stop()
		cancelCall(cause)
	}
}

// whileHeard passes on the events until the client has left. Those after that are dropped, so that
// nothing of them is kept, and errClientGone is the last element: an answer that was read to its
// end for nobody has been counted, and is not complete.
func (x *exchange) whileHeard(events iter.Seq2[messages.Event, error]) iter.Seq2[messages.Event, error] {
	if !x.s.finishes { // the call is cancelled instead
		return events
	}
	return func(yield func(messages.Event, error) bool) {
		client, left := x.r.Context(), false
		for e, err := range events {
			if left = left || client.Err() != nil && !wasCut(client); left {
				x.retained = 0
				continue
			}
			if !yield(e, err) {
				return
			}
		}
		if left {
			yield(messages.Event{}, errClientGone)
		}
	}
}
