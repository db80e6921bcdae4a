package proxy

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"dragoman/translate/messages"
)

// heldKey is a key, and what clients have taken of it.
type heldKey struct {
	Key
	*usage
}

// usage is what clients have taken of a key. It is kept in memory alone: another replica,
// or the next process, knows nothing of it.
type usage struct {
	mu   sync.Mutex
	open int // requests that are being answered

	// full is when as many requests as the limit allows may be made at once. Each request
	// puts it off by its share of a minute, so that the limit holds however requests are
	// spread, and one of them becomes free at a time (the generic cell rate algorithm).
	full time.Time

	day    int64 // of UTC, since 1970
	tokens int64 // taken on that day
}

// as returns next, a key with the same secret as k, with what clients have taken of k. What
// they took of a limit by the minute counts against the new one. Of a nil k it is nothing.
func (k *heldKey) as(next Key) *heldKey {
	if k == nil {
		return &heldKey{next, new(usage)}
	}
	if now := time.Now(); k.RequestsPerMinute > 0 && next.RequestsPerMinute > 0 {
		k.mu.Lock()
		defer k.mu.Unlock()
		taken := later(k.full, now).Sub(now) * time.Duration(k.RequestsPerMinute) / time.Duration(next.RequestsPerMinute)
		k.full = now.Add(min(taken, time.Minute))
	}
	return &heldKey{next, k.usage}
}

// The headers in which the Messages API tells its clients of limits
// (docs/reference/errors.md §3).
const (
	requestLimitHeader = "Anthropic-Ratelimit-Requests-"
	tokenLimitHeader   = "Anthropic-Ratelimit-Tokens-"
)

const (
	secondsPerDay = 24 * 60 * 60
	// concurrentRetry is when to try again a request that came while too many were open.
	// Nobody knows when the first of them ends.
	concurrentRetry = time.Second
)

// take counts a request, and says in h what is left. It is an error if one of the key's
// limits has been reached; the request is then not counted.
func (k *heldKey) take(now time.Time, h http.Header) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.turnDay(now)
	err := k.refusal(now)
	if err == nil {
		k.open++
		if k.RequestsPerMinute > 0 {
			k.full = later(k.full, now).Add(k.interval())
		}
	}
	if k.RequestsPerMinute > 0 {
		k.full = later(k.full, now)
		free := int64((time.Minute - k.full.Sub(now)) / k.interval())
		setLimit(h, requestLimitHeader, int64(k.RequestsPerMinute), free, k.full)
	}
	if k.TokensPerDay > 0 {
		setLimit(h, tokenLimitHeader, k.TokensPerDay, k.TokensPerDay-k.tokens, k.midnight())
	}
	return err
}

// refusal returns an error if a limit of the key has been reached.
func (k *heldKey) refusal(now time.Time) error {
	switch {
	case k.TokensPerDay > 0 && k.tokens >= k.TokensPerDay:
		return overLimit(fmt.Sprintf("%d tokens a day, which have been taken; the next day begins at 00:00 UTC", k.TokensPerDay), k.midnight().Sub(now))
	case k.Concurrent > 0 && k.open >= k.Concurrent:
		return overLimit(fmt.Sprintf("%d requests at once", k.Concurrent), concurrentRetry)
	case k.RequestsPerMinute > 0:
		if wait := later(k.full, now).Sub(now) + k.interval() - time.Minute; wait > 0 {
			return overLimit(fmt.Sprintf("%d requests a minute", k.RequestsPerMinute), wait)
		}
	}
	return nil
}

// release counts the end of a request that was taken, and its tokens. They are what an upstream
// says: a number below zero gives nothing back, and one too large does not turn into one.
func (k *heldKey) release(now time.Time, tokens ...int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.turnDay(now)
	k.open--
	for _, n := range tokens {
		k.tokens += min(max(int64(n), 0), math.MaxInt64-k.tokens)
	}
}

// turnDay forgets the tokens of a day that has passed.
func (k *heldKey) turnDay(now time.Time) {
	if day := now.Unix() / secondsPerDay; day != k.day {
		k.day, k.tokens = day, 0
	}
}

// midnight returns when the day ends.
func (k *heldKey) midnight() time.Time { return time.Unix((k.day+1)*secondsPerDay, 0) }

// interval returns the share of a request in the minute.
func (k *heldKey) interval() time.Duration { return time.Minute / time.Duration(k.RequestsPerMinute) }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// setLimit tells a client of a limit: what is left of it, and when all of it will be.
func setLimit(h http.Header, prefix string, limit, left int64, reset time.Time) {
	h.Set(prefix+"Limit", strconv.FormatInt(limit, 10))
	h.Set(prefix+"Remaining", strconv.FormatInt(min(max(left, 0), limit), 10))
	h.Set(prefix+"Reset", reset.UTC().Add(time.Second-1).Truncate(time.Second).Format(time.RFC3339))
}

// overLimit returns the error for a request over a limit of its key.
func overLimit(limit string, wait time.Duration) error {
	return &failure{status: http.StatusTooManyRequests, typ: messages.ErrorRateLimit, message: "this key may take " + limit, retryAfter: wait}
}

// releaseKey gives back what the request took of its key, once the record has the exchange's tokens. An
// answer that was cut counts as far as the upstream counted it.
func (x *exchange) releaseKey() {
	if x.key != nil {
		r := &x.record
		x.key.release(time.Now(), r.InputTokens, r.OutputTokens, r.CacheReadTokens, r.CacheWriteTokens)
	}
}
