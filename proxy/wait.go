package proxy

import (
	"context"
	"iter"
)

// attend stands between an upstream and what reads its answer, where it is known
// who waits for whom: between two pieces we wait for the upstream, in a piece it
// waits for us. So this is where the frames of a stream go out before we wait, where
// slow upstreams are given up, with cancel, and where our own time is measured: two
// readings of the clock for a piece, however many events it makes.
//
// The first byte of an upstream is its first piece. tell says what of a piece is not
// for its reader: the upstream's id of the request, which is in one of them if it gave
// any, and how much of it may be kept, in bytes.
func withTimeouts[T any](ctx context.Context, x *exchange, cancel context.CancelCauseFunc, pieces iter.Seq2[T, error], tell func(T) (requestID string, size int)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		limits := x.s.timeouts
		idle := cancelAfter(cancel, idleTimeout, limits.Idle)
		idle.Stop()
		defer idle.Stop()
		first := cancelAfter(cancel, firstByteTimeout, limits.FirstByte)
		defer first.Stop()

		for piece, err := range pieces {
			first.Stop()
			idle.Stop()
			var id string
			if err == nil {
				var size int
				id, size = tell(piece)
				err = x.retain(size)
			}
			if ctx.Err() != nil { // an upstream that has much to say may not have looked
				err = ctx.Err()
			}
			if err != nil {
				err = causeOr(ctx, err)
				x.recordCallError(err) // whatever becomes of it
				yield(none, err)
				return
			}
			if id != "" {
				x.record.UpstreamRequestID = id
			}
			arrived := x.elapsed()
			more := yield(piece, nil)
			x.record.Parse += x.elapsed() - arrived
			if x.flush != nil {
				err = x.flush()
			}
			if !more {
				return
			}
			if err != nil {
				yield(none, err)
				return
			}
			idle.Reset(limits.Idle)
		}
		if err := causeOr(ctx, nil); err != nil {
			yield(none, err)
		}
	}
}
