package main

import (
	"bytes"
	"context"
	"errors"
	stdlog "log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/proxy"
	"dragoman/upstream"
)

// site is a proxy and where it listens: for clients, and for operators.
type site struct {
	client, admin   *http.Server
	clients, admins net.Listener
	cut             context.CancelCauseFunc // ends all open exchanges
	serving         sync.WaitGroup
	failed          chan error // a listener that broke
}

// open listens on both addresses of cfg. Connections wait until serve. Exchanges
// outlive ctx: it is for close to end them.
func open(ctx context.Context, cfg *config.Config, server *proxy.Server, log zerolog.Logger) (*site, error) {
	var listen net.ListenConfig
	clients, err := listen.Listen(ctx, "tcp", cfg.Listen)
	if err != nil {
		return nil, err
	}
	admins, err := listen.Listen(ctx, "tcp", cfg.AdminListen)
	if err != nil {
		clients.Close()
		return nil, err
	}
	exchanges, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	return &site{
		client:  newHTTPServer(exchanges, server.Handler(), log),
		admin:   newHTTPServer(exchanges, server.Admin(), log),
		clients: clients,
		admins:  admins,
		cut:     cut,
		failed:  make(chan error, 2),
	}, nil
}

// newHTTPServer bounds what a client can hold without sending a request. It has
// no time-out for writing, since a stream may be long; the proxy has one for
// each piece. HTTP/2 without TLS is what the AWS SDK for JavaScript speaks to a
// plain endpoint (reference/wire.md, finding 5).
func newHTTPServer(base context.Context, h http.Handler, log zerolog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       3 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		Protocols:         protocols,
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          stdlog.New(serverLog{log}, "", 0),
	}
}

// serverLog writes what net/http has to say of connections.
type serverLog struct{ log zerolog.Logger }

func (l serverLog) Write(p []byte) (int, error) {
	l.log.Warn().Str("msg", string(bytes.TrimSpace(p))).Send()
	return len(p), nil
}

// serve answers from now on, until close. It does not wait.
func (s *site) serve() {
	serve := func(server *http.Server, l net.Listener) {
		s.serving.Go(func() {
			if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				s.failed <- err
			}
		})
	}
	serve(s.client, s.clients)
	serve(s.admin, s.admins)
}

// url is the base URL for clients.
func (s *site) url() string { return "http://" + reachable(s.clients.Addr().String()) }

func (s *site) adminURL() string { return "http://" + reachable(s.admins.Addr().String()) }

// farewell is how long an exchange that is cut has to tell its client so.
const farewell = 2 * time.Second

// close takes no new connections and waits for the open exchanges. Those that
// are still open after the time limit are cut, which is the error.
func (s *site) close(limit time.Duration) error {
	err := shutdown(s.client, limit)
	if err != nil {
		s.cut(&upstream.Error{Status: 529, Type: "overloaded_error", Message: "the server is shutting down"})
		if shutdown(s.client, farewell) != nil {
			s.client.Close()
		}
		err = errors.New("drain: the time was up with exchanges open; they were cut")
	}
	s.admin.Close()
	s.serving.Wait()
	s.cut(nil)
	return err
}

func shutdown(server *http.Server, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return server.Shutdown(ctx)
}
