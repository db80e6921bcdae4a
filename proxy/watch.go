package proxy

import (
	"sync"
	"sync/atomic"
	"time"
)

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
