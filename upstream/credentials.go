package upstream

import (
	"fmt"
	"net/http"
	"time"
)

// When access tokens and credentials are renewed, for AWS and Google.
const (
	// expirySlack is how long before their end they are no longer used: a request would find
	// them expired when it arrives.
	expirySlack = 10 * time.Second
	// renewTimeout is how long a look-up may take in all, and renewRequest each of its
	// requests. While the old ones serve, requests wait no longer than renewWait.
	renewTimeout = 30 * time.Second
	renewRequest = 10 * time.Second
	renewWait    = 5 * time.Second
	// renewPause is the time between two look-ups, after a failure, while the old ones
	// serve.
	renewPause = 10 * time.Second
)

// renewAt returns when credentials that end then are renewed: this early, but not before three quarters of
// their life are over. Those that have ended on arrival are from a server whose clock is not ours; the
// upstream may take them.
func renewAt(end time.Time, early time.Duration) time.Time {
	life := time.Until(end)
	return time.Now().Add(max(renewPause, life-min(early, life/4)))
}

// isRefusal reports whether a server that answers with this status would answer so
// again.
func isRefusal(status int) bool {
	return status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}

// maxSkew is how far two clocks may differ before signatures are refused for it; AWS
// takes five minutes.
const maxSkew = 4 * time.Minute

// withClock returns the error of a refusal, which names the clock of this machine if that is wrong by
// the Date of the response.
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
	return fmt.Errorf("%w: %w", plain(fmt.Sprintf("the clock of this machine is %v %s the server's; set it", skew.Abs(), way)), err)
}
