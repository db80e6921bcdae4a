package proxy

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// Timeouts limit the parts of an exchange. Zero means the default.
type Timeouts struct {
	FirstByte  time.Duration // from the call to an upstream to the first piece of its answer; 10 min
	Idle       time.Duration // between two pieces of the upstream's answer; 5 min
	ModelReady time.Duration // for a model that is not ready, from the first call to it; 5 min
	Total      time.Duration // from the first call to an upstream to the end; 60 min
	WriteStall time.Duration // for the client to accept a write; 60 s
	// EarlyCommit is how long a stream waits for its first event before it sends the status line without an event, if
	// the client's API allows that. 0 means as long as it takes.
	EarlyCommit time.Duration
}

// DefaultTimeouts apply where nothing else is set.
var DefaultTimeouts = Timeouts{FirstByte: 10 * time.Minute, Idle: 5 * time.Minute, ModelReady: 5 * time.Minute, Total: time.Hour, WriteStall: time.Minute}

func (t Timeouts) withDefaults() Timeouts {
	return Timeouts{
		FirstByte:  cmp.Or(t.FirstByte, DefaultTimeouts.FirstByte),
		Idle:       cmp.Or(t.Idle, DefaultTimeouts.Idle),
		ModelReady: cmp.Or(t.ModelReady, DefaultTimeouts.ModelReady),
		Total:      cmp.Or(t.Total, DefaultTimeouts.Total),
		WriteStall: cmp.Or(t.WriteStall, DefaultTimeouts.WriteStall),

		EarlyCommit: t.EarlyCommit,
	}
}

// The names of the timeouts in the configuration, under timeouts.
const (
	firstByteTimeout = "first_byte"
	idleTimeout      = "idle"
	totalTimeout     = "total"
)

// timeoutError means that an upstream was too slow.
type timeoutError struct {
	name  string // in the configuration, under timeouts
	limit time.Duration
}

func (e *timeoutError) Error() string {
	return fmt.Sprintf("the upstream took too long: timeouts.%s is %v", e.name, e.limit)
}

// cancelAfter calls cancel with a timeoutError after the limit, unless the timer is stopped before.
func cancelAfter(cancel context.CancelCauseFunc, name string, limit time.Duration) *time.Timer {
	return time.AfterFunc(limit, func() { cancel(&timeoutError{name, limit}) })
}

// watch calls a function when an activity takes longer than its limit.
//
// An activity that begins and ends with each piece of an answer cannot afford a timer for each piece. So begin and end
// only note the time. When the timer fires, it checks whether the limit has passed, and if not, sets itself for the
// moment when it will have passed.
type watch struct {
	epoch   time.Time // times are durations since epoch
	limit   time.Duration
	expire  func()
	began   atomic.Int64 // when the activity began, as a time.Duration; notUnderWay after its end
	mu      sync.Mutex   // guards timer and stopped
	timer   *time.Timer
	stopped bool
}

const notUnderWay = -1

// newWatch returns a watch that runs until it is stopped. It calls expire from another goroutine, once each time the
// limit passes, and never after stop.
func newWatch(epoch time.Time, limit time.Duration, expire func()) *watch {
	w := &watch{epoch: epoch, limit: limit, expire: expire}
	w.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(limit, w.look)
	return w
}

// begin notes that the activity began at this time.
func (w *watch) begin(at time.Duration) { w.began.Store(int64(at)) }

// end notes that the activity has ended.
func (w *watch) end() { w.began.Store(notUnderWay) }

// look runs when the timer fires.
func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	left := w.limit
	if began := w.began.Load(); began != notUnderWay {
		left -= time.Since(w.epoch) - time.Duration(began)
	}
	if left <= 0 {
		w.expire()
		left = w.limit
	}
	w.timer.Reset(left)
}

// stop ends the watch for good.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
}

// An endless answer must not fill the memory. The parser limits what it holds back by itself.
const (
	maxRetained = 64 << 20 // bytes of an answer that are kept: for a client without a stream, or for checks
	maxBlocks   = 10_000   // content blocks in one answer
)

// retained counts the bytes of an answer that are kept in memory.
type retained int

// add adds bytes. It returns an error if there are too many.
func (r *retained) add(bytes int) error {
	if *r += retained(bytes); *r > maxRetained {
		return errEndless(fmt.Sprintf("more than %d MB of it have to be kept in memory", maxRetained>>20))
	}
	return nil
}

func errEndless(what string) error {
	return &upstream.Error{Status: http.StatusBadGateway, Type: messages.ErrorAPI, Message: "the upstream's answer does not end: " + what, Final: true}
}

// mostAtOnce is how many bytes of an answer are parsed before [readAnswer] checks again that the client is there. An
// upstream may send megabytes in one chunk, and parsing one megabyte can take a third of a second. How a text is cut
// into pieces does not change its events (G2).
const mostAtOnce = 16 << 10

// chunksInPieces yields each chunk in pieces of mostAtOnce. The first piece has the chunk's Calls, the last one its
// Stop.
func chunksInPieces(chunks iter.Seq2[translate.Chunk, error]) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		for c, err := range chunks {
			for len(c.Thinking)+len(c.Text) > mostAtOnce {
				piece := c
				piece.Stop, piece.StopSequence, piece.Left, piece.More = "", "", false, true
				piece.Thinking, c.Thinking = cutText(c.Thinking)
				piece.Text = ""
				if c.Thinking == "" && piece.Thinking == "" {
					piece.Text, c.Text = cutText(c.Text)
				}
				if !yield(piece, nil) {
					return
				}
				c.Calls = nil
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// cutText returns the first mostAtOnce bytes of a text, or a few less to keep characters whole, and the rest.
func cutText(text string) (piece, rest string) {
	n := min(len(text), mostAtOnce)
	for least := n - utf8.UTFMax; n < len(text) && n > least && !utf8.RuneStart(text[n]); {
		n--
	}
	return text[:n], text[n:]
}
