package serve

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
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/logging"
	"dragoman/proxy"
)

// listeners are the client listener and the admin listener.
type listeners struct {
	client, admin   *http.Server
	clients, admins net.Listener
	identity        *certificates // certificates of the client listener; nil without TLS
	connections     *connections  // of clients
	exchanges       sync.WaitGroup
	open            atomic.Int64 // the exchanges in it
	serving         sync.WaitGroup
	failed          chan error // receives the error of a failing listener
}

// listen opens both addresses of the configuration. Connections wait until answer is called. Exchanges do not end with
// ctx: Drain ends them.
func (s *Server) listen(ctx context.Context) error {
	g := s.current()
	var err error
	if s.identity, err = clientTLS(g.cfg.TLS, s.log); err != nil {
		return err
	}
	var listen net.ListenConfig
	if s.clients, err = listen.Listen(ctx, "tcp", g.cfg.Listen); err != nil {
		return cannotListen(err, "listen")
	}
	if s.admins, err = listen.Listen(ctx, "tcp", g.cfg.AdminListen); err != nil {
		s.clients.Close()
		return cannotListen(err, "admin-listen")
	}
	s.admins = &plainListener{Listener: s.admins, log: s.log}
	if s.identity == nil {
		s.clients = &plainListener{Listener: s.clients, log: s.log}
	}
	s.failed = make(chan error, 2)
	_, admin := MaxConnections()
	s.admin = newHTTPServer(g.server.Base(), s.answering(func(g *generation) http.Handler { return g.operators }), newConnections(admin, true, s.log))
	s.connections = newConnections(mostConnections(g.cfg, s.log), false, s.log)
	s.connections.refused = g.server.CountConnection
	s.client = newHTTPServer(g.server.Base(), s.counted(s.answering(func(g *generation) http.Handler { return g.clients })), s.connections)
	s.client.ConnContext = proxy.WithConnection
	if s.identity != nil {
		s.client.TLSConfig = &tls.Config{GetConfigForClient: s.identity.forHandshake}
	}
	return nil
}

// cannotListen returns the error of an address, with what to do about it.
func cannotListen(err error, name string) error {
	return fmt.Errorf("%w; give another address with --%s: port 0 takes a free one", err, name)
}

// mostConnections returns the limit of client connections.
func mostConnections(cfg *config.Config, log zerolog.Logger) int64 {
	most, _ := MaxConnections()
	if cfg.MaxConnections > most {
		log.Warn().Int64("descriptors_allow", most).Str("event", "descriptors_short").Str("msg", "the process may open fewer files than limits.max_connections needs: raise its limit of open files, or lower limits.max_connections").Send()
	}
	return cmp.Or(cfg.MaxConnections, most)
}

// counted returns h, and counts its requests in l.exchanges and l.open. net/http does not wait for a request whose HTTP/2 client
// has left, but with on_disconnect: drain such a request continues.
func (l *listeners) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.exchanges.Add(1)
		l.open.Add(1)
		defer l.exchanges.Done()
		defer l.open.Add(-1)
		h.ServeHTTP(w, r)
	})
}

// newHTTPServer returns a server with limits for its connections, and for what they can hold without sending a request.
//
// With TLS, the time to read a header also covers the handshake, which negotiates HTTP/2.
//
// There is no write timeout, because a stream may be long: the proxy sets a deadline for each write, and one for a
// request's body. ReadTimeout is for requests that net/http answers itself, reading the body without a limit (an Expect
// header other than 100-continue). "OPTIONS *" would be another such request, but the proxy answers it.
//
// WriteByteTimeout closes an HTTP/2 connection whose client accepts nothing: it would not even learn that a stream was
// given up. The AWS SDK for JavaScript uses HTTP/2 without TLS for an http endpoint (docs/reference/wire.md, finding
// 5).
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
		ErrorLog:                     stdlog.New(logging.Library(conns.log), "", 0),
	}
}

// answer begins to answer, and returns. Drain ends it.
func (l *listeners) answer() {
	serve := func(serve func(net.Listener) error, on net.Listener) {
		l.serving.Go(func() {
			if err := serve(on); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
				l.failed <- err
			}
		})
	}
	if l.identity != nil {
		serve(func(on net.Listener) error { return l.client.ServeTLS(on, "", "") }, l.clients)
	} else {
		serve(l.client.Serve, l.clients)
	}
	serve(l.admin.Serve, l.admins)
}
