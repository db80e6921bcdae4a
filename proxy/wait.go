package proxy

import (
	"context"
	"iter"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// withTimeouts passes on the pieces of an upstream's answer: chunks, or events. It stands
// where it is known who waits for whom. Between two pieces the proxy waits for the
// upstream: so this is where the frames of a stream are written before the wait, and
// where cancel gives up an upstream that is too slow. In a piece the upstream waits for
// the proxy: so this is where the proxy's own time is measured, by two readings of the
// clock for a piece, however many events it makes.
//
// info returns what a piece says besides its text: the upstream's id of the request,
// which is in one of the pieces, if it gave one, and how many bytes of memory the piece may take.
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
				x.recordCallError(err) // here, since the error may be made good later
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
