package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/proxy"
)

// site is a proxy that listens on two addresses: for clients and for operators.
type site struct {
	client, admin   *http.Server
	clients, admins net.Listener
	live            *live
	identity        *certificates // with which clients connect; nil without TLS
	connections     *connections  // of clients
	exchanges       sync.WaitGroup
	serving         sync.WaitGroup
	failed          chan error // gets the error of a listener that cannot go on
}

// open listens on both addresses of the configuration. Connections wait until serve is called. Exchanges
// do not end with ctx: close ends them.
func open(ctx context.Context, live *live, log zerolog.Logger) (*site, error) {
	cfg, server := live.current()
	identity, err := clientTLS(cfg.TLS, log)
	if err != nil {
		return nil, err
	}
	var listen net.ListenConfig
	clients, err := listen.Listen(ctx, "tcp", cfg.Listen)
	if err != nil {
		return nil, cannotListen(err, "listen")
	}
	admins, err := listen.Listen(ctx, "tcp", cfg.AdminListen)
	if err != nil {
		clients.Close()
		return nil, cannotListen(err, "admin-listen")
	}
	_, admin := connectionLimits(descriptors())
	conns := newConnections(mostConnections(cfg, log), false, log)
	conns.refused = server.CountConnection
	s := &site{
		admin:       newHTTPServer(server.Base(), live.admin(), newConnections(admin, true, log)),
		clients:     clients,
		admins:      admins,
		live:        live,
		identity:    identity,
		connections: conns,
		failed:      make(chan error, 2),
	}
	s.client = newHTTPServer(server.Base(), s.counted(live.handler()), conns)
	s.client.ConnContext = proxy.WithConnection
	if identity != nil {
		s.client.TLSConfig = &tls.Config{GetConfigForClient: identity.forHandshake}
	}
	return s, nil
}

// cannotListen returns the error of an address with what to do about it.
func cannotListen(err error, name string) error {
	return fmt.Errorf("%w; give another address with --%s: port 0 takes a free one", err, name)
}

// mostConnections returns how many connections clients can have.
func mostConnections(cfg *config.Config, log zerolog.Logger) int64 {
	most, _ := connectionLimits(descriptors())
	if cfg.MaxConnections > most {
		log.Warn().Int64("descriptors_allow", most).Str("msg", "limits.max_connections is more than the process has descriptors for").Send()
	}
	return cmp.Or(cfg.MaxConnections, most)
}

// counted returns h with its requests in s.exchanges. net/http does not wait for a request whose
// client has left over HTTP/2, and with on_disconnect: drain that is not its end.
func (s *site) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.exchanges.Add(1)
		defer s.exchanges.Done()
		h.ServeHTTP(w, r)
	})
}

// newHTTPServer returns a server that bounds how many connections there can be, and what
// they can hold without sending a request.
//
// With TLS, the time to read a header bounds the handshake, too. HTTP/2 is agreed on in it.
//
// There is no timeout for writing, since a stream may be long: the proxy sets a deadline
// for each piece of it, and one for a request's body. ReadTimeout is for requests that
// net/http answers itself, reading the body without a limit (Expect with another value
// than 100-continue). "OPTIONS *" would be another such request; it goes to the proxy.
//
// WriteByteTimeout closes a connection of HTTP/2 whose client takes nothing: it could not
// even be told that a stream is given up. HTTP/2 without TLS is what the AWS SDK for
// JavaScript speaks to an http endpoint (docs/reference/wire.md, finding 5).
func newHTTPServer(base context.Context, h http.Handler, conns *connections) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:                      h,
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            10 * time.Second,
		ReadTimeout:                  55 * time.Second,
		IdleTimeout:                  3 * time.Minute,
		MaxHeaderBytes:               64 << 10,
		Protocols:                    protocols,
		HTTP2:                        &http.HTTP2Config{WriteByteTimeout: time.Minute},
		ConnState:                    conns.observe,
		BaseContext:                  func(net.Listener) context.Context { return base },
		ErrorLog:                     stdlog.New(libraryLog{conns.log}, "", 0),
	}
}

// serve begins to answer, and returns. close ends it.
func (s *site) serve() {
	serve := func(serve func(net.Listener) error, l net.Listener) {
		s.serving.Go(func() {
			if err := serve(l); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
				s.failed <- err
			}
		})
	}
	if s.identity != nil {
		serve(func(l net.Listener) error { return s.client.ServeTLS(l, "", "") }, s.clients)
	} else {
		serve(s.client.Serve, s.clients)
	}
	serve(s.admin.Serve, s.admins)
}

// url returns the base URL for clients. self is the address of this machine for them, if the server listens
// on all: loopback, or [ownAddress].
func (s *site) url(self string) string {
	scheme := "http://"
	if s.identity != nil {
		scheme = "https://"
	}
	return scheme + reachable(s.clients.Addr().String(), self)
}

// adminURL returns the base URL for operators. self is as for url.
func (s *site) adminURL(self string) string {
	return "http://" + reachable(s.admins.Addr().String(), self)
}

// loopback is the address of this machine for programs on it.
const loopback = "127.0.0.1"

// ownAddress returns the address of this machine for other machines, given the addresses of its interfaces.
// IPv4 goes first. If the machine has no address but loopback, ownAddress returns that.
func ownAddress(interfaces []net.Addr) string {
	own := loopback
	for _, a := range interfaces {
		network, ok := a.(*net.IPNet)
		switch {
		case !ok || !network.IP.IsGlobalUnicast(): // of loopback, or of one link alone
		case network.IP.To4() != nil:
			return network.IP.String()
		case own == loopback:
			own = network.IP.String()
		}
	}
	return own
}

// reachable returns the address to connect to for an address that is listened on. If that stands for all
// addresses of the machine, self takes its place.
func reachable(listen, self string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = self
	}
	return net.JoinHostPort(host, port)
}

// linger goes on serving until the delay is over or ctx ends. Balancers find out meanwhile that
// the server is not ready: those that did not would send connections that are refused. It returns
// the error of a listener that cannot go on.
func (s *site) linger(ctx context.Context, delay time.Duration) error {
	select {
	case err := <-s.failed:
		return err
	case <-ctx.Done():
	case <-time.After(delay):
	}
	return nil
}

// farewell is the time that exchanges have, after they were cut, to tell their clients. It is the
// last part of the drain: whoever waits for that, as Kubernetes does, kills the process at its end.
const farewell = 2 * time.Second

// rest is how long a connection has to be without a request before the drain closes it. A client
// that goes on as soon as its stream has ended would else ask just as the connection is closed.
// As it is, it is answered, and the answer says that the connection ends.
const rest = time.Second

// close takes no new connections and waits for the open exchanges. If some are still open
// shortly before the time limit, or when ctx ends, they are cut, and close returns an error.
func (s *site) close(ctx context.Context, limit time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, limit-min(farewell, limit/2))
	defer cancel()
	s.clients.Close()
	cfg, server := s.live.current()
	if cfg.DrainDelay > 0 { // clients are given time to learn of the drain
		s.awaitRest(limited)
	}
	err := s.shutdown(limited)
	if err != nil {
		server.Cut()
		last, cancel := context.WithTimeout(context.Background(), farewell)
		defer cancel()
		if s.shutdown(last) != nil {
			s.client.Close()
		}
		why := "the time was up"
		if ctx.Err() != nil {
			why = "it was ended by a second signal"
		}
		err = fmt.Errorf("drain: %s with exchanges open; they were cut", why)
	}
	s.admin.Close()
	s.serving.Wait()
	s.live.close()
	return err
}

// awaitRest waits until every connection of a client is at rest, or ctx ends.
func (s *site) awaitRest(ctx context.Context) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !s.connections.resting(rest) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// shutdown closes the connections of clients without a request and waits until there are neither
// others nor exchanges, or ctx ends. That the listener is closed already is not an error.
func (s *site) shutdown(ctx context.Context) error {
	if err := s.client.Shutdown(ctx); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.exchanges.Wait()
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
