package proxy

import (
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
)

// pathParam returns the part of the path that a pattern in [Server.Handler] gives this
// name, unescaped once. It is "" if the part is not escaped as in a URL, or not UTF-8.
//
// The ids of models in Bedrock's paths may hold escaped slashes. So chi matches the path
// as it came, where that differs from the unescaped one, and does not unescape the parts.
func pathParam(r *http.Request, name string) string {
	s := chi.URLParam(r, name)
	if r.URL.RawPath != "" {
		var err error
		if s, err = url.PathUnescape(s); err != nil {
			return ""
		}
	}
	if !utf8.ValidString(s) {
		return ""
	}
	return s
}
