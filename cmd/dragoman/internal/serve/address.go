package serve

import "net"

// loopback is this machine's address for programs on it.
const loopback = "127.0.0.1"

// LocalAddress returns the address to connect to on this machine for a listen address.
func LocalAddress(listen string) string { return reachable(listen, loopback) }

// LocalURL returns the base URL for clients on this machine.
func (s *Server) LocalURL() string { return s.urlAt(loopback) }

// URL returns the base URL for clients. If the server listens on all addresses, other machines can use the URL, too;
// with TLS, it has the name that they verify.
func (s *Server) URL() string {
	self := thisMachine()
	if s.identity != nil {
		self = s.identity.nameFor(self)
	}
	return s.urlAt(self)
}

func (s *Server) urlAt(self string) string {
	scheme := "http://"
	if s.identity != nil {
		scheme = "https://"
	}
	return scheme + reachable(s.clients.Addr().String(), self)
}

// adminURL returns the base URL of the admin listener.
func (s *Server) adminURL(self string) string {
	return "http://" + reachable(s.admins.Addr().String(), self)
}

// thisMachine returns the address of this machine for other machines.
func thisMachine() string {
	interfaces, _ := net.InterfaceAddrs() // after an error, the address is loopback
	return ownAddress(interfaces)
}

// ownAddress returns the address of this machine for other machines, given the addresses of its interfaces. It prefers
// IPv4. If the machine has only loopback, ownAddress returns loopback.
func ownAddress(interfaces []net.Addr) string {
	own := loopback
	for _, a := range interfaces {
		network, ok := a.(*net.IPNet)
		switch {
		case !ok || !network.IP.IsGlobalUnicast(): // loopback, or valid on one link only
		case network.IP.To4() != nil:
			return network.IP.String()
		case own == loopback:
			own = network.IP.String()
		}
	}
	return own
}

// reachable returns the address to connect to for a listen address. self replaces an address that means all addresses
// of the machine.
func reachable(listen, self string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = self
	}
	return net.JoinHostPort(host, port)
}
