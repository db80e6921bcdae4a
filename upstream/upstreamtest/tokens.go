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

// Tokens is a token server of Google, the security token service of identity
// federation, and a metadata server (docs/reference/vertex.md §4):
//
//	POST /token                                                     refresh_token, JWT bearer
//	POST /v1/token                                                  token exchange
//	GET  /computeMetadata/v1/instance/service-accounts/default/token
//
// It checks the secrets of the credentials files that it writes.
type Tokens struct {
	// Clock is the time of Google; nil is ours. Set it before serving.
	Clock func() time.Time

	mu         sync.Mutex
	lifetime   time.Duration
	fault      *Fault               // of every request; nil for none
	changed    chan struct{}        // closed when the fault is replaced
	stalled    chan struct{}        // gets a value for each request that stalls
	generation int                  // of the secrets: see Rotate
	key        *rsa.PrivateKey      // of the service account, made when it is first needed after a rotation
	grants     []string             // by which tokens were issued, in order
	ends       map[string]time.Time // when the tokens end that were issued
}

// NewTokens returns a server whose tokens last an hour.
func NewTokens() *Tokens {
	return &Tokens{
		lifetime: time.Hour,
		changed:  make(chan struct{}),
		stalled:  make(chan struct{}, maxGone),
		ends:     map[string]time.Time{},
	}
}

// Last makes tokens that are issued from now on last this long, in whole seconds.
func (t *Tokens) Last(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lifetime = d
}

// Fail lets every request fail so from now on: with [Refuse], with [Reply], or with
// [Stall], until the next Fail. With nil none fails.
func (t *Tokens) Fail(f *Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fault = f
	close(t.changed)
	t.changed = make(chan struct{})
}

// Stalled gives one value for each request that stalls.
func (t *Tokens) Stalled() <-chan struct{} { return t.stalled }

// Revoke ends all tokens issued so far.
func (t *Tokens) Revoke() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.ends)
}

// Rotate changes all secrets: credentials files written before are of no use.
func (t *Tokens) Rotate() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.generation++
	t.key = nil
}

// Grants returns the grants by which tokens were issued so far, in order:
// "refresh_token", "jwt-bearer", "token-exchange" or "metadata".
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

// valid reports whether an Authorization header has a token that was issued, has not been
// revoked, and has not come to its end.
func (t *Tokens) valid(authorization string) bool {
	value, ok := strings.CutPrefix(authorization, "Bearer ")
	t.mu.Lock()
	defer t.mu.Unlock()
	end, known := t.ends[value]
	return ok && known && time.Now().Before(end)
}

// secret returns the secret of this name, of the present generation.
func (t *Tokens) secret(name string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("%s-%d", name, t.generation)
}

// now returns the time of Google.
func (t *Tokens) now() time.Time {
	if t.Clock == nil {
		return time.Now()
	}
	return t.Clock()
}

// firstKey returns the key of service accounts until Rotate. It is made when it is first
// asked for, once: that takes a tenth of a second, and few tests need it.
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
