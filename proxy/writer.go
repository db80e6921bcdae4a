package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"

	"dragoman/translate/messages"
)

// This file alone writes answers to the client.

// respond writes a whole answer, in JSON. The only error is errClientGone.
func (x *exchange) respond(status int, body []byte) error {
	x.record.Status = status
	x.w.Header().Set("Content-Type", "application/json")
	x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	x.extendWriteDeadline()
	x.w.WriteHeader(status)
	n, err := x.w.Write(body)
	x.record.BytesOut = int64(n)
	if err != nil {
		return errClientGone
	}
	return nil
}

// extendWriteDeadline gives the client timeouts.write_stall to take what is written
// next. Connections without deadlines, as in tests, have no limit.
func (x *exchange) extendWriteDeadline() {
	_ = x.control.SetWriteDeadline(time.Now().Add(x.s.timeouts.WriteStall))
}

// clearWriteDeadline takes the limit away: a whole answer sets its own, and the writes of a
// stream are watched. On HTTP/2 a deadline that passes ends the stream, even if it is only
// silent.
func (x *exchange) clearWriteDeadline() { _ = x.control.SetWriteDeadline(time.Time{}) }

// stream writes a streamed answer to the client. It gathers the frames of events up to a
// [messages.Pause], and then writes them at once. When the client has heard nothing for a
// while, a timer writes a ping.
type stream struct {
	x       *exchange
	w       http.ResponseWriter // the client's: see beginEarly
	frames  frameWriter
	pending []byte // whole frames, not yet written

	mu           sync.Mutex // of the connection to the client and all below, which ping uses too
	began        bool       // the status line has been written
	spoke        bool       // so has an event
	pingsStopped bool       // for good
	err          error      // of the connection
	stall        *watch     // of a write; nil until began
	silence      *watch     // since the last write; nil until began
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
	defer st.beginEarly()()
	defer st.stopWatch()
	err := recoverPanic(func() error { return st.send(events) })
	st.stopPings()
	begins := st.began || len(st.pending) > 0 // with events before a failure that was at hand with them
	if begins && err != nil && !errors.Is(err, errClientGone) {
		st.pending = st.frames.appendFailure(st.pending, failureFor(err), x.record.RequestID)
	}
	gone := st.flush()
	return cmp.Or(err, gone)
}

// send writes the events up to the last pause, or the first error. The frames of those behind it are pending.
func (st *stream) send(events iter.Seq2[messages.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		if e.Type != messages.Pause {
			var took time.Duration
			if e.Type == messages.MessageStart || e.Type == messages.MessageStop {
				took = st.x.elapsed()
			}
			if st.pending = st.frames.appendEvent(st.pending, e, took); len(st.pending) < maxPending {
				continue
			}
		}
		if err := st.flush(); err != nil && !st.x.s.finishes { // else the upstream's answer is read to its end all the same
			return err
		}
	}
	return nil
}

// flush writes the frames that are pending. The error is errClientGone.
func (st *stream) flush() error {
	began := st.x.elapsed()
	st.mu.Lock() // which a ping may hold
	defer st.mu.Unlock()
	if len(st.pending) > 0 {
		if !st.began {
			maps.Copy(st.w.Header(), st.x.w.Header())
			st.sendHeader()
		}
		st.spoke = true
		st.write(st.pending)
		st.pending = st.pending[:0]
		st.x.writing += st.x.elapsed() - began
	}
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
	st.silence.end()
	st.stall.begin(st.x.elapsed())
	n, err := st.w.Write(frames)
	st.x.record.BytesOut += int64(n)
	if err == nil {
		err = st.x.control.Flush()
	}
	st.stall.end()
	if err != nil {
		st.err = fmt.Errorf("%w: %w", errClientGone, err)
		st.x.leave(st.err)
		return
	}
	st.silence.begin(st.x.elapsed())
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
