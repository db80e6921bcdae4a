package upstreamtest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// Pipes is a network inside the process: one server answers at every address. It works in a bubble of
// testing/synctest.
type Pipes struct {
	client  *http.Client
	server  *http.Server
	conns   chan net.Conn
	closed  chan struct{}
	once    sync.Once
	refused atomic.Pointer[string]
	served  chan struct{}
}

// NewPipes returns a network with the server h, until Close.
func NewPipes(h http.Handler) *Pipes {
	p := &Pipes{server: &http.Server{Handler: h}, conns: make(chan net.Conn), closed: make(chan struct{}), served: make(chan struct{})}
	p.client = &http.Client{Transport: &http.Transport{DialContext: p.dial, DisableCompression: true, DisableKeepAlives: true}}
	go func() {
		defer close(p.served)
		_ = p.server.Serve(pipeListener{p}) // returns after Close
	}()
	return p
}

// Client returns a client that reaches the server at any http URL. Each request has its own connection.
func (p *Pipes) Client() *http.Client { return p.client }

// RefuseAllBut makes the network refuse connections to all hosts but this one from now on; "" refuses all.
func (p *Pipes) RefuseAllBut(host string) { p.refused.Store(&host) }

// Close ends the server and all connections.
func (p *Pipes) Close() {
	p.server.Close()
	p.client.CloseIdleConnections()
	<-p.served
}

var errRefused = errors.New("connection refused")

func (p *Pipes) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if only := p.refused.Load(); err != nil || only != nil && *only != "" && *only != host {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errRefused}
	}
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed:
		return nil, &net.OpError{Op: "dial", Net: network, Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipeListener is the server's end of the network.
type pipeListener struct{ *Pipes }

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l pipeListener) Addr() net.Addr { return &net.TCPAddr{} }
