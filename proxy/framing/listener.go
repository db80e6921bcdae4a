package framing

import "net"

// Listener returns a listener whose connections end at the first request that is refused. It is for
// a listener of TCP without TLS: over TLS there is nothing to see.
func Listener(l net.Listener) net.Listener { return &listener{l} }

type listener struct{ net.Listener }

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	tcp, ok := c.(*net.TCPConn)
	if err != nil || !ok {
		return c, err
	}
	return &conn{TCPConn: tcp}, nil
}

// conn is a connection that is watched. It has the methods of TCP, since net/http closes its own
// side of a connection before the other.
type conn struct {
	*net.TCPConn
	watch   watch
	refused error
}

// Read returns what may be read before it returns an error: net/http takes any error for the end of
// the client, but answers what it finds wrong itself.
func (c *conn) Read(p []byte) (int, error) {
	if c.refused != nil {
		return 0, c.refused
	}
	n, err := c.TCPConn.Read(p)
	if n == 0 {
		return 0, err
	}
	if n, c.refused = c.watch.follow(p[:n]); n == 0 {
		return 0, c.refused
	}
	return n, nil
}
