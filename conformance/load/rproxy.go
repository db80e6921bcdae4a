package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// rproxyCommand runs the baseline: the standard library's reverse proxy, set up well, doing no more
// than passing bytes on.
func rproxyCommand(args []string) error {
	flags := flag.NewFlagSet("rproxy", flag.ExitOnError)
	listen := flags.String("listen", "127.0.0.1:0", "`address`; loopback only")
	to := flags.String("upstream", "", "`URL` to send requests to")
	_ = flags.Parse(args) // it exits
	target, err := url.Parse(*to)
	if err != nil {
		return err
	}
	return serve(*listen, &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval: -1,
		BufferPool:    &copyBuffers{},
		Transport: &http.Transport{
			MaxIdleConns:        8192,
			MaxIdleConnsPerHost: 8192,
			IdleConnTimeout:     time.Minute,
			DisableCompression:  true,
		},
	})
}

// copyBuffers are the buffers of the copies, used again.
type copyBuffers struct{ sync.Pool }

// Get is of [httputil.BufferPool].
func (p *copyBuffers) Get() []byte {
	if b, ok := p.Pool.Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, 32<<10)
}

// Put is of [httputil.BufferPool].
func (p *copyBuffers) Put(b []byte) { p.Pool.Put(&b) }

// serve serves on a loopback address until a signal, for an hour at most.
func serve(listen string, handler http.Handler) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); !ip.IsLoopback() {
		return fmt.Errorf("%s is not a loopback address", listen)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: handler} // without a timeout, which a connection that waits for its first request would run into
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		select {
		case <-signals:
		case <-time.After(time.Hour):
		}
		_ = srv.Close() // the process ends
	}()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
