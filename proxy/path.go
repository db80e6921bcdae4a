package proxy

import (
	"net/http"
	"net/url"
	"strings"
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

// singleSlashes returns h for paths in which each row of slashes is one: a base URL that ends in a
// slash doubles the one that a client's library puts behind it. An escaped slash is a part of a name
// and stays, and so does an empty name behind /projects/ or /model/: the client is told of that.
func singleSlashes(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, named := r.URL.EscapedPath(), ""
		for _, names := range []string{"/projects/", "/model/"} {
			if i := strings.Index(path, names); i >= 0 {
				path, named = path[:i+len(names)], path[i+len(names):]+named
			}
		}
		if !strings.Contains(path, "//") {
			h.ServeHTTP(w, r)
			return
		}
		for strings.Contains(path, "//") {
			path = strings.ReplaceAll(path, "//", "/")
		}
		single, meant := *r, *r.URL // copies: net/http looks at its own request after h
		meant.RawPath = path + named
		meant.Path, _ = url.PathUnescape(meant.RawPath) // it was read from a URL that was in order
		single.URL = &meant
		h.ServeHTTP(w, &single)
	})
}
