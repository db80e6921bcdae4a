package upstream

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Connections to a server: their settings, and the checks of base URLs and keys.

// Settings of the connections to an upstream.
const (
	DefaultConnect  = 5 * time.Second // see [Connect]
	idleConns       = 256             // kept for each upstream
	idleConnTimeout = 90 * time.Second
	// pingAfter is how long an HTTP/2 connection may be silent before a ping checks it, and how long the ping
	// may take. Without pings, requests on a dead connection would wait until their timeout.
	pingAfter = 15 * time.Second
)

// Connect limits the time to reach an upstream: the time to connect, and then the time of the TLS handshake.
// 0 means 5 seconds.
type Connect time.Duration

// timeout returns the limit, or the default for 0.
func (c Connect) timeout() time.Duration { return cmp.Or(time.Duration(c), DefaultConnect) }

// dialer sets the timeout of a dialer.
func (c Connect) dialer(d *net.Dialer) { d.Timeout = c.timeout() }

// transport configures a transport for an upstream. The transport has no timeout for an answer: the context
// limits that.
func (c Connect) transport(t *http.Transport) {
	t.TLSHandshakeTimeout = c.timeout()
	t.MaxIdleConns = 0
	t.MaxIdleConnsPerHost = idleConns
	t.IdleConnTimeout = idleConnTimeout
	t.ResponseHeaderTimeout = 0
	t.DisableCompression = true // a compressed stream arrives in large pieces
	t.OnProxyConnectResponse = proxyRefusal
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter}
}

// proxyRefusal is called with the response of a network proxy to CONNECT, and returns an error for a refusal.
// net/http's own error is the proxy's text, which may not go into a log.
func proxyRefusal(_ context.Context, _ *url.URL, _ *http.Request, r *http.Response) error {
	if r.StatusCode == http.StatusOK {
		return nil
	}
	return plain(fmt.Sprintf("the network's proxy refused the connection with status %d. Check HTTPS_PROXY and NO_PROXY", r.StatusCode))
}

// withoutRedirects returns a copy of the client that returns a redirect as the response.
func withoutRedirects(c *http.Client) *http.Client {
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// replayable lets the transport send a request again on a new connection if the idle connection that it took
// is dead. net/http repeats a POST only with this header. The header has no value, so it is not sent.
func replayable(h http.Header) { h["Idempotency-Key"] = nil }

// parseBase parses the base URL of an upstream. Its errors do not repeat credentials in the URL.
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

// withVersion returns the base URL with /v1 at its end, whether or not it had that already.
func withVersion(base *url.URL) string {
	s := strings.TrimRight(base.String(), "/")
	return strings.TrimRight(strings.TrimSuffix(s, "/v1"), "/") + "/v1"
}

// isKey reports whether s can be sent in a header.
func isKey(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// clientOf returns a client that returns a redirect as the response. It is a copy of client; if client is
// nil, it is a new client with the settings of this package, which trusts these authorities.
func clientOf(client *http.Client, connect Connect, roots *x509.CertPool) *http.Client {
	if client == nil {
		transport := newTransport(connect)
		trusting(roots)(transport)
		client = &http.Client{Transport: transport}
	}
	return withoutRedirects(client)
}

// OnRequest is called with each request to an upstream just before it is sent, and may add headers. The
// signature of a signed request does not cover them.
type OnRequest func(r *http.Request)

// over returns a transport that calls f before base; nil is http.DefaultTransport.
func (f OnRequest) over(base http.RoundTripper) http.RoundTripper {
	if f == nil {
		return base
	}
	if base == nil {
		base = http.DefaultTransport
	}
	return &announced{f, base}
}

// announced is a transport that calls tell before each request.
type announced struct {
	tell OnRequest
	base http.RoundTripper
}

func (a *announced) RoundTrip(r *http.Request) (*http.Response, error) {
	own := *r // a RoundTripper must not change the request of its caller
	own.Header = r.Header.Clone()
	a.tell(&own)
	return a.base.RoundTrip(&own)
}

// CloseIdleConnections implements the method that [http.Client.CloseIdleConnections] looks for.
func (a *announced) CloseIdleConnections() { (&http.Client{Transport: a.base}).CloseIdleConnections() }

// newTransport returns a transport with the settings of this package.
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
