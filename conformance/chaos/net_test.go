package chaos

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// host is an address in a network in memory: its server, and the fault of its connections.
type host struct {
	accepts chan net.Conn
	closed  chan struct{}
	close   sync.Once
	fault   *fault       // of the bytes that it sends; nil for none
	dialed  atomic.Int32 // connections so far
	open    atomic.Int32 // connections that the other side has not closed
	writes  int          // on the last connection
}

func newHost(f *fault) *host {
	return &host{accepts: make(chan net.Conn), closed: make(chan struct{}), fault: f}
}

// connectTimeout is the proxy's default.
const connectTimeout = 5 * time.Second

// dial connects to the host, like net.Dialer.DialContext.
func (h *host) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	h.dialed.Add(1)
	if err := h.fault.dial(ctx); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = syscall.ETIMEDOUT
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	// There are two pipes, so that one direction can end without the other.
	requestEnd, requests := net.Pipe()
	answers, answerEnd := net.Pipe()
	broken, left := new(atomic.Bool), make(chan struct{})
	client := &dialedConn{duplex: duplex{Conn: answers, w: requests}, host: h, broken: broken, left: left}
	server := &faultyConn{duplex: duplex{Conn: requestEnd, w: answerEnd}, host: h, broken: broken, left: left}
	select {
	case h.accepts <- server:
		h.open.Add(1)
		return client, nil
	case <-h.closed:
	case <-ctx.Done():
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// Accept implements [net.Listener].
func (h *host) Accept() (net.Conn, error) {
	select {
	case c := <-h.accepts:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (h *host) Close() error {
	h.close.Do(func() { close(h.closed) })
	return nil
}

// Addr implements [net.Listener].
func (h *host) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// duplex is one end of a connection. It reads from one pipe, and writes to another.
type duplex struct {
	net.Conn
	w net.Conn
}

func (d *duplex) Write(p []byte) (int, error)         { return d.w.Write(p) }
func (d *duplex) SetWriteDeadline(at time.Time) error { return d.w.SetWriteDeadline(at) }
func (d *duplex) LocalAddr() net.Addr                 { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
func (d *duplex) RemoteAddr() net.Addr                { return d.LocalAddr() }

func (d *duplex) SetDeadline(at time.Time) error {
	return errors.Join(d.SetReadDeadline(at), d.w.SetWriteDeadline(at))
}

func (d *duplex) Close() error { return errors.Join(d.Conn.Close(), d.w.Close()) }

// dialedConn is the end that has dialed.
type dialedConn struct {
	duplex
	host   *host
	broken *atomic.Bool  // the other end has reset the connection
	left   chan struct{} // closed when this end is closed
	once   sync.Once
}

func (c *dialedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil && c.broken.Load() {
		err = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	}
	return n, err
}

func (c *dialedConn) Close() error {
	c.once.Do(func() {
		c.host.open.Add(-1)
		close(c.left)
	})
	return c.duplex.Close()
}
