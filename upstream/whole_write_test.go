package upstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// countedConn counts writes.
type countedConn struct {
	net.Conn
	writes *atomic.Int32
}

func (c countedConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// TestWholeWrites holds that a long body in memory leaves in two pieces, the first with the header, and
// that any other body arrives as it is.
func TestWholeWrites(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 1<<14)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err != nil || string(body) != text {
			t.Errorf("%d bytes have come, and not %d: %v", len(body), len(text), err)
		}
	}))
	defer server.Close()
	var writes atomic.Int32
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return countedConn{conn, &writes}, err
	}}
	Connect(0).transport(transport)
	defer transport.CloseIdleConnections()
	for name, body := range map[string]io.Reader{"in memory": bytes.NewReader([]byte(text)), "read": io.LimitReader(strings.NewReader(text), 1<<30)} {
		writes.Store(0)
		request, err := http.NewRequest(http.MethodPost, server.URL, body)
		if err != nil {
			t.Fatal(err)
		}
		request.ContentLength = int64(len(text))
		response, err := transport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if n := writes.Load(); name == "in memory" && n > 2 {
			t.Errorf("%d writes", n)
		}
	}
	transport.DialContext = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no") }
	Connect(0).transport(transport)
	if _, err := transport.DialContext(t.Context(), "tcp", "127.0.0.1:1"); err == nil {
		t.Error("no error of the dialer")
	}
}

// TestWholeWriteLimit holds that no more is written than the transport has said there is.
func TestWholeWriteLimit(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	if _, err := (wholeWriter{here}).ReadFrom(io.LimitReader(bytes.NewReader([]byte("too long")), 3)); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("%v", err)
	}
}
