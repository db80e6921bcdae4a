package upstream

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	defaultConnect  = 5 * time.Second
	idleConns       = 256 // kept for each upstream
	idleConnTimeout = 90 * time.Second
	// A connection over which nothing came for this long is asked for a sign of
	// life (HTTP/2).
	pingAfter = 15 * time.Second

	// What may follow the end of an answer, and how long to wait for it, so that
	// its connection can serve again.
	trailerBytes = 64 << 10
	trailerWait  = 50 * time.Millisecond
)

// Connect is how long it may take to reach an upstream: to connect, and then to agree
// on TLS. 0 is 5 seconds. All else of a connection is the same whatever it is.
type Connect time.Duration

func (c Connect) timeout() time.Duration { return cmp.Or(time.Duration(c), defaultConnect) }

// dialer sets the time-out of a dialer.
func (c Connect) dialer(d *net.Dialer) { d.Timeout = c.timeout() }

// transport gives a transport the settings for an upstream. How long an answer may
// take is for the context to say.
func (c Connect) transport(t *http.Transport) {
	t.TLSHandshakeTimeout = c.timeout()
	t.MaxIdleConns = 0
	t.MaxIdleConnsPerHost = idleConns
	t.IdleConnTimeout = idleConnTimeout
	t.ResponseHeaderTimeout = 0
	t.DisableCompression = true // a compressed stream comes in lumps
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter}
}

// withoutRedirects returns a client that takes a redirect for the answer.
func withoutRedirects(c *http.Client) *http.Client {
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// replayable tells the transport that it may send a request again when an idle
// connection turns out to be dead. The header has no value and is not sent.
func replayable(h http.Header) { h["Idempotency-Key"] = nil }

// parseBase reads the base URL of an upstream. Its errors repeat no credentials.
func parseBase(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, errors.New("is not a URL")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("may not hold credentials, a query or a fragment")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%q is not an http or https URL", s)
	case u.Host == "":
		return nil, fmt.Errorf("%q names no host", s)
	}
	return u, nil
}

// withVersion returns a base URL that ends in /v1, as which it may or may not
// have been given.
func withVersion(base *url.URL) string {
	s := strings.TrimRight(base.String(), "/")
	return strings.TrimRight(strings.TrimSuffix(s, "/v1"), "/") + "/v1"
}

// isKey reports whether s can stand in a header as it is.
func isKey(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// clientOf returns the client, or one of our own for nil, that takes a redirect
// for the answer.
func clientOf(client *http.Client, connect Connect) *http.Client {
	if client == nil {
		client = &http.Client{Transport: newTransport(connect)}
	}
	return withoutRedirects(client)
}

func newTransport(connect Connect) *http.Transport {
	dialer := new(net.Dialer)
	connect.dialer(dialer)
	t := &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		DialContext:       dialer.DialContext,
		ForceAttemptHTTP2: true,
	}
	connect.transport(t)
	return t
}
