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

// How a server is reached: settings of connections, and the URLs and keys of the
// configuration.

// Settings of the connections to an upstream.
const (
	DefaultConnect  = 5 * time.Second // see [Connect]
	idleConns       = 256             // kept for each upstream
	idleConnTimeout = 90 * time.Second
	// pingAfter is how long a connection may be silent before it is asked for a sign of
	// life, and how long that may take (HTTP/2). A dead connection would else hold the
	// requests on it until their time-out.
	pingAfter = 15 * time.Second
)

// Connect is how long it may take to reach an upstream: to connect, and then to agree on
// TLS. 0 means 5 seconds. The other settings of a connection do not depend on it.
type Connect time.Duration

// timeout returns the time-out that c means.
func (c Connect) timeout() time.Duration { return cmp.Or(time.Duration(c), DefaultConnect) }

// dialer sets the time-out of a dialer.
func (c Connect) dialer(d *net.Dialer) { d.Timeout = c.timeout() }

// transport sets what a transport for an upstream has. It has no time-out for an answer:
// that is the context's.
func (c Connect) transport(t *http.Transport) {
	t.TLSHandshakeTimeout = c.timeout()
	t.MaxIdleConns = 0
	t.MaxIdleConnsPerHost = idleConns
	t.IdleConnTimeout = idleConnTimeout
	t.ResponseHeaderTimeout = 0
	t.DisableCompression = true // a compressed stream comes in lumps
	t.OnProxyConnectResponse = proxyRefusal
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter}
}

// proxyRefusal is the error of a proxy of the network that does not let us through. net/http has its
// words alone, which a log may not have.
func proxyRefusal(_ context.Context, _ *url.URL, _ *http.Request, r *http.Response) error {
	if r.StatusCode == http.StatusOK {
		return nil
	}
	return plain(fmt.Sprintf("the proxy of the network answered with status %d", r.StatusCode))
}

// withoutRedirects returns a copy of the client that returns a redirect as the response.
func withoutRedirects(c *http.Client) *http.Client {
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// replayable lets the transport send a request again on a new connection when the idle
// one that it took turns out to be dead. Without this header it would not repeat a POST.
// The header has no value, so it is not sent.
func replayable(h http.Header) { h["Idempotency-Key"] = nil }

// parseBase reads the base URL of an upstream. Its errors repeat no credentials that the
// URL holds.
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

// withVersion returns a base URL that ends in /v1, whether or not it was given so.
func withVersion(base *url.URL) string {
	s := strings.TrimRight(base.String(), "/")
	return strings.TrimRight(strings.TrimSuffix(s, "/v1"), "/") + "/v1"
}

// isKey reports whether s can stand in a header as it is.
func isKey(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// clientOf returns a client that returns a redirect as the response: a copy of client
// or, if that is nil, one with the settings of this package, which trusts these authorities.
func clientOf(client *http.Client, connect Connect, roots *x509.CertPool) *http.Client {
	if client == nil {
		transport := newTransport(connect)
		trusting(roots)(transport)
		client = &http.Client{Transport: transport}
	}
	return withoutRedirects(client)
}

// OnRequest is called with each request to an upstream just before it is sent, and may add to its
// header. What is signed has been signed by then.
type OnRequest func(r *http.Request)

// over returns a transport that calls f before base; a base of nil is that of net/http.
func (f OnRequest) over(base http.RoundTripper) http.RoundTripper {
	if f == nil {
		return base
	}
	if base == nil {
		base = http.DefaultTransport
	}
	return &announced{f, base}
}

// announced is a transport whose requests somebody is told of.
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

// CloseIdleConnections is for [http.Client.CloseIdleConnections].
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
