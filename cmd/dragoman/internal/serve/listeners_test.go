package serve

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// pipes is a listener for connections without a network, so that tests can use a fake clock.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error { close(p); return nil }

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// served runs a client that writes to a server, and returns when the server has closed the connection. The client reads
// nothing before it has written, and if it stalls, nothing at all.
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

// closing reports when it is closed.
type closing struct {
	net.Conn
	closed chan struct{}
	once   sync.Once
}

func (c *closing) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// What net/http handles by itself also ends: a request head that does not arrive, an unknown expectation, and HTTP/2 to
// a client that reads nothing.
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
	http2.Write([]byte{0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff}) // SETTINGS: the largest windows
	http2.Write([]byte{0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0, 0, 0})                // WINDOW_UPDATE for the connection
	http2.Write([]byte{0, 0, 3, 1, 5, 0, 0, 0, 1, 0x82, 0x84, 0x86})             // HEADERS: GET / with no other fields
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

// Nobody waits for a handshake that does not finish, nor for what must follow it.
func TestHandshakeTimeout(t *testing.T) {
	for name, tt := range map[string]struct {
		protocol string // "": no handshake
		request  string
	}{
		"nothing":        {"", ""},
		"half a hello":   {"", "\x16\x03\x01\x02\x00\x01"},
		"no head":        {"http/1.1", ""},
		"half a head":    {"http/1.1", "GET / HTTP/1.1\r\nHost: x\r\n"},
		"no preface":     {"h2", ""},
		"half a preface": {"h2", "PRI * HTTP/2.0\r\n\r\nSM"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				authority := newAuthority(t) // created here, because its certificates use the fake time
				pair, err := authority.Pair("dragoman.example")
				if err != nil {
					t.Fatal(err)
				}
				server := newHTTPServer(t.Context(), http.NotFoundHandler(), newConnections(10, false, zerolog.Nop()))
				server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}}
				listener, done := make(pipes), make(chan struct{})
				go func() { defer close(done); _ = server.ServeTLS(listener, "", "") }()
				plain, other := net.Pipe()
				defer plain.Close()
				listener <- other
				began := time.Now()
				conn := plain
				if tt.protocol != "" {
					encrypted := tls.Client(plain, &tls.Config{RootCAs: authority.Pool(), ServerName: "localhost", NextProtos: []string{tt.protocol}})
					if err := encrypted.Handshake(); err != nil {
						t.Fatal(err)
					}
					conn = encrypted
				}
				if tt.request != "" {
					if _, err := io.WriteString(conn, tt.request); err != nil {
						t.Fatal(err)
					}
				}
				_, _ = io.Copy(io.Discard, conn)
				if open := time.Since(began); open > 11*time.Second {
					t.Errorf("the connection was open for %v", open)
				}
				plain.Close()
				server.Close()
				<-done
			})
		})
	}
}
