package proxy

import "time"

const (
	// After tripAfter failed calls in a row a model, or an upstream, is not called for
	// openFor. Then one call is let through; if it succeeds, all are. While it lasts the
	// others are refused, but for no longer than openFor: a slow answer is no failure.
	tripAfter = 20
	openFor   = 5 * time.Second

	// forgetAfter is how long after the last failure those before it still count.
	forgetAfter = time.Minute
)

// circuit is what is known of the failures of a model, or of an upstream as a whole.
type circuit struct {
	failures int       // in a row
	last     time.Time // when the last of them was
	reopens  time.Time // when a call is let through, once there are tripAfter
	probing  bool      // that call is under way
}

// outcome is what a call says of a model, or of an upstream.
type outcome int

const (
	unknown outcome = iota
	works
	fails
)

// recent returns how many calls have failed in a row, if that is not long ago.
func (c *circuit) recent(now time.Time) int {
	if now.Sub(c.last) >= forgetAfter {
		return 0
	}
	return c.failures
}

// isOpen reports whether the calls have failed too often for all of them to be let through.
func (c *circuit) isOpen(now time.Time) bool { return c.recent(now) >= tripAfter }

// wait returns how long no call is let through; 0 if one may be made now.
func (c *circuit) wait(now time.Time) time.Duration {
	if !c.isOpen(now) {
		return 0
	}
	return max(0, c.reopens.Sub(now))
}

// begin takes note of a call that wait lets through. It reports whether that call tries for
// all others whether the circuit can be closed.
func (c *circuit) begin(now time.Time) (probe bool) {
	if !c.isOpen(now) || c.probing {
		return false
	}
	c.probing, c.reopens = true, now.Add(openFor)
	return true
}

// end takes note of what a call has come to. A call that has said nothing leaves it to the
// next one to try.
func (c *circuit) end(o outcome, probe bool, now time.Time) {
	switch o {
	case works:
		*c = circuit{}
	case fails:
		c.failures, c.last = c.recent(now)+1, now
		if probe || c.failures == tripAfter {
			c.reopens, c.probing = now.Add(openFor), false
		}
	case unknown:
		if probe {
			c.reopens, c.probing = now, false
		}
	}
}
