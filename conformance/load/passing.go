package main

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// passing returns the baseline: the standard library's reverse proxy, set up well, which passes bytes on.
func passing(to *url.URL) http.Handler {
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		FlushInterval: -1,
		BufferPool:    new(buffers),
		Transport:     &http.Transport{MaxIdleConnsPerHost: 8192, IdleConnTimeout: time.Minute, DisableCompression: true},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Else the first byte of an answer closes the request's body, and if the transport looks just then whether
		// there is more of it, that error cuts the answer.
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/1.1 can
		proxy.ServeHTTP(w, r)
	})
}

// buffers are those of copies, used again.
type buffers struct{ sync.Pool }

// Get is of [httputil.BufferPool].
func (p *buffers) Get() []byte {
	if b, ok := p.Pool.Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, 32<<10)
}

// Put is of [httputil.BufferPool].
func (p *buffers) Put(b []byte) { p.Pool.Put(&b) }
