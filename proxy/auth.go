package proxy

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"
)

// key is a key that clients may present. Only its hash is kept.
type key struct {
	sum [sha256.Size]byte
	id  string // the first 8 hexadecimal digits of sum, for the log
}

// keys are all keys that clients may present.
type keyring []key

func newKey(secret string) key {
	sum := sha256.Sum256([]byte(secret))
	return key{sum: sum, id: hex.EncodeToString(sum[:4])}
}

// id returns the id of the key that secret is, or "". How long it takes says
// nothing about the keys but their number.
func (k keyring) id(secret string) (id string) {
	sum := sha256.Sum256([]byte(secret))
	for i := range k {
		if subtle.ConstantTimeCompare(sum[:], k[i].sum[:]) == 1 {
			id = k[i].id
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
