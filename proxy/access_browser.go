package proxy

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"dragoman/translate/messages"
)

// A listener that asks for no key serves whoever can connect. A browser can, on behalf of any
// page that its user has open: from the page's own origin, or, once the name of the page's host
// has been made to resolve to this machine, as if the server were that host (DNS rebinding).
// Programs that are no browsers send no Origin, and the name that they were told to connect to.

// guard says which requests a listener without keys answers.
type guard struct {
	loopback bool     // nothing but this machine can connect
	hosts    []string // names of the server besides those of loopback, as hostName returns them; *.name stands for all below it
	origins  []string // of pages that may send requests
}

func newGuard(loopback bool, hosts, origins []string) *guard {
	g := &guard{loopback: loopback, origins: origins}
	for _, h := range hosts {
		g.hosts = append(g.hosts, hostName(h))
	}
	return g
}

// What the guard refuses. The messages repeat nothing of the request.
var (
	errForeignHost = &failure{
		status: http.StatusForbidden, typ: messages.ErrorPermission,
		message: "the request is for a host that is no name of this server: use localhost, or add the name to hosts in the server's configuration",
	}
	errForeignOrigin = &failure{
		status: http.StatusForbidden, typ: messages.ErrorPermission,
		message: "the request comes from a page of another origin: the pages that may call the API are those of cors.origins in the server's configuration",
	}
)

// toOperators is what the listener of operators says of errForeignOrigin: no page has a place there.
const toOperators = "the request comes from a page of another origin: pages have no access to the admin listener"

// check returns errForeignHost or errForeignOrigin for a request that a page may have made
// without its user's knowledge.
func (g *guard) check(r *http.Request) error {
	origin := r.Header.Get("Origin")
	_, page, _ := strings.Cut(origin, "://")
	switch {
	case !g.answersTo(hostName(r.Host)):
		return errForeignHost
	case origin != "" && !strings.EqualFold(page, r.Host) && !slices.Contains(g.origins, origin):
		return errForeignOrigin
	}
	return nil
}

// answersTo reports whether a host, as hostName returns it, is this server. One that other
// machines reach has names that it does not know: unless it is told them, any will do. An
// address was not resolved from a name. "" is HTTP/1.0 without Host, which no browser sends.
func (g *guard) answersTo(host string) bool {
	if !g.loopback && len(g.hosts) == 0 || host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	if ip, err := netip.ParseAddr(host); err == nil && (!g.loopback || ip.Unmap().IsLoopback()) {
		return true
	}
	return slices.ContainsFunc(g.hosts, func(name string) bool {
		parent, wild := strings.CutPrefix(name, "*")
		return wild && strings.HasSuffix(host, parent) || name == host
	})
}

// hostName returns the host of an authority such as "Example.com.:8484" or "[::1]": in small
// letters, without port, brackets and the dot at the end.
func hostName(authority string) string {
	host, _, err := net.SplitHostPort(authority)
	if err != nil {
		host = authority // there is no port
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// guarded returns h behind the guard of the operators' listener. A request that it refuses is
// logged.
func (s *Server) guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.operators.check(r); err != nil {
			text := err.Error()
			if errors.Is(err, errForeignOrigin) {
				text = toOperators
			}
			s.log.Warn().Int("status", http.StatusForbidden).Str("error_type", messages.ErrorPermission).
				Str("event", "admin_refused").Str("msg", "refused on the admin listener: "+text).Send()
			respondText(http.StatusForbidden, text+"\n")(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

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
