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

// idOf returns the id of the key that has this secret, or "" if none has. The secret is
// compared with every key, so that the time it takes tells only how many there are.
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
