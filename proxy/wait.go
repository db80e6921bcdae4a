package proxy

import (
	"context"
	"iter"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// readAnswer runs the call of an upstream and passes on the pieces of its answer: chunks, or events. look
// is shown each piece, and may end the answer with an error. Observers are told of the call.
//
// Before a piece the proxy waits for the upstream, unless the piece before has More: cancel is
// called if the upstream is too slow. While pieces are yielded, the upstream waits for the proxy.
// That time is recorded as the proxy's own, but for the time in which the client is written to.
func readAnswer[T any](ctx context.Context, x *exchange, m UpstreamModel, cancel context.CancelCauseFunc,
	call func(context.Context) iter.Seq2[T, error], look func(T) (pieceInfo, error),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		var failure error
		ctx := x.observed.calling(ctx, m)
		defer func() { x.observed.called(failure) }()
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
		for piece, err := range call(ctx) {
			if waited {
				arrived = x.elapsed() - x.reply.writing
				if idle == nil {
					first.Stop()
				} else {
					idle.end()
				}
			}
			var told pieceInfo
			if err == nil {
				told, err = look(piece)
			}
			if ctx.Err() != nil { // an upstream with much to say may not have looked at ctx
				err = ctx.Err()
			}
			if err != nil {
				failure = causeOr(ctx, err)
				x.recordCallError(failure) // now: another try may succeed, and then nobody else learns of the error
				yield(none, failure)
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
			x.record.Parse += now - x.reply.writing - arrived
			if !wanted {
				return
			}
			if idle == nil {
				idle = newWatch(x.began, limits.Idle, func() { cancel(&timeoutError{idleTimeout, limits.Idle}) })
			}
			idle.begin(now)
		}
		if failure = causeOr(ctx, nil); failure != nil {
			yield(none, failure)
		}
	}
}

// pieceInfo is what a piece of an answer says of itself.
type pieceInfo struct {
	requestID   string // the upstream's id of the request; "" if the piece has none
	unknownStop string // why the answer ended, in a word that is not known; "" for any other piece
	more        bool   // the next piece is at hand
}

// lookAtEvent returns what an event of a model says that is asked over the Messages API.
func lookAtEvent(e messages.Event) (pieceInfo, error) {
	told := pieceInfo{more: e.More}
	if e.Message != nil {
		told.requestID = e.Message.RequestID
		if stop := e.Message.StopReason; stop != "" && !stop.IsKnown() {
			told.unknownStop = string(stop)
		}
	}
	return told, nil
}

// chunkLooker returns what looks at the chunks of a model's answer to p. Where the answer has to pass checks, all
// of it may be collected, and collected counts it; else that is nil.
func (x *exchange) chunkLooker(m UpstreamModel, p *translate.Prompt, collected *retained) func(translate.Chunk) (pieceInfo, error) {
	var told *translate.Chunk // which observers are shown: to show them c would put each chunk on the heap
	if len(x.observed) > 0 {
		told = new(translate.Chunk)
	}
	warnOfCut := x.warnerOfCut(m, p)
	return func(c translate.Chunk) (pieceInfo, error) {
		if told != nil {
			*told = c
			x.observed.chunk(told)
		}
		if c.Stop != "" {
			warnOfCut(c.Usage)
		}
		var err error
		if collected != nil {
			err = collected.add(len(c.Text) + len(c.Thinking))
		}
		return pieceInfo{c.RequestID, c.UnknownStop, c.More}, err
	}
}
