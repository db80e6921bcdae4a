package proxy

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

func finishing(o *Options) { o.FinishAbandoned = true }

// leaveAfter sends a request whose client leaves after a while. It returns when the exchange has ended.
func leaveAfter(t *testing.T, s *Server, version int, path, body string, after time.Duration, meanwhile func()) {
	t.Helper()
	srv := servePipes(s.Handler())
	client := srv.client(version)
	ctx, leave := context.WithTimeout(t.Context(), after)
	defer leave()
	r, err := http.NewRequestWithContext(ctx, "POST", "http://dragoman"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := client.Do(r); err == nil {
		_, _ = io.Copy(io.Discard, res.Body) // until it leaves
		res.Body.Close()
	}
	time.Sleep(time.Second)
	synctest.Wait()
	meanwhile()
	time.Sleep(2 * time.Hour)
	synctest.Wait()
	client.CloseIdleConnections()
	srv.close(t)
}

// With on_disconnect: drain, Dragoman reads the upstream's answer to its end and counts its tokens.
func TestAbandonedAnswerIsFinished(t *testing.T) {
	used := translate.Chunk{Usage: messages.Usage{InputTokens: 11}}
	for _, d := range cutDialects {
		for _, path := range []string{d.whole, d.stream} {
			body := d.question
			if d.whole == d.stream {
				body = streamed(body)
			}
			for _, version := range versions {
				for _, after := range []time.Duration{time.Second, 20 * time.Second} {
					t.Run(fmt.Sprintf("HTTP/%d %s after %v", version, path, after), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							var log logged
							up := slow(pause{10 * time.Second, used}, pause{0, translate.Chunk{Text: "It is "}}, pause{time.Minute, translate.Chunk{Text: "cold."}}, pause{0, endOfTurn})
							s := newServer(t, up, log.option, finishing)
							leaveAfter(t, s, version, path, body, after, func() {
								if got := scrape(t, s); !strings.Contains(got, "dragoman_inflight_requests 1\n") {
									t.Error("the exchange is not in flight any more")
								}
							})
							got := log.exchange(t)
							if got["terminal"] != "client_gone" || got["input_tokens"] != 11.0 || got["output_tokens"] != 7.0 || got["duration_ms"] != 70_000.0 {
								t.Errorf("logged %v", got)
							}
							if metrics := scrape(t, s); !strings.Contains(metrics, `dragoman_tokens_total{model="claude-*",type="output"} 7`) {
								t.Error("the tokens are not counted")
							}
						})
					})
				}
			}
		}
	}
}

// After the client has left, no other model is asked, and the limits still hold.
func TestAbandonedAnswerIsNotRepeated(t *testing.T) {
	overloaded := &upstream.Error{Status: 529, Type: "overloaded_error", Message: "busy"}
	unread := "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo</parameters>\n</invoke>\n"
	for name, tt := range map[string]struct {
		up       func(yield func(translate.Chunk, error) bool)
		change   func(*Options)
		duration float64
	}{
		"try": {func(yield func(translate.Chunk, error) bool) {
			time.Sleep(10 * time.Second)
			yield(translate.Chunk{}, overloaded)
		}, func(*Options) {}, 10_000},
		"pause": {func(yield func(translate.Chunk, error) bool) {
			yield(translate.Chunk{}, &upstream.Error{Status: 529, Type: "overloaded_error", Message: "busy", RetryAfter: 8 * time.Second})
		}, func(o *Options) { o.Routes[0].Fallbacks = nil }, 1000},
		"repair": {func(yield func(translate.Chunk, error) bool) {
			_ = yield(translate.Chunk{Text: unread}, nil)
			time.Sleep(10 * time.Second)
			yield(endOfCall, nil)
		}, func(o *Options) { o.Routes[0].Repair = 1 }, 10_000},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log logged
				asked := 0
				up := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
					asked++
					tt.up(yield)
				})
				s := newServer(t, up, log.option, finishing, func(o *Options) {
					o.Attempts = 3
					o.Routes[0].Fallbacks = []UpstreamModel{{Upstream: "east", Model: "other"}}
				}, tt.change)
				leaveAfter(t, s, 1, "/v1/messages", streamed(question), time.Second, func() {})
				if got := log.exchange(t); got["terminal"] != "client_gone" || got["duration_ms"] != tt.duration {
					t.Errorf("logged %v", got)
				}
				if asked != 1 {
					t.Errorf("asked %d times", asked)
				}
			})
		})
	}
	t.Run("idle", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var log logged
			leaveAfter(t, newServer(t, slow(pause{0, translate.Chunk{}}, pause{time.Hour, endOfTurn}), log.option, finishing), 1, "/v1/messages", streamed(question), time.Second, func() {})
			if got := log.exchange(t); got["terminal"] != "client_gone" || got["duration_ms"] != 300_000.0 {
				t.Errorf("logged %v", got)
			}
		})
	})
}

// An answer whose client has left uses no memory: it may be longer than an answer that is kept.
func TestAbandonedAnswerIsNotKept(t *testing.T) {
	piece := strings.Repeat("word ", 200_000)
	for name, body := range map[string]string{"stream": streamed(question), "message": question} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log logged
				up := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
					for n := 0; n <= maxRetained+len(piece); n += len(piece) {
						time.Sleep(2 * time.Second)
						if !yield(translate.Chunk{Text: piece}, nil) {
							return
						}
					}
					yield(endOfTurn, nil)
				})
				leaveAfter(t, newServer(t, up, log.option, finishing), 1, "/v1/messages", body, time.Second, func() {})
				if got := log.exchange(t); got["terminal"] != "client_gone" || got["output_tokens"] != 7.0 {
					t.Errorf("logged %v", got)
				}
			})
		})
	}
}

// Answers whose clients have left leave room for others: they use two of eight places.
func TestAbandonedAnswersLeaveRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients, places = 5, 8
		var log logged
		s := newServer(t, slow(pause{time.Minute, endOfTurn}), log.option, finishing, func(o *Options) { o.MaxConcurrent = places })
		for range 2 { // the place is free again
			srv := servePipes(s.Handler())
			ctx, leave := context.WithTimeout(t.Context(), time.Second)
			var all sync.WaitGroup
			for range clients {
				all.Go(func() {
					r, err := http.NewRequestWithContext(ctx, "POST", "http://dragoman/v1/messages", strings.NewReader(question))
					if err != nil {
						t.Error(err)
					} else if _, err := srv.client(1).Do(r); err == nil {
						t.Error("an answer before the model has one")
					}
				})
			}
			all.Wait()
			leave()
			synctest.Wait()
			if n := int64(strings.Count(log.String(), "client_gone")); n != clients-places/4 || s.abandoned.taken.Load() != places/4 {
				t.Errorf("%d exchanges have ended, and %d are read to their end", n, s.abandoned.taken.Load())
			}
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			if n := strings.Count(log.String(), "client_gone"); n != clients || s.abandoned.taken.Load() != 0 {
				t.Errorf("%d exchanges have ended, and %d go on", n, s.abandoned.taken.Load())
			}
			log.bytes.Reset()
			srv.close(t)
		}
	})
}

// A server that shuts down also ends answers whose client has left.
func TestAbandonedAnswerIsCut(t *testing.T) {
	up := newHanging(translate.Chunk{})
	var log logged
	s := newServer(t, up.upstream(), log.option, finishing)
	srv := httptest.NewUnstartedServer(s.Handler())
	srv.Config.BaseContext = func(net.Listener) context.Context { return s.Base() }
	srv.Start()
	defer srv.Close()
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", srv.URL+"/v1/messages", strings.NewReader(streamed(question)))
	if err != nil {
		t.Fatal(err)
	}
	res, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	<-up.hangs
	leave()
	res.Body.Close()
	s.Cut()
	if err := <-up.ended; err != error(errShutDown) {
		t.Errorf("the upstream's context ended with %v", err)
	}
	srv.Close()
	if !strings.Contains(log.String(), `"terminal":"client_gone"`) && !strings.Contains(log.String(), `"terminal":"drain"`) {
		t.Errorf("logged %s", log.String())
	}
}
