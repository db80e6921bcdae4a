package proxy

import (
	"context"
	"iter"
	"time"

	"dragoman/translate"
)

// The names of the time-outs in the configuration, below timeouts.
const (
	firstByteTimeout = "first_byte"
	idleTimeout      = "idle"
	totalTimeout     = "total"
)

// expire cancels after a time-out.
func expire(cancel context.CancelCauseFunc, name string, limit time.Duration) *time.Timer {
	return time.AfterFunc(limit, func() { cancel(&timeoutError{name, limit}) })
}

// attend stands between an upstream and the parser, where it is known who waits
// for whom: between two chunks we wait for the upstream, in a chunk it waits for
// us. So this is where the frames of a stream go out before we wait, where slow
// upstreams are given up, with cancel, and where our own time is measured: two
// readings of the clock for a chunk, however many events it makes.
//
// The first byte of an upstream is its first chunk.
func (x *exchange) attend(ctx context.Context, cancel context.CancelCauseFunc, chunks iter.Seq2[translate.Chunk, error]) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		limits := x.s.timeouts
		idle := expire(cancel, idleTimeout, limits.Idle)
		idle.Stop()
		defer idle.Stop()
		first := expire(cancel, firstByteTimeout, limits.FirstByte)
		defer first.Stop()

		for chunk, err := range chunks {
			first.Stop()
			idle.Stop()
			if err != nil {
				yield(chunk, reason(ctx, err))
				return
			}
			if chunk.RequestID != "" {
				x.record.UpstreamRequestID = chunk.RequestID
			}
			arrived := x.elapsed()
			more := yield(chunk, nil)
			x.record.Parse += x.elapsed() - arrived
			err = x.flush()
			if !more {
				return
			}
			if err != nil {
				yield(translate.Chunk{}, err)
				return
			}
			idle.Reset(limits.Idle)
		}
		if err := reason(ctx, nil); err != nil {
			yield(translate.Chunk{}, err)
		}
	}
}

// flush writes the frames of a stream that are ready.
func (x *exchange) flush() error {
	if x.stream == nil {
		return nil
	}
	return x.stream.flush()
}
