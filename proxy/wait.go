package proxy

import (
	"context"
	"iter"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// withTimeouts passes on the pieces of an upstream's answer: chunks, or events.
//
// Before each piece the proxy waits for the upstream. So the frames of a stream are
// written first, and cancel is called if the upstream is too slow. While a piece is
// yielded, the upstream waits for the proxy, and the time is recorded as the proxy's own.
// That takes two readings of the clock for a piece, however many events the piece makes.
//
// info returns the upstream's id of the request, "" if the piece has none, and how many
// bytes of memory the piece may take.
func withTimeouts[T any](ctx context.Context, x *exchange, cancel context.CancelCauseFunc, pieces iter.Seq2[T, error], info func(T) (requestID string, size int)) iter.Seq2[T, error] {
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
				id, size = info(piece)
				err = x.retain(size)
			}
			if ctx.Err() != nil { // an upstream with much to say may not have looked at ctx
				err = ctx.Err()
			}
			if err != nil {
				err = causeOr(ctx, err)
				x.recordCallError(err) // now: another try may succeed, and then nobody else learns of the error
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

// chunkInfo is the info of a model that only completes text.
func chunkInfo(c translate.Chunk) (requestID string, size int) {
	return c.RequestID, len(c.Text) + len(c.Thinking)
}

// eventInfo is the info of a model that is asked over the Messages API.
func eventInfo(e messages.Event) (requestID string, size int) {
	if e.Message != nil {
		requestID = e.Message.RequestID
	}
	if e.Type == messages.ContentBlockStart {
		size = bytesPerBlock
	}
	return requestID, size + len(e.Raw)
}
