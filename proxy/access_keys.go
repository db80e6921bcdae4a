package proxy

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"dragoman/translate/messages"
)

// Key is a key that clients may present. Only the hash of its secret is in memory.
type Key struct {
	Sum  [sha256.Size]byte // the SHA-256 of the secret
	Name string            // names the key in the log and the metrics; "": the first digits of Sum

	// The limits for all clients with this key together; 0 means no limit.
	RequestsPerMinute int
	Concurrent        int   // requests at once
	TokensPerDay      int64 // input, cache reads, cache writes and output, for one UTC day
}

// NewKey returns the key with this secret, without a name and without limits.
func NewKey(secret string) Key { return Key{Sum: sha256.Sum256([]byte(secret))} }

// ID returns the key's name for the log and the metrics: Name, or the first 8 hexadecimal digits of the hash.
func (k Key) ID() string { return cmp.Or(k.Name, hex.EncodeToString(k.Sum[:4])) }

// keyring is all keys that clients may present.
type keyring []*heldKey

// find returns the key with this secret, or nil. It compares the secret with every key, so the time that it takes
// reveals only the number of keys.
func (ks keyring) find(secret string) (found *heldKey) {
	sum := sha256.Sum256([]byte(secret))
	for _, k := range ks {
		if subtle.ConstantTimeCompare(sum[:], k.Sum[:]) == 1 {
			found = k
		}
	}
	return found
}

// checkKeys returns an error if a key is empty, or if two keys have the same secret or the same ID.
func checkKeys(keys []Key) error {
	nobody := NewKey("").Sum
	ids, sums := map[string]bool{}, map[[sha256.Size]byte]bool{}
	for _, k := range keys {
		switch {
		case k.Sum == nobody:
			return errors.New("a key is empty, so everybody could use it")
		case sums[k.Sum], ids[k.ID()]:
			return errors.New("two keys are the same: " + k.ID())
		}
		sums[k.Sum], ids[k.ID()] = true, true
	}
	return nil
}

// authenticate checks the request's credentials against the server's keys, if there are any, and then the limits of the
// key. It records the key's id. An operator's replay needs no key and counts against no limit.
func (x *exchange) authenticate() error {
	if x.replay != nil {
		return nil
	}
	if len(x.s.keys) == 0 {
		return x.s.clients.check(x.r)
	}
	var key *heldKey
	for _, secret := range x.dialect.credentials(x.r.Header) {
		if k := x.s.keys.find(secret); key == nil {
			key = k
		}
	}
	if key == nil {
		x.record.header.Set("WWW-Authenticate", "Bearer")
		return &failure{status: http.StatusUnauthorized, typ: messages.ErrorAuthentication, message: "no valid key: send one as x-api-key or as Authorization: Bearer, " +
			"or sign a request to Bedrock with one as the access key id; the operator of this server makes a key with `openssl rand -hex 24` and adds it to auth.keys"}
	}
	x.record.KeyID = key.ID()
	if err := key.take(time.Now(), x.record.header); err != nil {
		return err
	}
	x.key = key
	return nil
}

// bearer returns the token of an Authorization header, or "".
func bearer(h http.Header) string {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// heldKey is a key and its usage.
type heldKey struct {
	Key
	*usage
}

// usage is what clients have used of a key's limits. It exists only in memory: other replicas do not share it, and a
// restart forgets it.
type usage struct {
	mu   sync.Mutex
	open int // requests in progress

	// full is when the whole burst of requests will be available again. Each request moves it by one request's share of
	// a minute. So the limit holds however requests are spread, and requests become available one at a time (the
	// generic cell rate algorithm).
	full time.Time

	day    int64 // the UTC day, counted from 1970
	tokens int64 // used on that day
}

// as returns next with the usage of k, a key with the same secret. Usage of the old limit per minute counts against the
// new limit. For a nil k, the usage is zero.
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

// The headers that report limits in the Messages API (docs/reference/errors.md §3).
const (
	requestLimitHeader = "Anthropic-Ratelimit-Requests-"
	tokenLimitHeader   = "Anthropic-Ratelimit-Tokens-"
)

const (
	secondsPerDay = 24 * 60 * 60
	// concurrentRetry is the retry-after for a request above the limit of concurrent requests. Nobody knows when one of
	// the others ends.
	concurrentRetry = time.Second
)

// take counts a request and writes the remaining limits into h. If the request is over a limit, take does not count it
// and returns an error.
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

// refusal returns an error if the key has reached a limit.
func (k *heldKey) refusal(now time.Time) error {
	switch {
	case k.TokensPerDay > 0 && k.tokens >= k.TokensPerDay:
		return overLimit(fmt.Sprintf("%d tokens a day, which begins at 00:00 UTC", k.TokensPerDay), k.midnight().Sub(now))
	case k.Concurrent > 0 && k.open >= k.Concurrent:
		return overLimit(fmt.Sprintf("%d requests at once", k.Concurrent), concurrentRetry)
	case k.RequestsPerMinute > 0:
		if wait := later(k.full, now).Sub(now) + k.interval() - time.Minute; wait > 0 {
			return overLimit(fmt.Sprintf("%d requests a minute", k.RequestsPerMinute), wait)
		}
	}
	return nil
}

// release ends a request that take has counted, and adds its tokens. Upstreams report these numbers, so release ignores
// negative ones and guards against overflow.
func (k *heldKey) release(now time.Time, tokens ...int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.turnDay(now)
	k.open--
	for _, n := range tokens {
		k.tokens += min(max(int64(n), 0), math.MaxInt64-k.tokens)
	}
}

// turnDay resets the tokens if a new day has begun.
func (k *heldKey) turnDay(now time.Time) {
	if day := now.Unix() / secondsPerDay; day != k.day {
		k.day, k.tokens = day, 0
	}
}

// midnight returns when the current day ends.
func (k *heldKey) midnight() time.Time { return time.Unix((k.day+1)*secondsPerDay, 0) }

// interval returns one request's share of a minute.
func (k *heldKey) interval() time.Duration { return time.Minute / time.Duration(k.RequestsPerMinute) }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// setLimit writes the headers of one limit: what is left, and when the limit is whole again.
func setLimit(h http.Header, prefix string, limit, left int64, reset time.Time) {
	h.Set(prefix+"Limit", strconv.FormatInt(limit, 10))
	h.Set(prefix+"Remaining", strconv.FormatInt(min(max(left, 0), limit), 10))
	h.Set(prefix+"Reset", reset.UTC().Add(time.Second-1).Truncate(time.Second).Format(time.RFC3339))
}

// overLimit returns the error for a request that exceeds a limit of its key.
func overLimit(limit string, wait time.Duration) error {
	return &failure{status: http.StatusTooManyRequests, typ: messages.ErrorRateLimit, message: "this key has reached its limit of " + limit + ": wait as long as retry-after says, or ask the operator for a higher limit in auth.keys", retryAfter: wait}
}

// releaseKey ends the request for its key, once the exchange's tokens are recorded. A cut answer counts with the tokens
// that the upstream reported.
func (x *exchange) releaseKey() {
	if x.key != nil {
		r := &x.record
		x.key.release(time.Now(), r.InputTokens, r.OutputTokens, r.CacheReadTokens, r.CacheWriteTokens)
	}
}
