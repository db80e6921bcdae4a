package proxy

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// hanging is an upstream that falls silent after its chunks. It reports when it hangs, and when and why its call ends.
type hanging struct {
	chunks []translate.Chunk
	hangs  chan struct{}
	ended  chan error
}

func newHanging(chunks ...translate.Chunk) *hanging {
	return &hanging{chunks: chunks, hangs: make(chan struct{}, 1), ended: make(chan error, 1)}
}

func (h *hanging) upstream() upstreamFunc {
	return upstreamFunc(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
		for _, c := range h.chunks {
			if !yield(c, nil) {
				h.ended <- nil
				return
			}
		}
		h.hangs <- struct{}{}
		<-ctx.Done()
		h.ended <- context.Cause(ctx)
		yield(translate.Chunk{}, ctx.Err())
	})
}

func TestClientLeaves(t *testing.T) {
	accepted, text := translate.Chunk{}, translate.Chunk{Text: "It is "}
	tests := []struct {
		name   string
		body   string
		chunks []translate.Chunk
		status float64
	}{
		{"before the first chunk of a stream", streamed(question), nil, 499},
		{"after the first chunk of a stream", streamed(question), []translate.Chunk{accepted}, 200},
		{"in a stream", streamed(question), []translate.Chunk{accepted, text}, 200},
		{"before the first chunk of a message", question, nil, 499},
		{"in a message", question, []translate.Chunk{accepted, text}, 499},
		{"after a large body", strings.Replace(streamed(question), "Oslo", strings.Repeat("Oslo", 1<<20), 1), nil, 499},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up := newHanging(tt.chunks...)
			var log logged
			s := newServer(t, up.upstream(), log.option)
			srv := listen(t, s)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			r, err := http.NewRequestWithContext(ctx, "POST", srv.URL+"/v1/messages", strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			answered := make(chan struct{})
			go func() {
				defer close(answered)
				res, err := srv.Client().Do(r)
				if err != nil {
					return
				}
				defer res.Body.Close()
				for br := bufio.NewReader(res.Body); err == nil; {
					_, err = readFrame(br)
				}
			}()
			<-up.hangs
			leave()
			if err := <-up.ended; err == nil {
				t.Error("the upstream's context goes on")
			}
			<-answered
			srv.Close() // waits for the exchange to end
			fields := log.exchange(t)
			if fields["terminal"] != "client_gone" || fields["status"] != tt.status || fields["error_type"] != nil {
				t.Errorf("logged %v", fields)
			}
			got := scrape(t, s)
			for _, want := range []string{"dragoman_inflight_requests 0\n", "dragoman_open_streams 0\n", `error_type="none",upstream="east"} 1`} {
				if !strings.Contains(got, want) {
					t.Errorf("metrics without %s:\n%s", want, got)
				}
			}
		})
	}
}

// On HTTP/2, one stream can end without ending the others of its connection.
func TestClientLeavesOneStream(t *testing.T) {
	up := newHanging(translate.Chunk{}, translate.Chunk{Text: "It is "})
	release := make(chan struct{})
	sibling := upstreamFunc(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
		if !yield(translate.Chunk{Usage: messages.Usage{InputTokens: 11}}, nil) {
			return
		}
		select {
		case <-release:
			yield(endOfTurn, nil)
		case <-ctx.Done():
			yield(translate.Chunk{}, ctx.Err())
		}
	})
	s := newServer(t, nil, func(o *Options) {
		o.Routes = []Route{{Name: "claude-2.1", UpstreamModel: UpstreamModel{Upstream: "east"}}, {Name: "*", UpstreamModel: UpstreamModel{Upstream: "west"}}}
		o.Upstreams = playAll(map[string]any{"east": up.upstream(), "west": sibling})
	})
	srv := httptest.NewUnstartedServer(s.Handler())
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	ask := func(ctx context.Context, body string) *http.Response {
		r, err := http.NewRequestWithContext(ctx, "POST", srv.URL+"/v1/messages", strings.NewReader(streamed(body)))
		if err != nil {
			t.Fatal(err)
		}
		res, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if res.ProtoMajor != 2 {
			t.Fatalf("the protocol is %s", res.Proto)
		}
		return res
	}
	staying := ask(t.Context(), strings.Replace(question, "claude-2.1", "other", 1))
	defer staying.Body.Close()
	ctx, leave := context.WithCancel(t.Context())
	leaving := ask(ctx, question)
	defer leaving.Body.Close()
	<-up.hangs
	leave()
	<-up.ended
	close(release)
	if m := accumulate(t, readFrames(t, staying.Body)); m.StopReason != "end_turn" {
		t.Errorf("stop_reason %q", m.StopReason)
	}
}

// A server that shuts down ends the contexts of its requests, with a cause.
func TestServerGoesDown(t *testing.T) {
	down := &upstream.Error{Status: 529, Type: "overloaded_error", Message: "going down"}
	for _, tt := range []struct {
		name, body string
		check      func(*testing.T, *httptest.ResponseRecorder)
	}{
		{"stream", streamed(question), func(t *testing.T, w *httptest.ResponseRecorder) {
			if got := names(readFrames(t, w.Body)); got != "message_start ping error" {
				t.Errorf("events %s", got)
			}
		}},
		{"message", question, func(t *testing.T, w *httptest.ResponseRecorder) {
			checkError(t, w.Result(), 529, "overloaded_error")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			up := newHanging(translate.Chunk{})
			var log logged
			s := newServer(t, up.upstream(), log.option)
			ctx, cut := context.WithCancelCause(t.Context())
			go func() {
				<-up.hangs
				cut(down)
			}()
			w := httptest.NewRecorder()
			if answerTo(s, w, newRequest("POST", "/v1/messages", tt.body).WithContext(ctx)) {
				t.Error("the connection was cut")
			}
			if err := <-up.ended; err != error(down) {
				t.Errorf("the upstream's context ended with %v", err)
			}
			tt.check(t, w)
			if got := log.exchange(t); got["terminal"] != "drain" || got["error_type"] != "overloaded_error" {
				t.Errorf("logged %v", got)
			}
		})
	}
}

// brokenPipe is a client whose connection accepts some bytes and then fails.
type brokenPipe struct {
	*httptest.ResponseRecorder
	room int
}

func (b *brokenPipe) Write(p []byte) (int, error) {
	if b.room -= len(p); b.room < 0 {
		return 0, http.ErrHandlerTimeout
	}
	return b.ResponseRecorder.Write(p)
}

func TestConnectionBreaks(t *testing.T) {
	for name, body := range map[string]string{"stream": streamed(question), "message": question} {
		for _, room := range []int{0, 600} {
			var log logged
			up := completing(endOfTurn, strings.Repeat("long ", 100), strings.Repeat("x", 100_000), "end")
			s := newServer(t, up, log.option)
			cut := answerTo(s, &brokenPipe{httptest.NewRecorder(), room}, newRequest("POST", "/v1/messages", body))
			if got := log.exchange(t); !cut || got["terminal"] != "client_gone" {
				t.Errorf("%s, room for %d: cut %v, logged %v", name, room, cut, got)
			}
		}
	}
}
