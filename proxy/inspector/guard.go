package inspector

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A safe policy for a page that shows strangers' texts: the page loads and runs only embedded files, talks only to this
// server, and cannot be framed. Browsers with Trusted Types run no text as HTML at all.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// guarded sets the headers that restrict browsers. The admin listener has already checked Host and Origin.
func guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Frame-Options", "DENY")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cross-Origin-Embedder-Policy", "require-corp")
		header.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
		switch r.Header.Get("Sec-Fetch-Site") {
		case "", "same-origin", "none":
			h.ServeHTTP(w, r)
		default: // another page sent it, or has a link
			refuse(w, &problem{http.StatusForbidden, "the request comes from a page of another origin"})
		}
	})
}

// problem is an error for the page.
type problem struct {
	status  int
	message string
}

func (p *problem) Error() string { return p.message }

// errToken is the only answer to a wrong or missing token.
var errToken = &problem{http.StatusUnauthorized, "the token is missing or wrong: open the URL that the server printed when it started"}

var errNothing = &problem{http.StatusNotFound, "there is nothing here"}

// admits reports whether a request has the token. Only the header counts: browsers would send a cookie for other pages,
// too, and a query would end up in logs.
func (in *Inspector) admits(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(sum[:], in.sum[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// withToken returns the handler of a request that needs the token. If f returns an error, it must not have written
// anything; the page gets the error.
func (in *Inspector) withToken(f func(w http.ResponseWriter, r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if !in.admits(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, errToken)
			return
		}
		if err := f(w, r); err != nil {
			refuse(w, err)
		}
	}
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, err error) {
	var p *problem
	if !errors.As(err, &p) {
		p = &problem{http.StatusInternalServerError, "internal error"}
	}
	respond(w, p.status, struct {
		Error string `json:"error"`
	}{p.message})
}

// respond answers in JSON.
func respond(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.FormatNilSliceAsNull(false))
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // a page that has left needs no answer
}

// respondText answers with a text. No browser takes it for a page, whatever it contains.
func respondText(w http.ResponseWriter, data []byte) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(data)
}
