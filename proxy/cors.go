package proxy

import (
	"net/http"
	"slices"
	"strings"
)

// preflightAge is how many seconds a browser may keep the answer to a preflight. An origin that
// was taken out of the configuration may be allowed for as long.
const preflightAge = "600"

// cors returns h such that browsers let the pages of the named origins use it (Fetch Standard,
// "CORS protocol"). Without names there is not one header of it. Preflights ask whether a page
// may send a request. They carry no key and are answered here, for any path: a page can then read
// what a request to a wrong path is told.
func (s *Server) cors(h http.Handler) http.Handler {
	if len(s.origins) == 0 {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, origin := w.Header(), r.Header.Get("Origin")
		header.Add("Vary", "Origin")
		named := slices.Contains(s.origins, origin)
		if named {
			header.Set("Access-Control-Allow-Origin", origin)
			header.Set("Access-Control-Expose-Headers", "*") // cookies are not allowed, so this is all of them
		}
		if r.Method != http.MethodOptions || origin == "" || r.Header.Get("Access-Control-Request-Method") == "" {
			h.ServeHTTP(w, r)
			return
		}
		if named {
			allowRequested(header, r.Header)
		}
		setRequestIDs(header, r)
		w.WriteHeader(http.StatusNoContent)
	})
}

// allowRequested answers the questions of a preflight. The headers that it asks for are those
// that the client's library sends, which differ between libraries and their versions: all that
// are names of headers are allowed, since a program that is no browser could send them too.
func allowRequested(answer, request http.Header) {
	answer.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
	answer.Set("Access-Control-Max-Age", preflightAge)
	wanted := strings.Join(request.Values("Access-Control-Request-Headers"), ",")
	if wanted != "" && strings.Trim(wanted, alphanumeric+"-_, ") == "" {
		answer.Set("Access-Control-Allow-Headers", wanted)
	}
}
