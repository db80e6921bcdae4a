package upstream

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"dragoman/translate"
)

// newSequence makes a sequence of run, which talks to one upstream. The context that
// run gets ends with the range. An error that came after the end of the caller's
// context is replaced by the context's cause.
func newSequence[P portion](
	ctx context.Context,
	run func(ctx context.Context, cancel context.CancelFunc, yield func(P, error) bool),
) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		run(inner, cancel, func(p P, err error) bool {
			if err != nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return yield(p, err)
		})
	}
}

// portion is what an answer comes in: the chunks of a text, or the events of a model
// with tools of its own.
type portion interface {
	translate.Chunk | translate.Event
}

// withRequestID adds the upstream's id of the request to the first portion that can have
// it, or to an error: to a copy, for one error may be the cause that many calls ended with.
func withRequestID[P portion](id string, yield func(P, error) bool) func(P, error) bool {
	told := false
	return func(p P, err error) bool {
		var known *Error
		if errors.As(err, &known) && known.RequestID == "" {
			own := *known
			own.RequestID = id
			err = &own
		}
		if !told && err == nil {
			switch p := any(&p).(type) {
			case *translate.Chunk:
				p.RequestID, told = id, true
			case *translate.Event:
				if p.Message != nil {
					p.Message.RequestID, told = id, true
				}
			}
		}
		return yield(p, err)
	}
}

// isLast reports whether the answer is whole with this portion.
func isLast[P portion](p P) bool {
	switch p := any(p).(type) {
	case translate.Chunk:
		return p.Stop != ""
	case translate.Event:
		return p.Type == translate.MessageStop
	}
	return false
}

// drain reads what follows the end of an answer, which lets its connection serve
// the next one. An upstream that has not finished by then is cut off.
func drain(body io.Reader, cancel context.CancelFunc) {
	timer := time.AfterFunc(trailerWait, cancel)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, body, trailerBytes)
}

// decodeStream yields the piece of an answer that decode makes of each event, up to
// the last one. If the events end before, so does the answer: in an error. It
// reports whether it came to the last piece.
func decodeStream[E any, P portion](events iter.Seq2[E, error], decode func(E) (P, error), yield func(P, error) bool) bool {
	var none P
	for event, err := range events {
		var p P
		if err == nil {
			p, err = decode(event)
		}
		if err != nil {
			yield(none, err)
			return false
		}
		if last := isLast(p); !yield(p, nil) || last {
			return last
		}
	}
	yield(none, gatewayError("the upstream broke off before the end of its answer", nil))
	return false
}
