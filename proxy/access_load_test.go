package proxy

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate"
	"dragoman/translate/testcost"
)

// held is an upstream that answers only when the test says so.
type held struct{ asked, answers chan struct{} }

func newHeld() *held { return &held{make(chan struct{}, 10), make(chan struct{})} }

func (h *held) upstream() upstreamFunc {
	return upstreamFunc(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
		h.asked <- struct{}{}
		select {
		case <-h.answers:
			completing(endOfTurn, "hi")(ctx, yield)
		case <-ctx.Done():
			yield(translate.Chunk{}, ctx.Err())
		}
	})
}

// occupy sends a request that the server begins to answer. The channel gets the status when the upstream has answered,
// or 0 if the test ends before.
func (h *held) occupy(t *testing.T, client *http.Client, url, body string) (status chan int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", url+"/v1/messages", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	status = make(chan int, 1)
	go func() {
		res, err := client.Do(r)
		if err != nil {
			status <- 0
			return
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		status <- res.StatusCode
	}()
	select {
	case <-h.asked:
	case got := <-status:
		t.Fatalf("the request was not admitted: %d", got)
	}
	return status
}

// checkRefused checks a gate's answer, in the form of the path's API.
func checkRefused(t *testing.T, res *http.Response) {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	status, typ := 529, `"type":"overloaded_error"`
	if strings.HasPrefix(res.Request.URL.Path, "/model/") {
		status, typ = 503, "ServiceUnavailableException"
	}
	if name := res.Header.Get("X-Amzn-Errortype"); res.StatusCode != status || !strings.Contains(string(body)+name, typ) {
		t.Errorf("%s: status %d, %s", res.Request.URL.Path, res.StatusCode, body)
	}
	if after, err := strconv.Atoi(res.Header.Get("Retry-After")); err != nil || after < 1 || after > 4 {
		t.Errorf("%s: retry-after %q", res.Request.URL.Path, res.Header.Get("Retry-After"))
	}
}

// A request above limits.max_concurrent is rejected before its body arrives, in every API. Requests that call no model
// need no place, and a finished exchange frees its place.
func TestMaxConcurrent(t *testing.T) {
	paths := []string{"/v1/messages", "/v1/messages/count_tokens", "/model/m/invoke", "/model/m/invoke-with-response-stream",
		"/model/m/converse", "/model/m/converse-stream", "/model/m/count-tokens", vertexModels + "claude-2.1:rawPredict"}
	for _, version := range versions {
		synctest.Test(t, func(t *testing.T) {
			up := newHeld()
			s := newServer(t, up.upstream(), func(o *Options) { o.MaxConcurrent = 2 })
			srv := servePipes(s.Handler())
			client := srv.client(version)
			const url = "http://dragoman"
			first, second := up.occupy(t, client, url, question), up.occupy(t, client, url, streamed(question))
			for _, path := range paths {
				for _, dry := range []string{"", "1"} {
					body, release := unending()
					r, err := http.NewRequest("POST", url+path, body)
					if err != nil {
						t.Fatal(err)
					}
					r.Header.Set("X-Dragoman-Dry-Run", dry)
					began := time.Now()
					res, err := client.Do(r)
					if err != nil {
						t.Fatal(err)
					}
					if took := time.Since(began); took > 0 {
						t.Errorf("HTTP/%d %s: answered after %v", version, path, took)
					}
					checkRefused(t, res)
					res.Body.Close()
					release()
				}
			}
			for _, path := range []string{"/", "/v1/models"} {
				res, err := client.Get(url + path)
				if err != nil {
					t.Fatal(err)
				}
				if res.StatusCode != 200 {
					t.Errorf("%s: status %d", path, res.StatusCode)
				}
				res.Body.Close()
			}
			up.answers <- struct{}{}
			up.answers <- struct{}{}
			if a, b := <-first, <-second; a != 200 || b != 200 {
				t.Errorf("those that were admitted: %d, %d", a, b)
			}
			synctest.Wait() // until their exchanges have ended
			third := up.occupy(t, client, url, question)
			up.answers <- struct{}{}
			if got := <-third; got != 200 {
				t.Errorf("when there is room again: %d", got)
			}
			if want := fmt.Sprintf(`dragoman_overload_total{gate="concurrent"} %d`, 2*len(paths)); !strings.Contains(scrape(t, s), want) {
				t.Errorf("metrics without %s", want)
			}
			client.CloseIdleConnections()
			if err := srv.http.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			srv.close(t)
		})
	}
}

// longQuestion returns the question with a text of size bytes.
func longQuestion(size int) string {
	return strings.Replace(question, "Oslo", strings.Repeat("o", size), 1)
}

// Bodies count against the limit with their announced length, or with the uncompressed bytes that have arrived.
func TestMaxInflightBytes(t *testing.T) {
	up := newHeld()
	s := newServer(t, up.upstream(), func(o *Options) { o.MaxInflightBytes = 1 << 20 })
	srv := listen(t, s)
	occupied := longQuestion(600 << 10)
	first := up.occupy(t, srv.Client(), srv.URL, occupied)
	ask := func(body io.Reader, length int64, header ...string) *http.Response {
		t.Helper()
		r, err := http.NewRequest("POST", srv.URL+"/v1/messages", body)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = length
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		res, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	never, release := unending()
	checkRefused(t, ask(never, 600<<10))
	release()
	checkRefused(t, ask(strings.NewReader(occupied), -1))
	for _, text := range []string{occupied, filled(messagesLists["content"], "0", 600<<10)} {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = io.WriteString(z, text)
		z.Close()
		checkRefused(t, ask(&packed, int64(packed.Len()), "Content-Encoding", "gzip"))
	}
	awaitInflight(t, s, len(occupied))
	if got := scrape(t, s); !strings.Contains(got, `dragoman_overload_total{gate="bytes"} 4`) {
		t.Errorf("metrics:\n%s", got)
	}
	second := up.occupy(t, srv.Client(), srv.URL, question) // a short body still fits
	up.answers <- struct{}{}
	up.answers <- struct{}{}
	if a, b := <-first, <-second; a != 200 || b != 200 {
		t.Errorf("those that were admitted: %d, %d", a, b)
	}
	awaitInflight(t, s, 0)
	checkError(t, ask(strings.NewReader(longQuestion(1<<20)), -1), 413, "request_too_large")
	awaitInflight(t, s, 0)
	third := up.occupy(t, srv.Client(), srv.URL, occupied)
	up.answers <- struct{}{}
	if got := <-third; got != 200 {
		t.Errorf("when there is room again: %d", got)
	}
}

// An announced length alone takes no room from others.
func TestAnnouncedBytesAreNotTaken(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"), func(o *Options) { o.MaxInflightBytes = 16 << 20 })
	srv := listen(t, s)
	for range 4 {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 12000000\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	awaitInflight(t, s, 4*mostPiece)
	if w := post(s, longQuestion(1<<20)); w.Code != 200 {
		t.Errorf("status %d", w.Code)
	}
}

// awaitInflight waits until the bodies in flight have this length together: an exchange ends shortly after its client
// has the answer.
func awaitInflight(t *testing.T, s *Server, bytes int) {
	t.Helper()
	want := fmt.Sprintf("dragoman_inflight_body_bytes %g\n", float64(bytes))
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(scrape(t, s), want); {
		if time.Now().After(deadline) {
			t.Fatalf("metrics without %s", want)
		}
	}
}

// However exchanges end, their places become free: if one in a thousand leaked its place, the last exchanges of the
// test would find none.
func TestPlacesAreGivenBack(t *testing.T) {
	text := translate.Chunk{Text: "It is "}
	panicking := upstreamFunc(func(context.Context, func(translate.Chunk, error) bool) { panic("mine") })
	for _, tt := range []struct {
		name, body string
		up         any
		leaves     bool // the client leaves while the upstream hangs
	}{
		{"a message", question, completing(endOfTurn, "hi"), false},
		{"a stream", streamed(question), completing(endOfTurn, "hi"), false},
		{"a wrong request", "{", completing(endOfTurn, "hi"), false},
		{"no such model", strings.Replace(question, "claude-2.1", "gpt", 1), completing(endOfTurn, "hi"), false},
		{"an error", question, failing(busy), false},
		{"an error in a stream", streamed(question), failing(busy, text), false},
		{"a panic", question, panicking, false},
		{"a client that leaves", question, nil, true},
		{"a client that leaves a stream", streamed(question), nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hangs := newHanging(text)
			up := tt.up
			if tt.leaves {
				up = hangs.upstream()
			}
			s := newServer(t, up, func(o *Options) { o.MaxConcurrent, o.MaxInflightBytes = 1, int64(len(streamed(question))) })
			for range testcost.Cases(100, 1000) {
				ctx, leave := context.WithCancel(t.Context())
				if tt.leaves {
					go func() { <-hangs.hangs; leave() }()
				}
				w := httptest.NewRecorder()
				answerTo(s, w, newRequest("POST", "/v1/messages", tt.body).WithContext(ctx))
				if tt.leaves {
					<-hangs.ended
				}
				leave()
				if strings.Contains(w.Body.String(), "the server is overloaded") {
					t.Fatal("there is no place")
				}
			}
			awaitInflight(t, s, 0)
		})
	}
}

// If a request is rejected before its body is read, its connection is closed, and the client can still read the error.
// A request without a body keeps its connection.
func TestRefusedBeforeBody(t *testing.T) {
	up := newHeld()
	busy := listen(t, newServer(t, up.upstream(), func(o *Options) { o.MaxConcurrent = 1 }))
	first := up.occupy(t, busy.Client(), busy.URL, question)
	once := newServer(t, completing(endOfTurn, "hi"), withKeys(limitedKey(func(k *Key) { k.RequestsPerMinute = 1 })))
	if w := post(once, question, "X-Api-Key", "key-one"); w.Code != 200 {
		t.Fatalf("status %d", w.Code)
	}
	for name, tt := range map[string]struct {
		srv    *httptest.Server
		status int
	}{"gate": {busy, 529}, "key": {listen(t, once), 429}} {
		for header, closes := range map[string]bool{
			"Content-Length: 12000000":                  true, // more than the kernel buffers
			"Content-Length: 9":                         true,
			"Content-Length: 1\r\nExpect: 100-continue": true,
			"Content-Length: 0":                         false,
		} {
			conn, err := net.Dial("tcp", tt.srv.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				_, _ = fmt.Fprintf(conn, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-Api-Key: key-one\r\n%s\r\n\r\n", header)
				if size, _, expects := strings.Cut(strings.TrimPrefix(header, "Content-Length: "), "\r\n"); !expects {
					n, _ := strconv.Atoi(size)
					_, _ = conn.Write(make([]byte, n)) // fails after the server has closed the connection
				}
			}()
			res, err := http.ReadResponse(bufio.NewReader(conn), newRequest("POST", "/v1/messages", ""))
			if err != nil {
				t.Fatalf("%s, %s: %v", name, header, err)
			}
			if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != tt.status || res.Close != closes || !strings.Contains(string(body), `"error"`) {
				t.Errorf("%s, %s: status %d, the answer is the last: %t, %v: %s", name, header, res.StatusCode, res.Close, err, body)
			}
			conn.Close()
			<-sent
		}
	}
	up.answers <- struct{}{}
	if got := <-first; got != 200 {
		t.Errorf("the one that was admitted: %d", got)
	}
}

// TestLongBodies limits the memory for reading a long body, and for rejecting one that is too long. Under the race
// detector slices.Concat allocates twice.
func TestLongBodies(t *testing.T) {
	size := 32 << 20
	if testcost.UnderRace {
		size = 4 << 20
	}
	s := newServer(t, completing(endOfTurn, "hi"), func(o *Options) { o.BodyBytes = int64(size) })
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 2 * size >> 20 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	z.Close()
	long := strings.Repeat(" ", size)
	for _, tt := range []struct {
		name, body string
		announced  bool
		encoding   string
		status     int
		most       int
	}{
		{"as long as may be", long, true, "", 400, size * 9 / 8},
		{"not announced", long, false, "", 400, size * 2},
		{"too long", long + " ", true, "", 413, 0},
		{"too long, not announced", long + " ", false, "", 413, size},
		{"packed", bomb.String(), true, "gzip", 413, size},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRequest("POST", "/v1/messages", tt.body, "Content-Encoding", tt.encoding)
			if !tt.announced {
				r.ContentLength = -1
			}
			w, most := httptest.NewRecorder(), tt.most+2<<20
			if testcost.UnderRace {
				most *= 2
			}
			took, _ := allocated(func() { answerTo(s, w, r) })
			if w.Code != tt.status || took > uint64(most) {
				t.Errorf("status %d, %d MB were allocated", w.Code, took>>20)
			}
		})
	}
}
