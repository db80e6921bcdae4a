package proxy

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"
)

// key is a key that clients may present. Only its hash is in memory.
type key struct {
	sum [sha256.Size]byte
	id  string // the first 8 hexadecimal digits of sum, for the log
}

func newKey(secret string) key {
	sum := sha256.Sum256([]byte(secret))
	return key{sum: sum, id: hex.EncodeToString(sum[:4])}
}

// keyring is all keys that clients may present.
type keyring []key

// idOf returns the id of the key that a secret is, or "". It compares the secret with
// every key, so that the time it takes says nothing about them but their number.
func (ks keyring) idOf(secret string) (id string) {
	sum := sha256.Sum256([]byte(secret))
	for i := range ks {
		if subtle.ConstantTimeCompare(sum[:], ks[i].sum[:]) == 1 {
			id = ks[i].id
		}
	}
	return id
}

// bearer returns the token of an Authorization header, or "".
func bearer(h http.Header) string {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
