package proxy

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"sync"
	"time"

	"dragoman/translate"
)

// stream is the client's side of a streamed answer. It gathers the frames of
// events until the pipeline is about to wait for the upstream, and then writes
// them at once. When the client has heard nothing for a while, a timer pings.
type stream struct {
	x       *exchange
	cancel  context.CancelCauseFunc // of the upstream, when the client is gone
	frames  frameWriter             // makes the frames
	pending []byte                  // whole frames, not yet written

	mu           sync.Mutex // of all below and of the client's connection
	began        bool       // the status line has gone out
	pingsStopped bool       // no more pings
	err          error      // of the connection
	silence      *time.Timer
}

// mostFrames bounds the bytes that are gathered: a long chunk goes out in parts.
const maxPending = 32 << 10

// stream answers with the events, as they come. Once the status line has gone out, a
// failure is the last frame: what was cut never looks finished. cancel is for a client
// that leaves.
func (x *exchange) streamEvents(events iter.Seq2[translate.Event, error], cancel context.CancelCauseFunc) error {
	st := &stream{x: x, cancel: cancel, frames: x.dialect.newFrames(x.r.Header)}
	x.flush = st.flush
	err := recoverPanic(func() error { return st.send(events) })
	if began := st.stopPings(); began && err != nil && !errors.Is(err, errClientGone) {
		st.sendLast(st.frames.appendFailure(nil, failureFor(err), x.record.RequestID))
	}
	return err
}

// send streams the events to the client.
func (st *stream) send(events iter.Seq2[translate.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		st.pending = st.frames.appendEvent(st.pending, e, st.x.elapsed())
		if len(st.pending) >= maxPending {
			began := st.x.elapsed()
			err := st.flush()
			st.x.record.Parse -= st.x.elapsed() - began // it is the client's time
			if err != nil {
				return err
			}
		}
	}
	return st.flush()
}

// flush writes what has been gathered. The error says that the client is gone.
func (st *stream) flush() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.pending) > 0 {
		if !st.began {
			st.sendHeader()
		}
		if !st.x.retainsAll {
			st.x.retained = 0
		}
	}
	st.write(st.pending)
	st.pending = st.pending[:0]
	return st.err
}

// begin sends the status line, with the first event.
func (st *stream) sendHeader() {
	x := st.x
	maps.Copy(x.w.Header(), x.dialect.streamHeader)
	x.w.WriteHeader(http.StatusOK)
	x.record.Status = http.StatusOK
	x.record.StreamBegan = true
	x.s.metrics.OpenStreams.Inc()
	st.began = true
	st.silence = time.AfterFunc(x.s.ping, st.ping)
}

// ping breaks the silence, which each write begins anew.
func (st *stream) ping() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.pingsStopped { // the timer had fired before it could be stopped
		return
	}
	st.write(st.x.dialect.pingFrame)
}

// write sends frames to the client, whose being gone cancels the upstream. The
// caller holds mu.
func (st *stream) write(frames []byte) {
	if st.err != nil || len(frames) == 0 {
		return
	}
	st.silence.Stop()
	st.x.extendWriteDeadline()
	n, err := st.x.w.Write(frames)
	st.x.record.BytesOut += int64(n)
	if err == nil {
		err = st.x.control.Flush()
	}
	st.x.clearWriteDeadline()
	if err != nil {
		st.err = fmt.Errorf("%w: %w", errClientGone, err)
		st.cancel(st.err)
		return
	}
	st.silence.Reset(st.x.s.ping)
}

// end stops the pings for good. It reports whether the stream had begun; if not,
// the answer can still be another.
func (st *stream) stopPings() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.pingsStopped = true
	if st.began {
		st.silence.Stop()
	}
	return st.began
}

// last writes what has been gathered and the frame that ends the stream, after end.
func (st *stream) sendLast(frame []byte) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.write(append(st.pending, frame...))
	st.silence.Stop()
}
