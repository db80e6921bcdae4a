package upstream

import (
	"fmt"
	"net/http"
	"time"
)

// When credentials and access tokens are renewed, for AWS and Google.
const (
	// expirySlack is how long before their expiry credentials are no longer used: a request might arrive
	// after the expiry.
	expirySlack = 10 * time.Second
	// renewTimeout limits a whole look-up, and renewRequest each request of it. While the old credentials
	// still work, requests wait for at most renewWait.
	renewTimeout = 30 * time.Second
	renewRequest = 10 * time.Second
	renewWait    = 5 * time.Second
	// renewPause is the time between two look-ups after a failure, while the old credentials still work.
	renewPause = 10 * time.Second
)

// renewAt returns when to renew credentials that expire at end: early before end, but not before three
// quarters of their life are over. Credentials that seem expired on arrival come from a server with another
// clock. The upstream may accept them.
func renewAt(end time.Time, early time.Duration) time.Time {
	life := time.Until(end)
	return time.Now().Add(max(renewPause, life-min(early, life/4)))
}

// isRefusal reports whether a server that returned this status would return it again.
func isRefusal(status int) bool {
	return status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}

// maxSkew is the clock difference from which Dragoman blames the clock for a refusal. AWS accepts five
// minutes.
const maxSkew = 4 * time.Minute

// withClock adds the clock of this machine to the error of a refusal, if the Date of the response shows that
// the clock is wrong.
func withClock(err error, response http.Header) error {
	date, failed := http.ParseTime(response.Get("date"))
	skew := time.Until(date).Round(time.Second)
	if failed != nil || skew.Abs() < maxSkew {
		return err
	}
	way := "behind"
	if skew < 0 {
		way = "ahead of"
	}
	return fmt.Errorf("%w: %w", plain(fmt.Sprintf("the clock of this machine is %v %s the server's clock. Set the clock", skew.Abs(), way)), err)
}
