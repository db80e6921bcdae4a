package proxy

import (
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
)

// pathParam returns a part of the path, unescaped once; "" if it is not escaped as
// in a URL, or not UTF-8.
func pathParam(r *http.Request, name string) string {
	s := chi.URLParam(r, name)
	if r.URL.RawPath != "" { // the path was matched as it came
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
