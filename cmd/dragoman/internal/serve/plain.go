package serve

import (
	"io"
	"net"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/logging"
)

// plainListener is the listener of a server without TLS. It recognizes clients that speak TLS: net/http would take
// their first bytes for a request, and wait for the rest.
type plainListener struct {
	net.Listener
	log    zerolog.Logger
	warned logging.Seldom
}

func (l *plainListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &plainConn{Conn: conn, listener: l}, nil
}

// plainConn is a client's connection. Its first bytes must be a request, or the connection ends.
type plainConn struct {
	net.Conn
	listener *plainListener
	begun    bool
}

// handshake is the first byte of a client that speaks TLS (RFC 8446, section 5.1).
const handshake = 0x16

// Read answers a client that speaks TLS in plain HTTP. Clients recognize that, and report that the server does not
// speak TLS.
func (c *plainConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.begun || n == 0 {
		return n, err
	}
	c.begun = true
	if p[0] != handshake {
		return n, err
	}
	if c.listener.warned.Due() {
		c.listener.log.Warn().Str("event", "tls_to_plain_http").
			Str("msg", "a client speaks TLS, and this port does not: give the client a URL with http://, or set tls.cert and tls.key; this is said at most once a minute").Send()
	}
	_, _ = io.WriteString(c.Conn, "HTTP/1.0 400 Bad Request\r\n\r\nThis port speaks HTTP without TLS: use a URL with http://.\n") // the client may be gone
	return 0, io.EOF
}
