package proxy

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"dragoman/translate/messages"
)

// Key is a key that clients may present. Only the hash of its secret is in memory.
type Key struct {
	Sum  [sha256.Size]byte // the SHA-256 of the secret
	Name string            // stands for the key in the log and the metrics; "" for the first digits of Sum

	// The most that all clients with the key may take together; 0 for no limit.
	RequestsPerMinute int
	Concurrent        int   // requests at once
	TokensPerDay      int64 // input, from caches and into them too, and output, in a day of UTC
}

// NewKey returns the key with a secret, without a name and without limits.
func NewKey(secret string) Key { return Key{Sum: sha256.Sum256([]byte(secret))} }

// ID returns what stands for the key in the log and the metrics: its name, or the first 8
// hexadecimal digits of its hash.
func (k Key) ID() string { return cmp.Or(k.Name, hex.EncodeToString(k.Sum[:4])) }

// keyring is all keys that clients may present.
type keyring []*heldKey

// find returns the key that has this secret, or nil if none has. The secret is compared
// with every key, so that the time it takes tells only how many there are.
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
			return errors.New("an empty key would let everybody in")
		case sums[k.Sum], ids[k.ID()]:
			return errors.New("two keys are the same: " + k.ID())
		}
		sums[k.Sum], ids[k.ID()] = true, true
	}
	return nil
}

// authenticate returns an error if the server has keys and none of the request's
// credentials is one of them, or if a limit of the key has been reached. The id of the key
// goes into the record. What an operator sends again needs no key, and counts for none.
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
		return &failure{status: http.StatusUnauthorized, typ: messages.ErrorAuthentication, message: "no valid key: send one as x-api-key or as Authorization: Bearer, or sign a request to Bedrock with one as the access key id"}
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
