package main

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// passing returns the baseline: the standard library's reverse proxy, well configured, which only passes
// bytes on.
func passing(to *url.URL) http.Handler {
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		FlushInterval: -1,
		BufferPool:    new(buffers),
		Transport:     &http.Transport{MaxIdleConnsPerHost: 8192, IdleConnTimeout: time.Minute, DisableCompression: true},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Otherwise the first byte of an answer closes the request's body. If the transport is just then
		// looking for more of the body, the resulting error cuts the answer.
		_ = http.NewResponseController(w).EnableFullDuplex() // cannot fail for HTTP/1.1
		proxy.ServeHTTP(w, r)
	})
}

// buffers are reused buffers for copies.
type buffers struct{ sync.Pool }

// Get implements [httputil.BufferPool].
func (p *buffers) Get() []byte {
	if b, ok := p.Pool.Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, 32<<10)
}

// Put implements [httputil.BufferPool].
func (p *buffers) Put(b []byte) { p.Pool.Put(&b) }
