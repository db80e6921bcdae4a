package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate"
)

// serving is a server whose connections are pipes, so that tests can use a fake clock.
type serving struct {
	ln   *pipes
	http *http.Server
	done chan struct{}
}

func servePipes(h http.Handler) *serving {
	s := &serving{&pipes{make(chan net.Conn), make(chan struct{})}, &http.Server{Handler: h, Protocols: new(http.Protocols)}, make(chan struct{})}
	s.http.Protocols.SetHTTP1(true)
	s.http.Protocols.SetUnencryptedHTTP2(true)
	go func() {
		defer close(s.done)
		_ = s.http.Serve(s.ln)
	}()
	return s
}

// dial opens a connection and returns the client's end.
func (s *serving) dial() net.Conn {
	client, conn := net.Pipe()
	s.ln.conns <- conn
	return client
}

// client returns a client for one version of HTTP.
func (s *serving) client(version int) *http.Client {
	t := &http.Transport{Protocols: new(http.Protocols), DialContext: func(context.Context, string, string) (net.Conn, error) { return s.dial(), nil }}
	t.Protocols.SetHTTP1(version == 1)
	t.Protocols.SetUnencryptedHTTP2(version == 2)
	return &http.Client{Transport: t}
}

func (s *serving) close(t *testing.T) {
	t.Helper()
	if err := s.http.Close(); err != nil {
		t.Error(err)
	}
	<-s.done
}

var versions = []int{1, 2}

// unending returns a body that begins and then stalls.
func unending() (io.Reader, func()) {
	r, w := io.Pipe()
	go func() { _, _ = io.WriteString(w, "{") }()
	return r, func() { w.CloseWithError(errors.New("given up")) }
}

// If a client's body does not arrive, the client gets an error within a minute. While the server drains, it gets the
// error soon.
func TestBodyNeverComes(t *testing.T) {
	for _, version := range versions {
		for name, tt := range map[string]struct {
			length    int64
			drain     bool
			encoding  string
			earliest  time.Duration
			atTheLast time.Duration
		}{
			"announced":         {1000, false, "", 50 * time.Second, time.Minute},
			"chunked":           {-1, false, "", 50 * time.Second, time.Minute},
			"packed":            {1000, false, "gzip", 50 * time.Second, time.Minute},
			"in the drain":      {1000, true, "", 0, 10 * time.Second},
			"chunked, in drain": {-1, true, "", 0, 10 * time.Second},
		} {
			t.Run(fmt.Sprintf("HTTP/%d %s", version, name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var log logged
					s := newServer(t, completing(endOfTurn, "hi"), log.option)
					srv := servePipes(s.Handler())
					client := srv.client(version)
					body, release := unending()
					r, err := http.NewRequest("POST", "http://dragoman/v1/messages", body)
					if err != nil {
						t.Fatal(err)
					}
					r.ContentLength = tt.length
					r.Header.Set("Content-Encoding", tt.encoding)
					if tt.drain {
						time.AfterFunc(time.Second, s.Drain)
					}
					began := time.Now()
					res, err := client.Do(r)
					if err != nil {
						t.Fatal(err)
					}
					checkError(t, res, http.StatusRequestTimeout, "timeout_error")
					res.Body.Close()
					release()
					if took := time.Since(began); took < tt.earliest || took > tt.atTheLast {
						t.Errorf("answered after %v", took)
					}
					if got := log.exchange(t); got["terminal"] != "error" || got["status"] != 408.0 {
						t.Errorf("logged %v", got)
					}
					if version == 1 { // the server closes the connection, not the client
						ctx, cancel := context.WithTimeout(t.Context(), time.Second)
						defer cancel()
						if err := srv.http.Shutdown(ctx); err != nil {
							t.Errorf("the connection is open: %v", err)
						}
					}
					client.CloseIdleConnections()
					srv.close(t)
				})
			})
		}
	}
}

// An answer that needs no body does not wait for the body, and closes its connection.
func TestBodyThatNobodyReads(t *testing.T) {
	keys := func(o *Options) { o.Keys = []Key{NewKey("secret")} }
	for _, tt := range []struct {
		method, path string
		admin        bool
		status       int
	}{
		{"POST", "/v1/messages", false, 401},
		{"POST", "/model/m/converse", false, 403},
		{"GET", "/", false, 200},
		{"HEAD", "/", false, 200},
		{"PUT", "/v1/messages", false, 401},
		{"GET", "/healthz", true, 200},
		{"GET", "/readyz", true, 200},
		{"GET", "/metrics", true, 200},
		{"GET", "/nothing", true, 404},
		{"POST", "/healthz", true, 405},
	} {
		for _, header := range []string{"Content-Length: 1000", "Content-Length: 1000000", "Transfer-Encoding: chunked", "Content-Length: 10\r\nExpect: 100-continue"} {
			t.Run(tt.method+tt.path+" "+header, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newServer(t, completing(endOfTurn, "hi"), keys)
					h := s.Handler()
					if tt.admin {
						h = s.Admin()
					}
					srv := servePipes(h)
					conn := srv.dial()
					defer conn.Close()
					began := time.Now()
					fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", tt.method, tt.path, header)
					in := bufio.NewReader(conn)
					res, err := http.ReadResponse(in, &http.Request{Method: tt.method})
					if err != nil {
						t.Fatal(err)
					}
					defer res.Body.Close()
					if _, err := io.Copy(io.Discard, res.Body); err != nil {
						t.Error(err)
					}
					if res.StatusCode != tt.status || !res.Close || time.Since(began) > 0 {
						t.Errorf("status %d, close %t, after %v", res.StatusCode, res.Close, time.Since(began))
					}
					if _, err := in.ReadByte(); err != io.EOF {
						t.Errorf("the connection ended with %v", err)
					}
					if took := time.Since(began); took > time.Second {
						t.Errorf("the connection was open for %v", took)
					}
					srv.close(t)
				})
			})
		}
	}
}

// A connection serves the next request after a request that arrived completely.
func TestConnectionIsKept(t *testing.T) {
	srv := listen(t, newServer(t, completing(endOfTurn, "hi")))
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for _, body := range []string{question, streamed(question), question, "{}"} {
		r := newRequest("POST", "http://dragoman/v1/messages", body)
		if err := r.Write(conn); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(in, r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.Close {
			t.Errorf("close %t, %v", res.Close, err)
		}
		res.Body.Close()
	}
}

// streamsOf has a streaming request for every dialect that can stream.
var streamsOf = map[string]struct{ path, body string }{
	"messages": {"/v1/messages", streamed(question)},
	"invoke":   {"/model/claude-2.1/invoke-with-response-stream", `{"anthropic_version":"bedrock-2023-05-31","max_tokens":100,"messages":[{"role":"user","content":"Hello"}]}`},
	"converse": {"/model/claude-2.1/converse-stream", `{"messages":[{"role":"user","content":[{"text":"Hello"}]}]}`},
	"chat":     {chatPath, streamed(chatQuestion)},
	"vertex":   {"/v1/projects/p/locations/l/publishers/anthropic/models/claude-2.1:streamRawPredict", `{"anthropic_version":"vertex-2023-10-16","stream":true,"max_tokens":100,"messages":[{"role":"user","content":"Hello"}]}`},
}

// A model may be silent for longer than a client may take to accept a write.
func TestSilenceIsNoStall(t *testing.T) {
	const stall = 20 * time.Second
	for _, ping := range []time.Duration{10 * time.Second, time.Hour} {
		for _, version := range versions {
			for dialect, ask := range streamsOf {
				t.Run(fmt.Sprintf("HTTP/%d %s, ping %v", version, dialect, ping), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						var log logged
						up := slow(pause{3 * stall, translate.Chunk{Text: "It is "}}, pause{3 * stall, translate.Chunk{Text: "cold."}}, pause{3 * stall, endOfTurn})
						srv := servePipes(newServer(t, up, log.option, func(o *Options) { o.Timeouts.WriteStall, o.Ping = stall, ping }).Handler())
						client := srv.client(version)
						res, err := client.Post("http://dragoman"+ask.path, "application/json", strings.NewReader(ask.body))
						if err != nil {
							t.Fatal(err)
						}
						defer res.Body.Close()
						if _, err := io.Copy(io.Discard, res.Body); err != nil {
							t.Errorf("the stream broke off: %v", err)
						}
						client.CloseIdleConnections()
						srv.close(t)
						if got := log.exchange(t); got["terminal"] != "complete" || got["status"] != 200.0 {
							t.Errorf("logged %v", got)
						}
					})
				})
			}
		}
	}
}

// Dragoman gives up one HTTP/2 stream that its client does not read, and leaves the others alone.
func TestStalledStream(t *testing.T) {
	for _, body := range []string{question, streamed(question)} {
		synctest.Test(t, func(t *testing.T) {
			var log logged
			s := newServer(t, completing(endOfTurn, strings.Repeat("x", 20<<20)), log.option)
			srv := servePipes(s.Handler())
			client := srv.client(2)
			began := time.Now()
			res, err := client.Post("http://dragoman/v1/messages", "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * minute)
			synctest.Wait()
			if got := log.exchange(t); got["terminal"] != "client_gone" || got["duration_ms"] != float64(minute.Milliseconds()) {
				t.Errorf("after %v: logged %v", time.Since(began), got)
			}
			if n, err := io.Copy(io.Discard, res.Body); err == nil {
				t.Errorf("%d bytes that look whole", n)
			}
			res.Body.Close()
			client.CloseIdleConnections()
			srv.close(t)
		})
	}
}

// On HTTP/2, a request that is answered without its body ends alone and at once.
func TestStreamThatNobodyReads(t *testing.T) {
	for _, tt := range []struct {
		method, path string
		admin        bool
		status       int
	}{{"POST", "/v1/messages", false, 401}, {"GET", "/", false, 200}, {"POST", "/nothing", false, 401}, {"GET", "/metrics", true, 200}, {"GET", "/nothing", true, 404}} {
		t.Run(tt.method+tt.path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t, completing(endOfTurn, "hi"), func(o *Options) { o.Keys = []Key{NewKey("secret")} })
				h := s.Handler()
				if tt.admin {
					h = s.Admin()
				}
				srv := servePipes(h)
				client := srv.client(2)
				began := time.Now()
				var release []func()
				for range 3 { // over one connection
					body, free := unending()
					release = append(release, free)
					r, err := http.NewRequest(tt.method, "http://dragoman"+tt.path, body)
					if err != nil {
						t.Fatal(err)
					}
					res, err := client.Do(r)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != tt.status || res.ProtoMajor != 2 {
						t.Errorf("status %d, %v", res.StatusCode, err)
					}
					res.Body.Close()
				}
				if took := time.Since(began); took > 0 {
					t.Errorf("answered after %v", took)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				if err := srv.http.Shutdown(ctx); err != nil {
					t.Errorf("a drain is held up: %v", err)
				}
				for _, free := range release {
					free()
				}
				client.CloseIdleConnections()
				srv.close(t)
			})
		})
	}
}

// Dragoman gives up an HTTP/2 client that accepts no data at all, whatever it has asked for.
func TestNoWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := servePipes(newServer(t, completing(endOfTurn, "hi")).Handler())
		conn := srv.dial()
		defer conn.Close()
		go func() {
			_, _ = io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+
				"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00"+ // SETTINGS: no window
				"\x00\x00\x03\x01\x05\x00\x00\x00\x01\x82\x84\x86") // HEADERS: GET /
		}()
		began := time.Now()
		for head := make([]byte, 9); ; {
			if _, err := io.ReadFull(conn, head); err != nil {
				t.Fatal(err)
			}
			if _, err := io.CopyN(io.Discard, conn, int64(head[0])<<16|int64(head[1])<<8|int64(head[2])); err != nil {
				t.Fatal(err)
			}
			if head[3] == 3 { // RST_STREAM
				break
			}
		}
		if took := time.Since(began); took > minute {
			t.Errorf("given up after %v", took)
		}
		conn.Close()
		srv.close(t)
	})
}
