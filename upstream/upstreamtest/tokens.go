package upstreamtest

import (
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Tokens is a token server of Google, with the security token service for identity federation, and a metadata
// server (docs/reference/vertex.md §4):
//
//	POST /token                                                     refresh_token, JWT bearer
//	POST /v1/token                                                  token exchange
//	GET  /computeMetadata/v1/instance/service-accounts/default/token
//
// It checks the secrets in the credentials files that it writes.
type Tokens struct {
	// Clock is the clock of Google; nil is the clock of this machine. Set it before serving.
	Clock func() time.Time

	mu         sync.Mutex
	lifetime   time.Duration
	fault      *Fault               // for every request; nil for none
	changed    chan struct{}        // closed when the fault changes
	stalled    chan struct{}        // gets a value for each request that stalls
	generation int                  // the number of rotations of the secrets: see Rotate
	key        *rsa.PrivateKey      // of the service account; created on first use
	grants     []string             // the grants of the issued tokens, in order
	ends       map[string]time.Time // the expiry of each issued token
}

// NewTokens returns a server with tokens that expire after an hour.
func NewTokens() *Tokens {
	return &Tokens{
		lifetime: time.Hour,
		changed:  make(chan struct{}),
		stalled:  make(chan struct{}, maxGone),
		ends:     map[string]time.Time{},
	}
}

// Last sets how long the tokens that are issued from now on last, in whole seconds.
func (t *Tokens) Last(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lifetime = d
}

// Fail makes every request fail in this way from now on: with [Refuse], [Reply], or [Stall], until the next
// Fail. nil ends that.
func (t *Tokens) Fail(f *Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fault = f
	close(t.changed)
	t.changed = make(chan struct{})
}

// Stalled sends one value for each request that stalls.
func (t *Tokens) Stalled() <-chan struct{} { return t.stalled }

// Revoke invalidates all tokens issued so far.
func (t *Tokens) Revoke() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.ends)
}

// Rotate changes all secrets: earlier credentials files become invalid.
func (t *Tokens) Rotate() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.generation++
	t.key = nil
}

// Grants returns the grants of the tokens issued so far, in order: "refresh_token", "jwt-bearer",
// "token-exchange" or "metadata".
func (t *Tokens) Grants() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.grants)
}

// issue returns a new token and how long it lasts.
func (t *Tokens) issue(grant string) (string, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.grants = append(t.grants, grant)
	value := fmt.Sprintf("ya29.fake-%d", len(t.grants))
	t.ends[value] = time.Now().Add(t.lifetime)
	return value, t.lifetime
}

// valid reports whether an Authorization header has a token that was issued, is not revoked, and has not
// expired.
func (t *Tokens) valid(authorization string) bool {
	value, ok := strings.CutPrefix(authorization, "Bearer ")
	t.mu.Lock()
	defer t.mu.Unlock()
	end, known := t.ends[value]
	return ok && known && time.Now().Before(end)
}

// secret returns the current secret of this name.
func (t *Tokens) secret(name string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("%s-%d", name, t.generation)
}

// now returns the time on Google's clock.
func (t *Tokens) now() time.Time {
	if t.Clock == nil {
		return time.Now()
	}
	return t.Clock()
}

// firstKey returns the key of service accounts until Rotate. It is created once, on first use, because that
// takes a tenth of a second and few tests need it.
var firstKey = sync.OnceValues(newKey)

func newKey() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) }

// serviceKey returns the key of the service account.
func (t *Tokens) serviceKey() (*rsa.PrivateKey, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.generation == 0 {
		return firstKey()
	}
	var err error
	if t.key == nil {
		t.key, err = newKey()
	}
	return t.key, err
}
