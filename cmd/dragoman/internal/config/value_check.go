package config

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// checks are the checks of texts, by the tag "is".
var checks = map[string]func(string) *fault{
	"URL": checkURL, "path": checkPath, "host": checkHost, "origin": checkOrigin, "name": checkName, "early commit": checkEarlyCommit, "kind": checkKind,
}

// checkURL accepts the base URL of a server, or nothing.
func checkURL(s string) *fault {
	if s != "" && !isServer(s) {
		return &fault{"not the URL of a server", "write scheme and host, such as http://127.0.0.1:9000"}
	}
	for _, resource := range resources {
		if strings.HasSuffix(strings.TrimRight(s, "/"), resource) {
			return &fault{"the URL ends in " + resource + ", which Dragoman appends itself", "remove " + resource + " from the URL"}
		}
	}
	return nil
}

// checkKind names the kind of servers that people take for one.
func checkKind(s string) *fault {
	switch strings.NewReplacer(".", "", "-", "", "_", "").Replace(strings.ToLower(s)) {
	case "ollama", "llamacpp", "llamaserver", "vllm", "lmstudio", "sglang":
		return &fault{fmt.Sprintf("unknown value %q", s), "use openai, and a base_url such as http://127.0.0.1:8080/v1: such a server has the API of OpenAI"}
	}
	return nil
}

// isServer reports whether s is the base URL of a server.
func isServer(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.RawQuery == "" && u.Fragment == ""
}

// checkPath accepts the path of a file. It quotes no other text, which may be a secret.
func checkPath(s string) *fault {
	if strings.HasPrefix(s, "file:") || strings.Contains(s, "\n") {
		return &fault{"not the path of a file", "write the path alone, without file:, as in /etc/dragoman/tls.crt"}
	}
	return nil
}

// checkHost accepts a name under which clients and operators reach the server.
func checkHost(s string) *fault {
	name := s
	if host, port, err := net.SplitHostPort(s); err == nil && strings.Trim(port, "0123456789") == "" {
		name = host // whatever the port
	}
	if !isHost(strings.TrimPrefix(strings.Trim(name, "[]"), "*.")) {
		return &fault{fmt.Sprintf("%q is not the name of a host", s), `write it as in dragoman.example.com, or "*.example.com" for all below it`}
	}
	return nil
}

// isHost reports whether s can be the host of a URL: a name or an address.
func isHost(s string) bool { return isName(s) || net.ParseIP(s) != nil }

// checkOrigin accepts an origin exactly as browsers send it, because origins are compared as texts.
func checkOrigin(s string) *fault {
	switch sent := originOf(s); sent {
	case "":
		return &fault{fmt.Sprintf("%q is not the origin of a page", s), "write scheme and host, as in https://app.example.com"}
	case s:
		return nil
	default:
		return &fault{fmt.Sprintf("%q is not how a browser sends the origin", s), "write " + sent}
	}
}

// originOf returns the origin of a URL as a browser sends it: in lower case and without the scheme's default port. It
// is "" if the URL has none.
func originOf(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || !isHost(u.Hostname()) {
		return ""
	}
	host := strings.ToLower(u.Host)
	if u.Port() == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host = strings.TrimSuffix(host, ":"+u.Port())
	}
	return u.Scheme + "://" + host
}

// checkName accepts a name for a key in the log and in labels of metrics.
func checkName(s string) *fault {
	const longest = 64
	if !isName(s) || len(s) > longest {
		return &fault{fmt.Sprintf("the name cannot be used in the log and the metrics (it has %d bytes)", len(s)),
			fmt.Sprintf("use up to %d letters, digits, “.”, “_” and “-”", longest)}
	}
	return nil
}

// isName reports whether s can be a name in headers and in labels of metrics.
func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// checkEarlyCommit accepts a duration that clients wait for.
func checkEarlyCommit(s string) *fault {
	if d, err := time.ParseDuration(s); err == nil && time.Hour < d && d <= longest {
		return &fault{"no client waits for longer than " + time.Hour.String(), "give less than the shortest idle timeout between here and the clients"}
	}
	return nil
}
