package proxy

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"sync"
	"time"

	"dragoman/translate/messages"
)

// stream writes a streamed answer to the client. It gathers the frames of events until
// the pipeline is about to wait for the upstream, and then writes them at once. When the
// client has heard nothing for a while, a timer writes a ping.
type stream struct {
	x       *exchange
	w       http.ResponseWriter // the client's: see beginEarly
	frames  frameWriter
	pending []byte // whole frames, not yet written

	mu           sync.Mutex  // of the connection to the client and all below, which the timer uses too
	began        bool        // the status line has been written
	spoke        bool        // so has an event
	pingsStopped bool        // for good
	err          error       // of the connection
	silence      *time.Timer // runs since the last write; nil until began
	written      time.Time   // when that was
}

// maxPending bounds the frames that are gathered: those of a long chunk are written in
// several parts.
const maxPending = 32 << 10

// streamEvents answers with events as they come. The status line goes out with the first
// one, so a failure before it can still be answered with a status of its own. After it, a
// failure ends the stream with a frame that says so: an answer that was cut never looks
// finished.
func (x *exchange) streamEvents(events iter.Seq2[messages.Event, error]) error {
	st := &stream{x: x, w: x.w, frames: x.dialect.newFrames(x.r.Header)}
	x.flush = st.flushPending
	defer st.beginEarly()()
	err := recoverPanic(func() error { return st.send(events) })
	st.stopPings()
	if st.began && err != nil && !errors.Is(err, errClientGone) {
		st.sendLast(st.frames.appendFailure(nil, failureFor(err), x.record.RequestID))
	}
	return err
}

// send writes the events, until the first error.
func (st *stream) send(events iter.Seq2[messages.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		st.pending = st.frames.appendEvent(st.pending, e, st.x.elapsed())
		if len(st.pending) >= maxPending {
			began := st.x.elapsed()
			err := st.flushPending()
			st.x.record.Parse -= st.x.elapsed() - began // Parse is the time of the proxy, and this was a wait for the client
			if err != nil {
				return err
			}
		}
	}
	return st.flush()
}

// flushPending is flush before more events come. If the upstream's answer is read to its end
// whatever becomes of the client, there is no error yet.
func (st *stream) flushPending() error {
	if err := st.flush(); !st.x.s.finishes {
		return err
	}
	return nil
}

// flush writes the frames that are pending. The error is errClientGone.
func (st *stream) flush() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.pending) > 0 {
		if !st.began {
			maps.Copy(st.w.Header(), st.x.w.Header())
			st.sendHeader()
		}
		st.spoke = true
		if !st.x.retainsAll {
			st.x.retained = 0
		}
	}
	st.write(st.pending)
	st.pending = st.pending[:0]
	return st.err
}

// sendHeader begins the answer.
func (st *stream) sendHeader() {
	x := st.x
	maps.Copy(st.w.Header(), x.dialect.streamHeader)
	st.w.WriteHeader(http.StatusOK)
	x.record.Status = http.StatusOK
	x.record.StreamBegan = true
	x.s.metrics.OpenStreams.Inc()
	st.began = true
	st.silence = time.AfterFunc(x.s.pingAfter, st.ping)
}

// ping is called by the timer. Its write starts the timer again.
func (st *stream) ping() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.pingsStopped || time.Since(st.written) < st.x.s.pingAfter { // the timer had fired before it was stopped
		return
	}
	if st.spoke {
		st.write(st.x.dialect.pingFrame)
	} else {
		st.write(st.x.dialect.waitFrame)
	}
}

// write writes frames to the client. If that fails, the client is gone, and the context of its
// request ends. The caller holds mu.
func (st *stream) write(frames []byte) {
	if st.err != nil || len(frames) == 0 {
		return
	}
	st.silence.Stop()
	st.x.extendWriteDeadline()
	n, err := st.w.Write(frames)
	st.x.record.BytesOut += int64(n)
	if err == nil {
		err = st.x.control.Flush()
	}
	st.x.clearWriteDeadline()
	if err != nil {
		st.err = fmt.Errorf("%w: %w", errClientGone, err)
		st.x.leave(st.err)
		return
	}
	st.written = time.Now()
	st.silence.Reset(st.x.s.pingAfter)
}

// stopPings stops the timer for good.
func (st *stream) stopPings() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.pingsStopped = true
	if st.began {
		st.silence.Stop()
	}
}

// sendLast writes what is pending and the frame that ends the stream, after stopPings.
func (st *stream) sendLast(frame []byte) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.write(append(st.pending, frame...))
	st.silence.Stop()
}
