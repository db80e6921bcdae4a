package config

import (
	"net"
	"net/url"
	"strings"
)

// Checks of single values, wherever they come from.

// isRegion reports whether s can be a region. The name of a host is built from it, so it must
// not have a dot or a slash.
func isRegion(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// isHost reports whether s can be the host of a URL: a name or an address.
func isHost(s string) bool { return isName(s) || net.ParseIP(s) != nil }

// isLoopback reports whether a host is this machine, seen from itself.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// checkURL reports a value that is not the base URL of a server.
func (l *loader) checkURL(s, key string) {
	if !isServer(s) {
		l.report(l.lines[key], key, "not the URL of a server", "write scheme and host, such as http://127.0.0.1:9000")
	}
}

// isServer reports whether s is the base URL of a server.
func isServer(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.RawQuery == "" && u.Fragment == ""
}
