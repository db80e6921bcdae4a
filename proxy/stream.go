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

	mu           sync.Mutex    // of the connection to the client and all below, which ping uses too
	began        bool          // the status line has been written
	spoke        bool          // so has an event
	pingsStopped bool          // for good
	err          error         // of the connection
	stall        *watch        // of a write; nil until began
	silence      *watch        // since the last write; nil until began
	written      time.Duration // when the last write ended, or was given up
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
	defer st.stopWatch()
	err := recoverPanic(func() error { return st.send(events) })
	st.stopPings()
	if len(st.pending) > 0 { // events before a failure that was at hand with them
		_, _ = st.flush(x.elapsed())
	}
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
		var took time.Duration
		if e.Type == messages.MessageStart || e.Type == messages.MessageStop {
			took = st.x.elapsed()
		}
		st.pending = st.frames.appendEvent(st.pending, e, took)
		if len(st.pending) >= maxPending {
			began := st.x.elapsed()
			now, err := st.flushPending(began)
			st.x.record.Parse -= now - began // Parse is the time of the proxy, and this was a wait for the client
			if err != nil {
				return err
			}
		}
	}
	_, err := st.flush(st.x.elapsed())
	return err
}

// flushPending is flush before more events come. If the upstream's answer is read to its end
// whatever becomes of the client, there is no error yet.
func (st *stream) flushPending(now time.Duration) (time.Duration, error) {
	now, err := st.flush(now)
	if st.x.s.finishes {
		err = nil
	}
	return now, err
}

// flush writes the frames that are pending. It is given the time, and returns it. The
// error is errClientGone.
func (st *stream) flush(now time.Duration) (time.Duration, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	now = max(now, st.written) // a ping may have been in the way
	if len(st.pending) > 0 {
		if !st.began {
			maps.Copy(st.w.Header(), st.x.w.Header())
			st.sendHeader()
		}
		st.spoke = true
		if !st.x.retainsAll {
			st.x.retained = 0
		}
		st.write(st.pending, now)
		st.pending = st.pending[:0]
	}
	return max(now, st.written), st.err
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
	st.silence = x.newWatch(x.s.pingAfter, st.ping)
	st.silence.begin(x.elapsed())
	st.stall = x.newWatch(x.s.timeouts.WriteStall, func() { _ = x.control.SetWriteDeadline(time.Unix(1, 0)) }) // which ends the write
}

// ping is called when the client has heard nothing for a while.
func (st *stream) ping() {
	if !st.mu.TryLock() { // something is being written
		return
	}
	defer st.mu.Unlock()
	if st.pingsStopped {
		return
	}
	if st.spoke {
		st.write(st.x.dialect.pingFrame, st.x.elapsed())
	} else {
		st.write(st.x.dialect.waitFrame, st.x.elapsed())
	}
}

// write writes frames to the client. If that fails, the client is gone, and the context of its
// request ends. It is given the time. The caller holds mu.
func (st *stream) write(frames []byte, now time.Duration) {
	if st.err != nil || len(frames) == 0 {
		return
	}
	st.silence.end()
	st.stall.begin(now)
	n, err := st.w.Write(frames)
	st.x.record.BytesOut += int64(n)
	if err == nil {
		err = st.x.control.Flush()
	}
	st.stall.end()
	st.written = st.x.elapsed()
	if err != nil {
		st.err = fmt.Errorf("%w: %w", errClientGone, err)
		st.x.leave(st.err)
		return
	}
	st.silence.begin(st.written)
}

// stopPings stops the pings for good.
func (st *stream) stopPings() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.pingsStopped = true
	if st.began {
		st.silence.stop()
	}
}

// stopWatch stops the watch over writes, after the last one.
func (st *stream) stopWatch() {
	if st.stall != nil {
		st.stall.stop()
	}
}

// sendLast writes what is pending and the frame that ends the stream, after stopPings.
func (st *stream) sendLast(frame []byte) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.write(append(st.pending, frame...), st.x.elapsed())
}
