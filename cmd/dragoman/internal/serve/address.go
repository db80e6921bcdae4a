package serve

import "net"

// loopback is the address of this machine for programs on it.
const loopback = "127.0.0.1"

// LocalAddress returns the address to connect to, on this machine, for an address that is listened on.
func LocalAddress(listen string) string { return reachable(listen, loopback) }

// LocalURL returns the base URL for clients on this machine.
func (s *Server) LocalURL() string { return s.urlAt(loopback) }

// URL returns the base URL for clients. On all addresses of the machine, it is for other machines too, which verify
// the certificate.
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

// adminURL returns the base URL for operators.
func (s *Server) adminURL(self string) string {
	return "http://" + reachable(s.admins.Addr().String(), self)
}

// thisMachine returns the address of this machine for other machines.
func thisMachine() string {
	interfaces, _ := net.InterfaceAddrs() // without them, the address is loopback
	return ownAddress(interfaces)
}

// ownAddress returns the address of this machine for other machines, given the addresses of its interfaces.
// IPv4 goes first. If the machine has no address but loopback, ownAddress returns that.
func ownAddress(interfaces []net.Addr) string {
	own := loopback
	for _, a := range interfaces {
		network, ok := a.(*net.IPNet)
		switch {
		case !ok || !network.IP.IsGlobalUnicast(): // of loopback, or of one link alone
		case network.IP.To4() != nil:
			return network.IP.String()
		case own == loopback:
			own = network.IP.String()
		}
	}
	return own
}

// reachable returns the address to connect to for an address that is listened on. If that stands for all
// addresses of the machine, self takes its place.
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
