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
				Str("msg", "refused on the admin listener: "+text).Send()
			respondText(http.StatusForbidden, text+"\n")(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}
