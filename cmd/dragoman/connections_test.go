package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// keyed is a configuration with a key, for clients that have none.
func keyed(t *testing.T, limits string) string {
	return write(t, "dragoman.yaml", fmt.Sprintf(`
auth: {keys: [a-key-of-the-tests]}
upstreams: {sim: {kind: simulated}}
models: [{name: "*", upstream: sim}]
limits: {%s}
timeouts: {drain: 50s}`, limits))
}

// cell is a request that never comes to its end.
type cell struct{ name, address, head string }

// cells are all ways to be answered with all ways not to send a body, and what net/http
// answers itself.
func cells(server *running) []cell {
	var all []cell
	client, admin := strings.TrimPrefix(server.url, "http://"), strings.TrimPrefix(server.admin, "http://")
	for _, to := range []struct{ address, line string }{
		{client, "POST /v1/messages"},
		{client, "POST /nothing"},
		{client, "GET /"},
		{client, "OPTIONS *"},
		{admin, "GET /healthz"},
		{admin, "GET /readyz"},
		{admin, "GET /metrics"},
		{admin, "GET /nothing"},
		{admin, "OPTIONS *"},
	} {
		for _, body := range []string{"Content-Length: 1000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"} {
			all = append(all, cell{to.line + " " + body[:8], to.address, to.line + " HTTP/1.1\r\nHost: x\r\n" + body})
		}
	}
	return all
}

// open opens connections and sends the head of a request on each.
func (c cell) open(t *testing.T, n int) []net.Conn {
	t.Helper()
	conns := make([]net.Conn, n)
	for i := range conns {
		conn, err := net.Dial("tcp", c.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if _, err := io.WriteString(conn, c.head); err != nil {
			t.Fatal(err)
		}
		conns[i] = conn
	}
	return conns
}

// awaitEnd reads what comes until the server closes the connections.
func awaitEnd(t *testing.T, conns []net.Conn, within time.Duration) {
	t.Helper()
	deadline := time.Now().Add(within)
	for _, conn := range conns {
		_ = conn.SetReadDeadline(deadline)
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Errorf("the connection was not closed: %v", err)
			return
		}
		conn.Close()
	}
}

// Connections whose request does not come to its end leave nothing behind, however
// they are answered, and hold up no drain.
func TestUnfinishedRequests(t *testing.T) {
	server := start(t, nil, "--config", keyed(t, "attempts: 1"))
	go func() {
		for range server.log { // or else it would be full
		}
	}()
	if status(t, server.url) != http.StatusOK || status(t, server.admin+"/healthz") != http.StatusOK {
		t.Fatal("the server does not answer")
	}
	goroutines := runtime.NumGoroutine()
	clients, admins := connectionLimits(descriptors())
	all := cells(server)
	opened := make([][]net.Conn, len(all))
	for i, c := range all { // all at once: each waits for the server to give up
		n := min(300, clients/16)
		if strings.HasSuffix(server.admin, c.address) {
			n = admins / 16
		}
		opened[i] = c.open(t, int(max(1, n)))
	}
	for i, c := range all {
		t.Run(c.name, func(t *testing.T) { awaitEnd(t, opened[i], 10*time.Second) })
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Errorf("%d goroutines, and %d before", runtime.NumGoroutine(), goroutines)
			break
		}
	}

	address := strings.TrimPrefix(server.url, "http://")
	cell{"", address, "GET / HTTP/1.1\r\nHost: x\r\n"}.open(t, 1)
	cell{"", address, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-Api-Key: a-key-of-the-tests\r\nContent-Length: 10\r\n\r\n{"}.open(t, 1)
	server.stop()
	if code := <-server.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// pipes is a listener for connections without a network, whose clock can be a fake.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// served has a client write to a server and returns when the server has closed the
// connection. The client reads nothing before it has written, and, if it stalls, nothing at all.
func served(t *testing.T, h http.HandlerFunc, stalls bool, request string) (open time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := newHTTPServer(t.Context(), h, newConnections(10, false, zerolog.Nop()))
		listener := make(pipes)
		done := make(chan struct{})
		go func() { defer close(done); _ = server.Serve(listener) }()
		conn, other := net.Pipe()
		closed := make(chan struct{})
		listener <- &closing{Conn: other, closed: closed}
		began := time.Now()
		go func() {
			_, _ = io.WriteString(conn, request)
			if !stalls {
				_, _ = io.Copy(io.Discard, conn)
			}
		}()
		<-closed
		open = time.Since(began)
		conn.Close()
		server.Close()
		<-done
	})
	return open
}

// closing tells when it is closed.
type closing struct {
	net.Conn
	closed chan struct{}
	once   sync.Once
}

func (c *closing) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// What net/http does by itself ends, too: the head of a request that does not come, an
// expectation that it does not know, and HTTP/2 towards a client that reads nothing.
func TestServerTimeouts(t *testing.T) {
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Method == http.MethodGet && r.ProtoMajor == 2 {
			if _, err := w.Write(make([]byte, 1<<10)); err != nil {
				return
			}
		}
	}
	var http2 bytes.Buffer
	http2.WriteString("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	http2.Write([]byte{0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff}) // SETTINGS: windows as wide as can be
	http2.Write([]byte{0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0, 0, 0})                // WINDOW_UPDATE of the connection
	http2.Write([]byte{0, 0, 3, 1, 5, 0, 0, 0, 1, 0x82, 0x84, 0x86})             // HEADERS: GET / without more
	for _, tt := range []struct {
		name, request string
		stalls        bool
		most          time.Duration
	}{
		{"nothing", "", false, 11 * time.Second},
		{"half a head", "GET / HTTP/1.1\r\nHost: x\r\n", false, 11 * time.Second},
		{"unknown expectation", "POST / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nContent-Length: 10\r\n\r\n", false, time.Minute},
		{"half a preface", "PRI * HTTP/2.0\r\n\r\nSM", false, 11 * time.Second},
		{"HTTP/2 that is not read", http2.String(), true, 2 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if open := served(t, endless, tt.stalls, tt.request); open > tt.most {
				t.Errorf("the connection was open for %v", open)
			}
		})
	}
}

// Connections above the limit are closed at once, and others go on. Those of operators
// have a limit of their own, and the oldest makes room for a new one.
func TestMaxConnections(t *testing.T) {
	server := start(t, nil, "--config", keyed(t, "max_connections: 3"))
	idle := cell{"", strings.TrimPrefix(server.url, "http://"), "GET / HTTP/1.1\r\nHost: x\r\n\r\n"}
	open := idle.open(t, 3)
	for _, conn := range open { // each has been accepted
		if _, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
			t.Fatal(err)
		}
	}
	refused, err := net.Dial("tcp", idle.address)
	if err != nil {
		t.Fatal(err)
	}
	defer refused.Close()
	_ = refused.SetReadDeadline(time.Now().Add(10 * time.Second))
	if n, err := refused.Read(make([]byte, 1)); n > 0 || err == nil || os.IsTimeout(err) {
		t.Errorf("a connection too many: %d bytes, %v", n, err)
	}
	server.await(t, "too many connections")
	if !strings.Contains(fetch(t, server.admin+"/metrics"), `dragoman_overload_total{gate="connections"} 1`) {
		t.Error("the metrics do not have it")
	}
	if got := status(t, server.admin+"/healthz"); got != http.StatusOK {
		t.Errorf("/healthz answers %d", got)
	}
	_, admins := connectionLimits(descriptors())
	cell{"", strings.TrimPrefix(server.admin, "http://"), "GET /"}.open(t, int(admins)+1)
	if got := status(t, server.admin+"/healthz"); got != http.StatusOK {
		t.Errorf("/healthz answers %d among many connections", got)
	}
	open[0].Close()
	for deadline := time.Now().Add(10 * time.Second); ; { // until the server has seen it
		response, err := client.Get(server.url)
		if err == nil {
			response.Body.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no room after a connection was closed: %v", err)
		}
	}
}

func TestShares(t *testing.T) {
	for _, tt := range []struct{ descriptors, clients, admins int64 }{{1 << 20, 524224, 64}, {1024, 448, 64}, {256, 96, 32}, {64, 24, 8}, {1, 1, 1}} {
		clients, admins := connectionLimits(tt.descriptors)
		if clients != tt.clients || admins != tt.admins {
			t.Errorf("%d descriptors: %d for clients, %d for operators", tt.descriptors, clients, admins)
		}
	}
}
