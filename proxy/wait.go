package proxy

import (
	"context"
	"iter"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// withTimeouts passes on the pieces of an upstream's answer: chunks, or events.
//
// Before a piece the proxy waits for the upstream, unless the piece before has More: cancel is
// called if the upstream is too slow. While pieces are yielded, the upstream waits for the proxy.
// That time is recorded as the proxy's own, but for the time in which the client is written to.
func withTimeouts[T any](ctx context.Context, x *exchange, cancel context.CancelCauseFunc, pieces iter.Seq2[T, error], info func(*T) pieceInfo) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		limits := x.s.timeouts
		first := cancelAfter(cancel, firstByteTimeout, limits.FirstByte)
		defer first.Stop()
		var idle *watch // nil before the first piece
		defer func() {
			if idle != nil {
				idle.stop()
			}
		}()

		waited := true // before the piece
		var arrived time.Duration
		for piece, err := range pieces {
			if waited {
				arrived = x.elapsed() - x.writing
				if idle == nil {
					first.Stop()
				} else {
					idle.end()
				}
			}
			var told pieceInfo
			if err == nil {
				told = info(&piece)
				err = x.retain(told.size)
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
			if told.requestID != "" {
				x.record.UpstreamRequestID = told.requestID
			}
			if told.unknownStop != "" {
				x.record.UnknownStop = stopWord(told.unknownStop)
			}
			wanted := yield(piece, nil)
			if waited = !told.more || !wanted; !waited {
				continue
			}
			now := x.elapsed()
			x.record.Parse += now - x.writing - arrived
			if !wanted {
				return
			}
			if idle == nil {
				idle = x.newWatch(limits.Idle, func() { cancel(&timeoutError{idleTimeout, limits.Idle}) })
			}
			idle.begin(now)
		}
		if err := causeOr(ctx, nil); err != nil {
			yield(none, err)
		}
	}
}

// pieceInfo is what a piece of an answer says of itself.
type pieceInfo struct {
	requestID   string // the upstream's id of the request; "" if the piece has none
	unknownStop string // why the answer ended, in a word that is not known; "" for any other piece
	size        int    // how many bytes of memory it may take
	more        bool   // the next piece is at hand
}

// chunkInfo is the info of a model that only completes text.
func chunkInfo(c *translate.Chunk) pieceInfo {
	return pieceInfo{c.RequestID, c.UnknownStop, len(c.Text) + len(c.Thinking), c.More}
}

// eventInfo is the info of a model that is asked over the Messages API.
func eventInfo(e *messages.Event) pieceInfo {
	told := pieceInfo{size: max(len(e.Raw), len(e.Text)), more: e.More}
	if e.Message != nil {
		told.requestID = e.Message.RequestID
		if stop := e.Message.StopReason; stop != "" && !stop.IsKnown() {
			told.unknownStop = string(stop)
		}
	}
	if e.Type == messages.ContentBlockStart {
		told.size += bytesPerBlock
	}
	return told
}
