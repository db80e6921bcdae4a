package proxy

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Clients put the path of the Messages API behind a base URL that may end in a slash, in /v1 or in
// /anthropic, or leave its /v1 out (docs/reference/clients.md §2). What comes of that is served as what
// was meant: an alias of a path.

// heads are the first segments of paths of the Messages API, behind /v1, and of those of OpenAI's: a
// client that speaks that is told so at each of them.
var heads = []string{"messages", "models", "complete", "files", "chat", "responses", "completions", "embeddings"}

// plainPath returns the path that an escaped path is an alias of, or the path itself. Each row of slashes
// becomes one, and /anthropic and up to two /v1 before a head become one /v1.
//
// An escaped slash is a part of a name and stays, and so does an empty name behind /projects/ or /model/:
// the client is told of that.
func plainPath(path string) string {
	whole, named := path, ""
	for _, names := range []string{"/projects/", "/model/"} {
		if i := strings.Index(path, names); i >= 0 {
			path, named = path[:i+len(names)], path[i+len(names):]+named
		}
	}
	unnamed := path
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(path, "/"), "anthropic/")
	for range 2 {
		rest = strings.TrimPrefix(rest, "v1/")
	}
	head, _, _ := strings.Cut(rest, "/")
	if slices.Contains(heads, head) && strings.TrimPrefix(path, "/v1/") != rest {
		path = "/v1/" + rest
	}
	if path == unnamed {
		return whole
	}
	return path + named
}

// plainPaths returns h for the paths that aliases stand for. The log has each alias once.
func (s *Server) plainPaths(h http.Handler) http.Handler { return plainPaths(h, s.noteAlias) }

// maxAliases is how many aliases the log has, by their shapes.
const maxAliases = 32

// noteAlias says in the log that a path is an alias of another.
func (s *Server) noteAlias(path, plain string) {
	if shape := shapeOf(path); s.aliases.add(shape) {
		s.log.Warn().Str("path", shape).Str("served_as", shapeOf(plain)).
			Str("msg", "a client has a base URL that makes its paths longer or shorter than they are; they are taken for what is meant, and this is said once").Send()
	}
}

// plainPaths is [Server.plainPaths], which calls note with each alias and what it stands for.
func plainPaths(h http.Handler, note func(path, plain string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		plain := plainPath(path)
		if plain == path {
			h.ServeHTTP(w, r)
			return
		}
		meant, to := *r, *r.URL // copies: net/http looks at its own request after h
		to.RawPath = plain
		to.Path, _ = url.PathUnescape(plain) // it was read from a URL that was in order
		meant.URL = &to
		note(r.URL.Path, to.Path)
		h.ServeHTTP(w, &meant)
	})
}
