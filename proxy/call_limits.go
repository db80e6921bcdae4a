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

// Timeouts bound the parts of an exchange. A zero stands for the default.
type Timeouts struct {
	FirstByte  time.Duration // from the call of an upstream until its first piece of an answer; 10 min
	Idle       time.Duration // between two pieces of the upstream's answer; 5 min
	ModelReady time.Duration // for a model that is not ready, from the first call of it; 5 min
	Total      time.Duration // from the first call of an upstream until the end; 60 min
	WriteStall time.Duration // for the client to take what was written; 60 s
	// EarlyCommit is how long a stream waits for its first event before the status line goes out
	// without one, where the client's API allows that; 0 for as long as it takes.
	EarlyCommit time.Duration
}

// DefaultTimeouts are those of a server that is told none.
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

// The names of the timeouts in the configuration, below timeouts.
const (
	firstByteTimeout = "first_byte"
	idleTimeout      = "idle"
	totalTimeout     = "total"
)

// timeoutError says that an upstream was too slow.
type timeoutError struct {
	name  string // in the configuration, below timeouts
	limit time.Duration
}

func (e *timeoutError) Error() string {
	return fmt.Sprintf("the upstream took too long: timeouts.%s is %v", e.name, e.limit)
}

// cancelAfter calls cancel with a timeoutError when the limit has passed, unless the
// timer is stopped before.
func cancelAfter(cancel context.CancelCauseFunc, name string, limit time.Duration) *time.Timer {
	return time.AfterFunc(limit, func() { cancel(&timeoutError{name, limit}) })
}

// watch calls a function when something has been under way for longer than it may.
//
// What begins and ends with each piece of an answer must not cost a timer each time. So
// begin and end note the time and no more; the timer looks, when it fires, whether the
// limit has passed, and else is set for the moment when it will have.
type watch struct {
	epoch   time.Time // from which time counts
	limit   time.Duration
	expire  func()
	began   atomic.Int64 // when, as a time.Duration since epoch; notUnderWay if it has ended
	mu      sync.Mutex   // of timer and stopped
	timer   *time.Timer
	stopped bool
}

const notUnderWay = -1

// newWatch returns a watch that runs until it is stopped. expire is called by another
// goroutine, once for each limit that has passed, and not after stop.
func newWatch(epoch time.Time, limit time.Duration, expire func()) *watch {
	w := &watch{epoch: epoch, limit: limit, expire: expire}
	w.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(limit, w.look)
	return w
}

// begin says that what is watched has begun at this time since the epoch.
func (w *watch) begin(at time.Duration) { w.began.Store(int64(at)) }

// end says that it has ended.
func (w *watch) end() { w.began.Store(notUnderWay) }

// look is called by the timer.
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

// An upstream that does not come to an end must not fill the memory. What the parser holds back has bounds of its own.
const (
	maxRetained = 64 << 20 // bytes of an answer that is collected: for the client, or to be checked
	maxBlocks   = 10_000   // content blocks of one answer
)

// retained counts the bytes of an answer that is collected.
type retained int

// add adds bytes. The error says that there are too many.
func (r *retained) add(bytes int) error {
	if *r += retained(bytes); *r > maxRetained {
		return errEndless(fmt.Sprintf("more than %d MB of its answer have to be kept", maxRetained>>20))
	}
	return nil
}

func errEndless(what string) error {
	return &upstream.Error{Status: http.StatusBadGateway, Type: messages.ErrorAPI, Message: "the upstream does not come to an end: " + what, Final: true}
}

// mostAtOnce is how much text of an answer is parsed before [readAnswer] looks again whether the client is
// there, in bytes. An upstream may send megabytes in one chunk, and to parse one of them can take a third of a
// second. What is made of a text does not depend on its pieces (G2).
const mostAtOnce = 16 << 10

// chunksInPieces yields each chunk in pieces of mostAtOnce. Its Calls are in the first one, its Stop in the last one.
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

// textsInPieces yields each delta of text in pieces of mostAtOnce, which have no Raw.
func textsInPieces(events iter.Seq2[messages.Event, error]) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		for e, err := range events {
			for e.Delta == messages.TextDelta && len(e.Text) > mostAtOnce {
				piece := e
				piece.Raw, piece.More, e.Raw = nil, true, nil
				piece.Text, e.Text = cutText(e.Text)
				if !yield(piece, nil) {
					return
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// cutText returns the first mostAtOnce bytes of a text, or a few less so that no character is cut, and the rest.
func cutText[T string | []byte](text T) (piece, rest T) {
	n := min(len(text), mostAtOnce)
	for least := n - utf8.UTFMax; n < len(text) && n > least && !utf8.RuneStart(text[n]); {
		n--
	}
	return text[:n], text[n:]
}
