package upstream

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// newSequence returns a sequence. When the range begins, it calls run, which yields the elements. The context
// of run ends with the range, so the request ends too. After the end of the caller's context, errors become
// the context's cause, because that ended the request. No error shows key, the upstream's key.
func newSequence[P portion](
	ctx context.Context, key string,
	run func(ctx context.Context, cancel context.CancelFunc, yield func(P, error) bool),
) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		run(inner, cancel, func(p P, err error) bool {
			if err != nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return yield(p, hideKey(err, key))
		})
	}
}

// portion is a part of an answer: a chunk of text or, for a model with a tool API of its own, an event.
type portion interface {
	translate.Chunk | messages.Event
}

// complete returns a yield that adds what the events of an answer do not tell. The first portion with a field for it,
// and an error, get the upstream's id of the request. A portion gets More if the next one is already available; more is
// nil if nobody knows.
func complete[P portion](id string, more func() bool, yield func(P, error) bool) func(P, error) bool {
	told := false
	return func(p P, err error) bool {
		if err != nil {
			return yield(p, errorWithID(err, id))
		}
		next := more != nil && !isLast(p) && more()
		switch p := any(&p).(type) {
		case *translate.Chunk:
			p.More = next
			if !told {
				p.RequestID, told = id, true
			}
		case *messages.Event:
			p.More = next
			if !told && p.Message != nil {
				p.Message.RequestID, told = id, true
			}
		}
		return yield(p, nil)
	}
}

// errorWithID returns err with the upstream's id of the request, if err is an [*Error] without an id. It copies the
// error, because several requests may share one.
func errorWithID(err error, id string) error {
	var known *Error
	if !errors.As(err, &known) || known.RequestID != "" {
		return err
	}
	own := *known
	own.RequestID = id
	return &own
}

// isLast reports whether this portion completes the answer.
func isLast[P portion](p P) bool {
	switch p := any(p).(type) {
	case translate.Chunk:
		return p.Stop != ""
	case messages.Event:
		return p.Type == messages.MessageStop
	}
	return false
}

// Limits for data after the end of an answer.
const (
	trailerBytes = 64 << 10
	trailerWait  = 50 * time.Millisecond
)

// drain reads the rest of a body after the end of an answer, so that the connection can serve the next
// request. If the body does not end soon, drain cancels the request, and the connection is lost.
func drain(body io.Reader, cancel context.CancelFunc) {
	timer := time.AfterFunc(trailerWait, cancel)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, body, trailerBytes)
}

// decodeStream yields the portion that decode returns for each event, up to the last portion. If the events
// end earlier, it yields an error. It reports whether it reached the last portion.
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
