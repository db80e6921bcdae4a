package serve

import (
	"net"
	"testing"
)

// The address for other machines is one that they can reach.
func TestOwnAddress(t *testing.T) {
	for want, own := range map[string][]string{
		"10.1.2.3":    {"127.0.0.1/8", "::1/128", "169.254.7.7/16", "fe80::1/64", "fd00::5/64", "10.1.2.3/24", "172.17.0.1/16"},
		"fd00::5":     {"127.0.0.1/8", "fe80::1/64", "fd00::5/64", "fd00::6/64"},
		"127.0.0.1":   {"127.0.0.1/8", "::1/128", "fe80::1/64"},
		"203.0.113.9": {"203.0.113.9/32"},
	} {
		var addresses []net.Addr
		for _, s := range own {
			ip, network, err := net.ParseCIDR(s)
			if err != nil {
				t.Fatal(err)
			}
			addresses = append(addresses, &net.IPNet{IP: ip, Mask: network.Mask})
		}
		if got := ownAddress(addresses); got != want {
			t.Errorf("%s of %q, want %s", got, own, want)
		}
	}
}
