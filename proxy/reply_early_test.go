package proxy

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate"
	"dragoman/upstream"
)

// early sends a request over an in-memory network. It returns when the header and the whole body arrived.
func early(t *testing.T, s *Server, version int, path string) (res *http.Response, header time.Duration, body string) {
	t.Helper()
	srv := servePipes(s.Handler())
	client := srv.client(version)
	began := time.Now()
	res, err := client.Post("http://dragoman"+path, "application/json", strings.NewReader(streamed(question)))
	if err != nil {
		t.Fatal(err)
	}
	header = time.Since(began)
	body = read(t, res.Body)
	res.Body.Close()
	client.CloseIdleConnections()
	srv.close(t)
	return res, header, body
}

const vertexStream = "/v1/projects/p/locations/l/publishers/anthropic/models/claude-2.1:streamRawPredict"

func commitsEarly(o *Options) { o.Timeouts.EarlyCommit = 20 * time.Second }

// A stream that waits for its first event begins after a while with a comment, and more comments follow. After them,
// the stream is the same as without an early begin.
func TestEarlyCommit(t *testing.T) {
	const wait = ": waiting for the model\n\n"
	for _, tt := range []struct {
		path   string
		after  time.Duration // until the upstream begins
		waits  int
		header time.Duration
	}{
		{"/v1/messages", 55 * time.Second, 4, 20 * time.Second},
		{vertexStream, 55 * time.Second, 4, 20 * time.Second},
		{"/v1/messages", 15 * time.Second, 0, 15 * time.Second},
		{"/model/claude-2.1/invoke-with-response-stream", 55 * time.Second, 0, 55 * time.Second},
	} {
		for _, version := range versions {
			t.Run(fmt.Sprintf("HTTP/%d %s after %v", version, tt.path, tt.after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newServer(t, slow(pause{tt.after, translate.Chunk{}}, pause{25 * time.Second, translate.Chunk{Text: "word"}}, pause{0, endOfTurn}), commitsEarly)
					res, header, body := early(t, s, version, tt.path)
					if header != tt.header || res.StatusCode != http.StatusOK || strings.Count(body, wait) != tt.waits {
						t.Errorf("%d after %v, %d comments:\n%s", res.StatusCode, header, strings.Count(body, wait), body)
					}
					if id := res.Header.Get("Request-Id"); !isRequestID(id) {
						t.Errorf("request-id %q", id)
					}
					if strings.Contains(tt.path, "/model/") {
						return
					}
					if !strings.HasPrefix(body, strings.Repeat(wait, tt.waits)+"event: message_start\n") {
						t.Errorf("the body begins with %.200s", body)
					}
					frames := readFrames(t, strings.NewReader(body))
					if m := accumulate(t, frames); m.StopReason != "end_turn" || strings.Count(names(frames), "ping") != 3 {
						t.Errorf("%+v: %s", m, names(frames))
					}
				})
			})
		}
	}
}

// After an early begin, models are still tried as usual, and a failure becomes the last event.
func TestEarlyCommitThenFailure(t *testing.T) {
	for _, tt := range []struct {
		name     string
		tries    int // the number of the successful try; 0 if all fail
		events   string
		terminal string
	}{
		{"second try", 2, "message_start ping content_block_start content_block_delta content_block_stop message_delta message_stop", "complete"},
		{"fallback", 3, "message_start ping content_block_start content_block_delta content_block_stop message_delta message_stop", "complete"},
		{"none", 0, "error", "error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log logged
				asked := 0
				up := upstreamFunc(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
					time.Sleep(25 * time.Second)
					if asked++; asked == tt.tries {
						completing(endOfTurn, "It is cold.")(ctx, yield)
						return
					}
					yield(translate.Chunk{}, &upstream.Error{Status: 529, Type: "overloaded_error", Message: "busy"})
				})
				s := newServer(t, up, log.option, commitsEarly, func(o *Options) {
					o.Attempts = 2
					o.Routes[0].Fallbacks = []UpstreamModel{{Upstream: "east", Model: "other"}}
				})
				res, header, body := early(t, s, 1, "/v1/messages")
				if got := names(readFrames(t, strings.NewReader(body))); got != tt.events || res.StatusCode != 200 || header != 20*time.Second {
					t.Errorf("%d after %v: %s", res.StatusCode, header, body)
				}
				if got := log.exchange(t); got["terminal"] != tt.terminal || got["status"] != 200.0 {
					t.Errorf("logged %v", got)
				}
				if metrics := scrape(t, s); !strings.Contains(metrics, "dragoman_open_streams 0\n") {
					t.Error("a stream is open")
				}
			})
		})
	}
}

// A failure before the early begin has its own status and header.
func TestNoEarlyCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, failing(&upstream.Error{Status: 429, Type: "rate_limit_error", Message: "slow down", RetryAfter: 7 * time.Second}), commitsEarly)
		w := post(s, streamed(question))
		checkError(t, w.Result(), 429, "rate_limit_error")
		if got := w.Result().Header; got.Get("Retry-After") != "7" || got.Get("X-Dragoman-Upstream") != "east" || got.Get("X-Dragoman-Attempts") != "1" {
			t.Errorf("header %v", got)
		}
	})
}

// The proxy notices a client that leaves while its early stream waits.
func TestEarlyCommitFindsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := newHanging()
		srv := servePipes(newServer(t, up.upstream(), commitsEarly).Handler())
		client := srv.client(1)
		res, err := client.Post("http://dragoman/v1/messages", "application/json", strings.NewReader(streamed(question)))
		if err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || !strings.HasPrefix(line, ":") {
			t.Errorf("%q, %v", line, err)
		}
		res.Body.Close()
		if err := <-up.ended; err == nil {
			t.Error("the upstream's context goes on")
		}
		client.CloseIdleConnections()
		srv.close(t)
	})
}
