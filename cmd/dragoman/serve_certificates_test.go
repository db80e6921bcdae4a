package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dragoman/upstream/upstreamtest"
)

func newAuthority(t *testing.T, name string) *upstreamtest.Authority {
	t.Helper()
	a, err := upstreamtest.NewAuthority(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// mount is a folder with the files of tls, as Kubernetes mounts one: a link leads to a folder with the contents, and
// the files are links through it.
type mount struct {
	dir     string
	version int
}

// put replaces all files at once.
func (s *mount) put(t *testing.T, files map[string][]byte) {
	t.Helper()
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	s.version++
	version := fmt.Sprint("..", s.version)
	if err := os.Mkdir(filepath.Join(s.dir, version), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(s.dir, version, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = os.Symlink(filepath.Join("..data", name), filepath.Join(s.dir, name)) // fails if it exists, except the first time
	}
	next := filepath.Join(s.dir, "..next")
	if err := os.Symlink(version, next); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(s.dir, "..data")); err != nil {
		t.Fatal(err)
	}
}

// putPair puts a certificate of the authority, and the authority of clients.
func (s *mount) putPair(t *testing.T, a, clients *upstreamtest.Authority) {
	t.Helper()
	cert, key, err := a.Issue("dragoman.example", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	s.put(t, map[string][]byte{"tls.crt": cert, "tls.key": key, "ca.crt": clients.PEM()})
}

func (s *mount) path(name string) string { return filepath.Join(s.dir, name) }

// config returns a configuration file with these files.
func (s *mount) config(t *testing.T, more string) string {
	return write(t, "dragoman.yaml", fmt.Sprintf("tls: {cert: %q, key: %q%s}\nupstreams: {sim: {kind: simulated}}\nmodels: [{name: \"*\", upstream: sim}]\n",
		s.path("tls.crt"), s.path("tls.key"), more))
}

// clientOf returns a client that trusts an authority, and has a certificate of has unless that is nil. It opens a new
// connection for each request.
func clientOf(t *testing.T, trusts, has *upstreamtest.Authority, change ...func(*http.Transport)) *http.Client {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trusts.Pool()}}
	if has != nil {
		pair, err := has.Pair("client")
		if err != nil {
			t.Fatal(err)
		}
		transport.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	for _, f := range change {
		f(transport)
	}
	return &http.Client{Transport: transport}
}

func overHTTP2(t *http.Transport) { t.ForceAttemptHTTP2 = true }

// New files are used within a second, while exchanges continue. Files that do not fit together leave the old ones in
// use. The same holds for Kubernetes mounts, and for the authorities of clients.
func TestServeNewCertificate(t *testing.T) {
	first, second := newAuthority(t, "first"), newAuthority(t, "second")
	var files mount
	files.putPair(t, first, first)
	server := start(t, nil, "--config", files.config(t, fmt.Sprintf(", client_ca: %q", files.path("ca.crt"))))
	tryUntil := func(what string, c *http.Client) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			response, err := c.Get(server.url)
			if err == nil {
				response.Body.Close()
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: %v", what, err)
			}
		}
	}
	tryUntil("the first certificate", clientOf(t, first, first))

	conn, err := tls.Dial("tcp", strings.TrimPrefix(server.url, "https://"), clientOf(t, first, first).Transport.(*http.Transport).TLSClientConfig)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	cert, _, err := second.Issue("dragoman.example", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	_, key, err := second.Issue("dragoman.example", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	files.put(t, map[string][]byte{"tls.crt": cert, "tls.key": key, "ca.crt": second.PEM()})
	logged := make(chan struct{})
	go func() { defer close(logged); server.await(t, "have changed, but cannot be used") }()
	for waiting := true; waiting; {
		tryUntil("the first certificate, beside files that are no pair", clientOf(t, first, first))
		select {
		case <-logged:
			waiting = false
		case <-time.After(20 * time.Millisecond):
		}
	}
	tryUntil("the first certificate, after files that are no pair", clientOf(t, first, first))

	files.putPair(t, second, second)
	tryUntil("the second certificate", clientOf(t, second, second))
	if _, err := clientOf(t, second, first).Get(server.url); err == nil {
		t.Error("a client of the first authority is served")
	}

	fmt.Fprint(conn, "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("the connection that was open all the time: %v, %v", response, err)
	}
}
