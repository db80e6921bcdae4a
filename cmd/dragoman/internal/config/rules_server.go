package config

import (
	"fmt"
	"net"
	"strconv"
	"time"
)

// checkKeys reports missing and duplicate client keys.
func (l *loader) checkKeys() {
	keys := l.cfg.Auth.Keys
	var right []int // of keys
	for i, k := range keys {
		path, other := element("auth.keys", i), -1
		for _, j := range right {
			if keys[j].sum() == k.sum() || keys[j].proxy().ID() == k.proxy().ID() {
				other = j
				break
			}
		}
		switch {
		case k.sum() == "" && l.reported(path):
		case k.sum() == "":
			l.reportAt(path, "there is no key", "add key: \"${DRAGOMAN_KEY}\", or sha256: and the key's SHA-256")
		case k.Secret != "" && k.Sum != "":
			l.reportAt(path, "the key is given twice: as key and as sha256", "remove one")
		case other < 0:
			right = append(right, i)
		case keys[other].sum() == k.sum():
			l.reportAt(path, "the same key as "+element("auth.keys", other), "remove one")
		default:
			l.reportAt(path, fmt.Sprintf("%s has the same name in the log: %q", element("auth.keys", other), k.proxy().ID()), "give each key a name of its own")
		}
	}
}

// checkServer applies the flags, keeps what needs a restart, and checks the listeners: an address that other machines
// can reach needs keys.
func (l *loader) checkServer() {
	l.override("log.format", &l.cfg.LogFormat, l.src.LogFormat)
	l.override("log.level", &l.cfg.LogLevel, l.src.LogLevel)
	client := l.address("listen", &l.cfg.Listen, l.src.Listen, l.running.Listen)
	admin := l.address("admin_listen", &l.cfg.AdminListen, l.src.AdminListen, l.running.AdminListen)
	l.cfg.Loopback, l.cfg.AdminLoopback = client.loopback, admin.loopback
	if l.src.Inspect.Value != "" {
		l.cfg.Inspector.Enabled = true
		l.derive("inspector.enabled", l.src.Inspect.From)
	}
	keep(l, "inspector", &l.cfg.Inspector, l.running.Inspector) // the start prints the inspector's token
	l.checkTLS()
	if !l.src.Idle {
		l.checkReach(client, admin)
	}
	l.checkDrain(client.loopback)
	keep(l, "log.format", &l.cfg.LogFormat, l.running.LogFormat)
	keep(l, "log.level", &l.cfg.LogLevel, l.running.LogLevel)
	if client.valid && admin.valid && l.cfg.Listen == l.cfg.AdminListen && client.port != "0" {
		l.problems = append(l.problems, admin.problem("the same address as listen: "+l.cfg.Listen, "choose another port"))
	}
}

// checkReach reports a client address that strangers can use, and warns about access that the user has asked for. A
// client certificate is as good as a key.
func (l *loader) checkReach(client, admin address) {
	authenticated := len(l.cfg.Auth.Keys) > 0 || l.cfg.TLS.ClientCA != ""
	switch {
	case !client.valid || client.loopback || authenticated:
	case l.reported("auth"): // the user meant to have keys, but they are wrong
	case l.src.Insecure:
		l.cfg.Warnings = append(l.cfg.Warnings, client.problem(
			fmt.Sprintf("%s can be reached from other machines, and with --insecure anyone there can use your upstreams", l.cfg.Listen), "set auth.keys"))
	default:
		l.problems = append(l.problems, client.problem(
			fmt.Sprintf("%s can be reached from other machines, and without auth.keys anyone there could use your upstreams", l.cfg.Listen),
			fmt.Sprintf("set auth: {keys: [\"${DRAGOMAN_KEY}\"]}, listen on 127.0.0.1:%s, or pass --insecure (DRAGOMAN_INSECURE=true)", client.port)))
	}
	switch {
	case !admin.valid || admin.loopback:
	case l.cfg.Inspector.Enabled:
		l.problems = append(l.problems, admin.problem(
			fmt.Sprintf("%s can be reached from other machines, and the inspector shows there what clients and models write", l.cfg.AdminListen),
			fmt.Sprintf("listen on 127.0.0.1:%s, or turn the inspector off: inspector: false, and no --inspect (DRAGOMAN_INSPECT)", admin.port)))
	case l.getenv("KUBERNETES_SERVICE_HOST") != "": // in a Pod, the kubelet's probes and Prometheus come from other machines
	default:
		l.cfg.Warnings = append(l.cfg.Warnings, admin.problem(
			fmt.Sprintf("%s can be reached from other machines, and needs no key: everybody there can read /metrics", l.cfg.AdminListen),
			fmt.Sprintf("listen on 127.0.0.1:%s, or let the network keep strangers out", admin.port)))
	}
}

// checkDrain sets the drain delay if the file does not. On loopback there is no load balancer that has to notice the
// drain.
//
// A change of the drain needs a restart: whoever ends the process, such as Kubernetes with the grace period of a Pod,
// waits for the drain time that the process started with.
func (l *loader) checkDrain(loopback bool) {
	const key = "timeouts.drain_delay"
	if _, given := l.origins[key]; !given {
		if !loopback {
			l.cfg.DrainDelay = min(5*time.Second, l.cfg.Drain/2)
		}
		l.derive(key, "by listen and timeouts.drain")
	} else if l.cfg.DrainDelay >= l.cfg.Drain {
		l.reportAt(key, fmt.Sprintf("the delay is longer than the whole drain: timeouts.drain is %v", l.cfg.Drain), "set a shorter delay, or a longer timeouts.drain")
	}
	keep(l, "timeouts.drain", &l.cfg.Drain, l.running.Drain)
	keep(l, key, &l.cfg.DrainDelay, l.running.DrainDelay)
}

// address is a listen address, and where it was given.
type address struct {
	port     string
	valid    bool    // has a host and a port; otherwise the problem has been reported
	loopback bool    // only this machine can reach it
	place    Problem // a Problem with only the place where the address was given
}

// problem returns a problem with the address, at the place where it was given.
func (a address) problem(cause, fix string) Problem {
	a.place.Cause, a.place.Fix = cause, fix
	return a.place
}

// address returns the address of a key. It applies an override to dst, and reports an invalid address. If running, the
// address that is listened on, is not "", it stays.
func (l *loader) address(key string, dst *string, over Override, running string) address {
	a := address{place: Problem{Where: key}}
	if line, ok := l.lines[key]; ok {
		a.place = Problem{Where: fmt.Sprintf("%s:%d", l.file, line), Key: key, line: line}
	}
	if over.Value != "" {
		a.place = Problem{Where: over.From}
	}
	l.override(key, dst, over)
	host, port, err := splitAddress(*dst)
	if err != nil {
		l.problems = append(l.problems, a.problem(fmt.Sprintf("%q is not an address to listen on", *dst), "write host:port, such as 127.0.0.1:8484; port 0 takes a free one"))
		return a
	}
	if keep(l, key, dst, running); *dst == running {
		host, port, _ = splitAddress(running) // it was valid at the start
	}
	a.port, a.valid, a.loopback = port, true, isLoopback(host)
	return a
}

// splitAddress returns the host and the port of a listen address.
func splitAddress(s string) (host, port string, err error) {
	if host, port, err = net.SplitHostPort(s); err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	return host, port, err
}

// isLoopback reports whether a host is this machine itself.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
