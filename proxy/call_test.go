package proxy

import (
	"context"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// writesOf records the writes to a client.
type writesOf struct {
	*httptest.ResponseRecorder
	texts []string
}

func (w *writesOf) Write(p []byte) (int, error) {
	w.texts = append(w.texts, string(p))
	return w.ResponseRecorder.Write(p)
}

// Pieces that are there together are written together, before Dragoman waits for more.
func TestPiecesAtHandAreWrittenTogether(t *testing.T) {
	w := &writesOf{ResponseRecorder: httptest.NewRecorder()}
	var before []int // how much was written before each piece
	up := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		for _, c := range []translate.Chunk{{More: true}, {Text: "one ", More: true}, {Text: "two"}, {Text: " three ", More: true}, {Text: "four"}, endOfTurn} {
			before = append(before, len(w.texts))
			if !yield(c, nil) {
				return
			}
		}
	})
	answerTo(newServer(t, up), w, newRequest("POST", "/v1/messages", streamed(question)))
	if len(w.texts) != 3 || !strings.Contains(w.texts[0], "message_start") || !strings.Contains(w.texts[0], "two") ||
		!strings.Contains(w.texts[1], "three") || !strings.Contains(w.texts[1], "four") || !strings.Contains(w.texts[2], "message_stop") {
		t.Errorf("written %q", w.texts)
	}
	for i, want := range []int{0, 0, 0, 1, 1, 2} {
		if before[i] != want {
			t.Errorf("before piece %d there were %d writes, want %d", i, before[i], want)
		}
	}
}

// Text before an unreadable call reaches the client before Dragoman waits for the rest, and before it asks the model
// again.
func TestPiecesBeforeHeldCall(t *testing.T) {
	for _, more := range []bool{false, true} {
		w := &writesOf{ResponseRecorder: httptest.NewRecorder()}
		asked := 0
		up := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
			if asked == 1 && (len(w.texts) != 1 || !strings.Contains(w.texts[0], "Let me look.")) {
				t.Errorf("more %v: written before the model is asked again: %q", more, w.texts)
			}
			asked++
			_ = yield(translate.Chunk{Text: weatherCall(`{"city": Oslo}`), More: more}, nil)
			if asked == 1 && len(w.texts) == 0 != more {
				t.Errorf("more %v: written %q", more, w.texts)
			}
			yield(endOfCall, nil)
		})
		answerTo(newServer(t, up, func(o *Options) { o.Routes[0].Repair = 1 }), w, newRequest("POST", "/v1/messages", streamed(question)))
		if asked != 2 {
			t.Errorf("asked %d times", asked)
		}
	}
}

// A failure that arrives together with the first pieces comes after them, just like a later failure.
func TestFailureAtHand(t *testing.T) {
	for name, up := range map[string]upstreamFunc{
		"an error": func(_ context.Context, yield func(translate.Chunk, error) bool) {
			_ = yield(translate.Chunk{Text: "one ", More: true}, nil) && yield(translate.Chunk{}, &upstream.Error{Status: 529, Type: messages.ErrorOverloaded, Message: "busy"})
		},
		"the end": func(_ context.Context, yield func(translate.Chunk, error) bool) {
			yield(translate.Chunk{Text: "one ", More: true}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := post(newServer(t, up), streamed(question))
			frames := readFrames(t, w.Body)
			if got := names(frames); w.Code != 200 || got != "message_start ping content_block_start content_block_delta error" {
				t.Errorf("%d %s", w.Code, got)
			}
		})
	}
}

// A client that leaves ends an answer even if the next piece is always there.
func TestMoreWithoutEnd(t *testing.T) {
	w := &brokenPipe{httptest.NewRecorder(), 100_000}
	up := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		for yield(translate.Chunk{Text: "and on ", More: true}, nil) {
		}
	})
	if !answerTo(newServer(t, up), w, newRequest("POST", "/v1/messages", streamed(question))) {
		t.Error("the connection was not cut")
	}
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		epoch := time.Now()
		elapsed := func() time.Duration { return time.Since(epoch) }
		var expired []time.Duration
		w := newWatch(epoch, 10*time.Second, func() { expired = append(expired, elapsed()) })
		at := func(d time.Duration) {
			time.Sleep(d - elapsed())
			synctest.Wait()
		}
		at(15 * time.Second) // the watch is idle
		w.begin(elapsed())
		at(24 * time.Second)
		w.begin(elapsed()) // in time
		at(33 * time.Second)
		w.end()
		at(60 * time.Second)
		w.begin(elapsed())
		at(85 * time.Second)
		w.stop()
		at(200 * time.Second)
		if len(expired) != 2 || expired[0] != 70*time.Second || expired[1] != 80*time.Second {
			t.Errorf("expired after %v", expired)
		}
	})
}

// timedClient accepts the first write at once, and each later one after a while, unless the write is given up first.
type timedClient struct {
	*httptest.ResponseRecorder
	takes  time.Duration
	writes int
	cut    chan struct{}
}

func (w *timedClient) Write(p []byte) (int, error) {
	if w.writes++; w.writes > 1 {
		select {
		case <-time.After(w.takes):
		case <-w.cut:
			return 0, os.ErrDeadlineExceeded
		}
	}
	return w.ResponseRecorder.Write(p)
}

func (w *timedClient) SetWriteDeadline(t time.Time) error {
	if !t.IsZero() && t.Before(time.Now()) {
		close(w.cut)
	}
	return nil
}

// A write after a ping has its full time, counted from its own start.
func TestWriteBehindPing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &timedClient{httptest.NewRecorder(), 40 * time.Second, 0, make(chan struct{})}
		s := newServer(t, completing(endOfTurn), func(o *Options) { o.Ping = time.Hour })
		a := s.newExchange(&messagesAPI, w, newRequest("POST", "/v1/messages", streamed(question))).reply
		a.leave = func(error) {}
		defer a.stopWatch()
		defer a.stopPings()
		a.pending = []byte("one")
		_ = a.flush()
		a.ping()
		a.pending = []byte("two")
		if err := a.flush(); err != nil || a.record.elapsed() != 80*time.Second || a.writing != 40*time.Second {
			t.Errorf("after %v, %v of them writing: %v", a.record.elapsed(), a.writing, err)
		}
	})
}

// The time until a write is given up does not count against the upstream, whose answer is read to its end.
func TestIdleBehindStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		up := slow(pause{0, translate.Chunk{}}, pause{5 * time.Second, translate.Chunk{Text: "It is "}}, pause{10 * time.Second, translate.Chunk{Text: "cold."}}, pause{0, endOfTurn})
		s := newServer(t, up, log.option, finishing, func(o *Options) {
			o.Timeouts.WriteStall, o.Timeouts.Idle, o.Ping = 30*time.Second, 20*time.Second, time.Hour
		})
		answerTo(s, &timedClient{httptest.NewRecorder(), time.Hour, 0, make(chan struct{})}, newRequest("POST", "/v1/messages", streamed(question)))
		if got := log.exchange(t); got["terminal"] != "client_gone" || got["duration_ms"] != 45_000.0 || got["output_tokens"] != 7.0 {
			t.Errorf("logged %v", got)
		}
	})
}
