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

// A listener without keys serves everybody who can connect. A browser can connect on behalf of any page that its user
// has open. The page may come from another origin. Or the page's host name may resolve to this machine, so that the
// browser takes this server for that host (DNS rebinding). Programs other than browsers send no Origin, and send the
// host name that they were given.

// guard decides which requests a listener without keys answers.
type guard struct {
	loopback bool     // only this machine can connect
	hosts    []string // further names of the server, as hostName returns them; *.name covers every name below it
	origins  []string // origins of the pages that may send requests
}

func newGuard(loopback bool, hosts, origins []string) *guard {
	g := &guard{loopback: loopback, origins: origins}
	for _, h := range hosts {
		g.hosts = append(g.hosts, hostName(h))
	}
	return g
}

// The errors of the guard. Their messages quote nothing from the request.
var (
	errForeignHost = &failure{
		status: http.StatusForbidden, typ: messages.ErrorPermission,
		message: "the host of the request is not a name of this server: use localhost, or add the name to hosts in the server's configuration",
	}
	errForeignOrigin = &failure{
		status: http.StatusForbidden, typ: messages.ErrorPermission,
		message: "the request comes from a page of another origin: add the page's origin to cors.origins in the server's configuration",
	}
)

// toOperators replaces the message of errForeignOrigin on the admin listener, where no page has access.
const toOperators = "the request comes from a page of another origin: pages have no access to the admin listener"

// check returns errForeignHost or errForeignOrigin for a request that a page may have sent without its user's
// knowledge.
func (g *guard) check(r *http.Request) error {
	origin := r.Header.Get("Origin")
	own := "http://" + r.Host
	if r.TLS != nil {
		own = "https://" + r.Host
	}
	switch {
	case !g.answersTo(hostName(r.Host)):
		return errForeignHost
	case origin != "" && !strings.EqualFold(origin, own) && !slices.Contains(g.origins, origin):
		return errForeignOrigin
	}
	return nil
}

// answersTo reports whether host, as hostName returns it, names this server. If other machines can reach the server, it
// cannot know all its names: without configured hosts, any name will do. An IP address is safe, because no DNS lookup
// is involved. "" is HTTP/1.0 without Host, which no browser sends.
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

// hostName returns the host of an authority such as "Example.com.:8484" or "[::1]": in lower case, without port,
// brackets and trailing dot.
func hostName(authority string) string {
	host, _, err := net.SplitHostPort(authority)
	if err != nil {
		host = authority // no port
		if inner, found := strings.CutPrefix(host, "["); found {
			if host, found = strings.CutSuffix(inner, "]"); !found {
				return authority // no name of a server
			}
		}
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// guarded returns h behind the guard of the admin listener, which logs the requests that it rejects.
func (s *Server) guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.operators.check(r); err != nil {
			text := err.Error()
			if errors.Is(err, errForeignOrigin) {
				text = toOperators
			}
			s.log.Warn().Int("status", http.StatusForbidden).Str("error_type", messages.ErrorPermission).
				Str("event", "admin_refused").Str("msg", "rejected on the admin listener: "+text).Send()
			respondText(http.StatusForbidden, text+"\n")(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// preflightAge is how many seconds a browser may cache the answer to a preflight. After an origin is removed from the
// configuration, browsers may allow its pages for that long.
const preflightAge = "600"

// cors returns h with the headers that let browsers use it from pages of the named origins (Fetch Standard, "CORS
// protocol"). Without names it adds no header. A preflight asks whether a page may send a request; it carries no key.
// cors answers preflights itself, for every path, so that a page can read the error for a wrong path.
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
			header.Set("Access-Control-Expose-Headers", "*") // the wildcard covers all headers, because no cookies are allowed
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

// allowRequested answers a preflight. It allows every requested header with a valid name: client libraries send
// different headers, and a program that is not a browser could send any header anyway.
func allowRequested(answer, request http.Header) {
	answer.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
	answer.Set("Access-Control-Max-Age", preflightAge)
	wanted := strings.Join(request.Values("Access-Control-Request-Headers"), ",")
	if wanted != "" && strings.Trim(wanted, alphanumeric+"-_, ") == "" {
		answer.Set("Access-Control-Allow-Headers", wanted)
	}
}
