package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"dragoman/translate/messages"
)

// reply is the answer to one request, whole or streamed. Only reply writes to the client.
//
// A streamed answer collects the frames of all events up to a [messages.Pause], and writes them together. If the client
// has received nothing for a while, a timer writes a ping.
type reply struct {
	s       *Server
	dialect *dialect
	record  *record // of the exchange; its header is sent with the status
	w       http.ResponseWriter
	control *http.ResponseController // of w

	frames  frameWriter             // of the stream
	leave   context.CancelCauseFunc // called when the client accepts no more of the stream
	pending []byte                  // whole frames, not yet written
	writing time.Duration           // how long the client has taken to accept the stream's writes

	mu           sync.Mutex // guards the connection to the client and the fields below, which ping uses, too
	streams      bool       // the status line of a stream has been written
	spoke        bool       // an event has been written
	pingsStopped bool       // for good
	err          error      // of the connection
	stall        *watch     // watches a write; nil until the stream has begun
	silence      *watch     // watches the time since the last write; nil until the stream has begun
}

// newReply returns the answer to a request. It removes the write deadline: a whole answer sets its own, and a stream
// watches its writes. On HTTP/2, an expired deadline would end even a stream that is only silent.
func newReply(s *Server, d *dialect, record *record, w http.ResponseWriter) *reply {
	a := &reply{s: s, dialect: d, record: record, w: w, control: http.NewResponseController(w)}
	_ = a.control.SetWriteDeadline(time.Time{})
	return a
}

// respond writes a whole answer in JSON. The client has timeouts.write_stall to accept it. Connections without
// deadlines, as in tests, have no limit. The only error is errClientGone.
func (a *reply) respond(status int, body []byte) error {
	a.record.Status = status
	a.record.header.Set("Content-Type", "application/json")
	a.record.header.Set("Content-Length", strconv.Itoa(len(body)))
	maps.Copy(a.w.Header(), a.record.header)
	_ = a.control.SetWriteDeadline(time.Now().Add(a.s.timeouts.WriteStall))
	a.w.WriteHeader(status)
	n, err := a.w.Write(body)
	a.record.BytesOut = int64(n)
	if err != nil {
		return errClientGone
	}
	return nil
}

// respondJSON writes v in JSON as a whole answer.
func (a *reply) respondJSON(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return a.respond(http.StatusOK, data)
}

// maxPending limits the collected frames: the frames of a long chunk are written in several parts.
const maxPending = 32 << 10

// stream answers with events, as frames, when they arrive. The status line is sent with the first event, so an earlier
// failure can still have a status of its own. A later failure ends the stream with an error frame: a cut answer never
// looks finished. stream calls leave when the client accepts no more data.
func (a *reply) stream(events iter.Seq2[messages.Event, error], frames frameWriter, leave context.CancelCauseFunc) error {
	a.frames, a.leave = frames, leave
	defer a.beginEarly()()
	defer a.stopWatch()
	err := recoverPanic(func() error { return a.send(events) })
	a.stopPings()
	begins := a.streams || len(a.pending) > 0 // false if a failure arrived together with the first events
	if begins && err != nil && !errors.Is(err, errClientGone) {
		a.pending = a.frames.appendFailure(a.pending, failureFor(err), a.record.RequestID)
	}
	gone := a.flush()
	return cmp.Or(err, gone)
}

// beginEarly begins the stream without an event after timeouts.early_commit_after. Pings follow, because a proxy in
// between might take a silent connection for dead. Models are still tried one after another. beginEarly returns the
// function that ends the wait, to be called when no more events come.
//
// The header of such an answer has what is known when the wait begins.
func (a *reply) beginEarly() (stop func()) {
	after := a.s.timeouts.EarlyCommit
	if after == 0 || a.dialect.waitFrame == nil {
		return func() {}
	}
	known := a.record.header.Clone()
	timer := time.AfterFunc(after, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if !a.streams && !a.pingsStopped {
			a.sendHeader(known)
			a.write(a.dialect.waitFrame)
		}
	})
	return func() { timer.Stop() }
}

// send writes the events up to the last pause, or up to the first error. The frames of later events stay pending.
func (a *reply) send(events iter.Seq2[messages.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		if e.Type != messages.Pause {
			var took time.Duration
			if e.Type == messages.MessageStart || e.Type == messages.MessageStop {
				took = a.record.elapsed()
			}
			if a.pending = a.frames.appendEvent(a.pending, e, took); len(a.pending) < maxPending {
				continue
			}
		}
		if err := a.flush(); err != nil && !a.s.finishes { // otherwise the upstream's answer is read to its end
			return err
		}
	}
	return nil
}

// flush writes the pending frames. The error is errClientGone.
func (a *reply) flush() error {
	began := a.record.elapsed()
	a.mu.Lock() // a ping may hold it
	defer a.mu.Unlock()
	if len(a.pending) > 0 {
		if !a.streams {
			a.sendHeader(a.record.header)
		}
		a.spoke = true
		a.write(a.pending)
		a.pending = a.pending[:0]
		a.writing += a.record.elapsed() - began
	}
	return a.err
}

// sendHeader begins a stream. The caller holds mu.
func (a *reply) sendHeader(header http.Header) {
	maps.Copy(a.w.Header(), header)
	maps.Copy(a.w.Header(), a.dialect.streamHeader)
	a.w.WriteHeader(http.StatusOK)
	a.record.Status = http.StatusOK
	a.record.StreamBegan = true
	a.s.metrics.OpenStreams.Inc()
	a.streams = true
	a.silence = newWatch(a.record.began, a.s.pingAfter, a.ping)
	a.silence.begin(a.record.elapsed())
	// Ends the write.
	a.stall = newWatch(a.record.began, a.s.timeouts.WriteStall, func() { _ = a.control.SetWriteDeadline(time.Unix(1, 0)) })
}

// ping is called when the client has received nothing for a while.
func (a *reply) ping() {
	if !a.mu.TryLock() { // another write is in progress
		return
	}
	defer a.mu.Unlock()
	switch {
	case a.pingsStopped:
	case a.spoke:
		a.write(a.dialect.pingFrame)
	default:
		a.write(a.dialect.waitFrame)
	}
}

// write writes frames to the client. A failed write means that the client is gone. The caller holds mu.
func (a *reply) write(frames []byte) {
	if a.err != nil || len(frames) == 0 {
		return
	}
	a.silence.end()
	a.stall.begin(a.record.elapsed())
	n, err := a.w.Write(frames)
	a.record.BytesOut += int64(n)
	if err == nil {
		err = a.control.Flush()
	}
	a.stall.end()
	if err != nil {
		a.err = fmt.Errorf("%w: %w", errClientGone, err)
		a.leave(a.err)
		return
	}
	a.silence.begin(a.record.elapsed())
}

// stopPings stops the pings for good.
func (a *reply) stopPings() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pingsStopped = true
	if a.streams {
		a.silence.stop()
	}
}

// stopWatch stops the watch over writes after the last write.
func (a *reply) stopWatch() {
	if a.stall != nil {
		a.stall.stop()
	}
}
