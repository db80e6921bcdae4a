package upstream

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// clock is the time of a server, as the Date headers of its responses tell it. Until the
// first one it is ours.
type clock struct{ ahead atomic.Int64 }

// maxSkew is how far two clocks may differ before signatures are refused for it; AWS
// takes five minutes.
const maxSkew = 4 * time.Minute

// skew returns how far the server's clock is ahead of ours; negative if it is behind.
func (c *clock) skew() time.Duration { return time.Duration(c.ahead.Load()) }

// until returns how long it is until a moment of the server's time.
func (c *clock) until(at time.Time) time.Duration { return time.Until(at) - c.skew() }

// note learns from a response to a request that was sent at this time. A date between
// the two is what it should be, however long the answer took. A response of a cache
// tells nothing.
func (c *clock) note(sent time.Time, h http.Header) {
	date, err := http.ParseTime(h.Get("date"))
	if err != nil || h.Get("age") != "" {
		return
	}
	skew := time.Duration(0)
	switch received := time.Now(); {
	case date.After(received):
		skew = date.Sub(received)
	case date.Add(time.Second).Before(sent): // a date has whole seconds
		skew = date.Sub(sent)
	}
	c.ahead.Store(int64(skew))
}

// explained returns the error of a refusal, which says that our clock is wrong if it is.
func (c *clock) explained(err error) error {
	skew, way := c.skew().Round(time.Second), "behind"
	if skew.Abs() < maxSkew {
		return err
	}
	if skew < 0 {
		way = "ahead of"
	}
	return fmt.Errorf("%w: %w", plain(fmt.Sprintf("the clock of this machine is %v %s the server's", skew.Abs(), way)), err)
}
