package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"dragoman/cmd/dragoman/internal/serve"
)

// keyed returns a configuration with a key, for clients that have none.
func keyed(t *testing.T, limits string) string {
	return write(t, "dragoman.yaml", fmt.Sprintf(`
auth: {keys: [a-key-of-the-tests]}
upstreams: {sim: {kind: simulated}}
models: [{name: "*", upstream: sim}]
limits: {%s}
timeouts: {drain: 50s}`, limits))
}

// cell is a request that never ends.
type cell struct{ name, address, head string }

// cells returns all combinations of an answer and a missing body, and what net/http answers itself.
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

// awaitEnd reads until the server closes the connections.
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

// Connections with unfinished requests leave nothing behind, however they are answered, and do not delay a drain.
func TestUnfinishedRequests(t *testing.T) {
	server := start(t, nil, "--config", keyed(t, "attempts: 1"))
	go func() {
		for range server.log { // keep the channel from filling up
		}
	}()
	if status(t, server.url) != http.StatusOK || status(t, server.admin+"/healthz") != http.StatusOK {
		t.Fatal("the server does not answer")
	}
	goroutines := runtime.NumGoroutine()
	clients, admins := serve.MaxConnections()
	all := cells(server)
	opened := make([][]net.Conn, len(all))
	for i, c := range all { // all at once, because each waits for the server to give up
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

// Connections above the limit are closed at once, and others continue. The admin listener has its own limit, where the
// oldest connection makes room for a new one.
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
	_, admins := serve.MaxConnections()
	cell{"", strings.TrimPrefix(server.admin, "http://"), "GET /"}.open(t, int(admins)+1)
	if got := status(t, server.admin+"/healthz"); got != http.StatusOK {
		t.Errorf("/healthz answers %d among many connections", got)
	}
	open[0].Close()
	for deadline := time.Now().Add(10 * time.Second); ; { // until the server has noticed
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

// The limits of the file apply, and the log lists them.
func TestServeLimits(t *testing.T) {
	server := start(t, nil, "--log-level", "debug", "--config", write(t, "dragoman.yaml", `
upstreams: {sim: {kind: simulated}}
models: [{name: "*", upstream: sim}]
limits: {max_concurrent: 7, max_inflight_bytes: 1000}`))
	server.await(t, `"max_inflight_bytes":1000,"max_concurrent":7`)
	if response := post(t, client, server.url, strings.Repeat(" ", 1001)); response.StatusCode != 413 {
		t.Errorf("a body that is longer than all may be: %s", response.Status)
	}
}
