package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate"
)

// pause is a chunk that comes after a while.
type pause struct {
	after time.Duration
	chunk translate.Chunk
}

// slow is an upstream that answers slowly, but within its limits.
func slow(pauses ...pause) upstreamFunc {
	return func(ctx context.Context, yield func(translate.Chunk, error) bool) {
		for _, p := range pauses {
			select {
			case <-time.After(p.after):
			case <-ctx.Done():
				yield(translate.Chunk{}, ctx.Err())
				return
			}
			if !yield(p.chunk, nil) {
				return
			}
		}
	}
}

const minute = time.Minute

func TestPing(t *testing.T) {
	accepted, held, text := translate.Chunk{}, translate.Chunk{Text: "<function_cal"}, translate.Chunk{Text: "word"}
	// The parser itself sends a first ping, after message_start.
	const start = "message_start ping "
	tests := []struct {
		name   string
		pauses []pause
		events string
	}{
		{"silence before the text", []pause{{0, accepted}, {35 * time.Second, text}, {0, endOfTurn}},
			start + "ping ping ping content_block_start content_block_delta content_block_stop message_delta message_stop"},
		{"silence in the text", []pause{{0, accepted}, {0, text}, {55 * time.Second, endOfTurn}},
			start + "content_block_start content_block_delta " + strings.Repeat("ping ", 5) + "content_block_stop message_delta message_stop"},
		{"none while data flows", []pause{{0, accepted}, {9 * time.Second, text}, {9 * time.Second, text}, {9 * time.Second, text}, {9 * time.Second, endOfTurn}},
			start + "content_block_start content_block_delta content_block_delta content_block_delta content_block_stop message_delta message_stop"},
		{"the client hears nothing of chunks", []pause{{0, accepted}, {6 * time.Second, held}, {6 * time.Second, accepted}, {0, endOfTurn}},
			start + "ping content_block_start content_block_delta content_block_stop message_delta message_stop"},
		{"none before message_start", []pause{{minute, accepted}, {0, text}, {0, endOfTurn}},
			start + "content_block_start content_block_delta content_block_stop message_delta message_stop"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := post(newServer(t, slow(tt.pauses...)), streamed(question))
				if got := names(readFrames(t, w.Body)); got != tt.events {
					t.Errorf("events %s\nwant   %s", got, tt.events)
				}
			})
		})
	}
}

func TestTimeouts(t *testing.T) {
	accepted, text := translate.Chunk{}, translate.Chunk{Text: "word "}
	tests := []struct {
		name     string
		limits   Timeouts
		pauses   []pause
		timer    string
		after    time.Duration
		begun    bool // the stream has
		terminal string
	}{
		{"first byte", Timeouts{}, []pause{{time.Hour, accepted}}, "first_byte is 10m0s", 10 * minute, false, "error"},
		{"idle", Timeouts{}, []pause{{0, accepted}, {4 * minute, text}, {6 * minute, text}}, "idle is 5m0s", 9 * minute, true, "idle_timeout"},
		{"idle from the first chunk on", Timeouts{}, []pause{{9 * minute, accepted}, {6 * minute, text}}, "idle is 5m0s", 14 * minute, true, "idle_timeout"},
		{"total", Timeouts{Total: 10 * minute}, []pause{{4 * minute, accepted}, {4 * minute, text}, {4 * minute, text}}, "total is 10m0s", 10 * minute, true, "error"},
		{"set", Timeouts{FirstByte: time.Second}, []pause{{minute, accepted}}, "first_byte is 1s", time.Second, false, "error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log logged
				s := newServer(t, slow(tt.pauses...), log.option, func(o *Options) { o.Timeouts = tt.limits })
				began := time.Now()
				if got := checkError(t, post(s, question).Result(), 504, "timeout_error"); !strings.Contains(got, tt.timer) {
					t.Errorf("message %q, want one with %q", got, tt.timer)
				}
				if got := time.Since(began); got != tt.after {
					t.Errorf("answered after %v, want %v", got, tt.after)
				}
				w := post(s, streamed(question))
				if got := log.exchange(t)["terminal"]; got != tt.terminal {
					t.Errorf("terminal %v, want %v", got, tt.terminal)
				}
				if !tt.begun {
					checkError(t, w.Result(), 504, "timeout_error")
					return
				}
				frames := readFrames(t, w.Body)
				last := frames[len(frames)-1]
				var e apiError
				if err := json.Unmarshal([]byte(last.data), &e); err != nil {
					t.Fatal(err)
				}
				if last.event != "error" || e.Error.Type != "timeout_error" || !strings.Contains(e.Error.Message, tt.timer) {
					t.Errorf("the last event is %v", last)
				}
			})
		})
	}
}

// The idle timeout of an upstream does not run while Dragoman waits for the client.
func TestSlowClientIsNoIdleUpstream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, slow(pause{0, translate.Chunk{}}, pause{0, translate.Chunk{Text: "word"}}, pause{0, endOfTurn}),
			func(o *Options) { o.Timeouts.Idle = 20 * time.Second })
		w := &slowClient{httptest.NewRecorder()}
		answerTo(s, w, newRequest("POST", "/v1/messages", streamed(question)))
		frames := readFrames(t, w.Body)
		accumulate(t, frames)
		if got := names(frames); strings.Count(got, "ping") != 1 {
			t.Errorf("pings while data flowed: %s", got)
		}
	})
}

// slowClient takes a while for each write, but stays below the limit.
type slowClient struct{ *httptest.ResponseRecorder }

func (c *slowClient) Write(p []byte) (int, error) {
	<-time.After(30 * time.Second)
	return c.ResponseRecorder.Write(p)
}

// pipes is a listener for connections without a network, so that tests can use a fake clock.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// If a client stops reading, Dragoman gives it up and cancels the upstream's call.
func TestWriteStall(t *testing.T) {
	t.Run("stream", func(t *testing.T) {
		ended := make(chan struct{}, 1)
		stall(t, streamed(question), func(ctx context.Context, yield func(translate.Chunk, error) bool) {
			for yield(translate.Chunk{Text: strings.Repeat("x", 10_000)}, nil) {
			}
			<-ctx.Done()
			ended <- struct{}{}
		})
		<-ended
	})
	t.Run("message", func(t *testing.T) {
		stall(t, question, completing(endOfTurn, strings.Repeat("x", 100_000)))
	})
}

// stall runs a client that reads the beginning of an answer and then stops.
func stall(t *testing.T, body string, up upstreamFunc) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		s := newServer(t, up, log.option)
		ln := &pipes{make(chan net.Conn), make(chan struct{})}
		srv := &http.Server{Handler: s.Handler()}
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = srv.Serve(ln)
		}()
		client, conn := net.Pipe()
		ln.conns <- conn

		began := time.Now()
		r := newRequest("POST", "http://dragoman/v1/messages", body)
		r.RequestURI = ""
		if err := r.Write(client); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(client, make([]byte, 5000)); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * minute)
		synctest.Wait()
		got := log.exchange(t)
		if ms := float64(minute.Milliseconds()); got["terminal"] != "client_gone" || got["duration_ms"] != ms {
			t.Errorf("after %v: logged %v", time.Since(began), got)
		}
		client.Close()
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		<-served
	})
}

// While only pings are sent, a failing ping shows that the client is gone.
func TestPingFindsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := newHanging(translate.Chunk{})
		began := time.Now()
		w := &brokenPipe{httptest.NewRecorder(), 700} // message_start fits
		if !answerTo(newServer(t, up.upstream()), w, newRequest("POST", "/v1/messages", streamed(question))) {
			t.Error("the connection was not cut")
		}
		if err := <-up.ended; !errors.Is(err, errClientGone) {
			t.Errorf("the upstream's context ended with %v", err)
		}
		if got := time.Since(began); got < 10*time.Second || got > 5*minute {
			t.Errorf("found out after %v", got)
		}
	})
}
