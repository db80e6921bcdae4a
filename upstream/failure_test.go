package upstream_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dragoman/translate"
	"dragoman/translate/testcost"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

func TestRefusedBeforeTheAnswer(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		tests := []struct {
			name  string
			fault *upstreamtest.Fault
			want  upstream.Error
		}{
			{"invalid", upstreamtest.Refuse(400, w.invalid, "prompt is too long: 9 tokens > 8 maximum", ""),
				upstream.Error{Status: 400, Type: "invalid_request_error", Message: "prompt is too long: 9 tokens > 8 maximum"}},
			{"throttled", upstreamtest.Refuse(429, w.throttled, "Too many requests", "7"),
				upstream.Error{Status: 429, Type: "rate_limit_error", Message: "Too many requests", RetryAfter: 7 * time.Second}},
			{"credentials", upstreamtest.Refuse(403, w.denied, "User: arn:aws:iam::1:role/x is not authorized", ""),
				upstream.Error{Status: 502, Type: "api_error", Message: "the upstream refused the proxy's own credentials, not the key of this request", Final: true, Credentials: upstream.CredentialsRefused}},
			{"html", upstreamtest.Reply(400, "text/html", "<html>no</html>"),
				upstream.Error{Status: 400, Type: "invalid_request_error"}},
			{"JSON of another form", upstreamtest.Reply(503, "application/json", `{"detail":[]}`),
				upstream.Error{Status: 529, Type: "overloaded_error", Message: "the upstream answered with status 503"}},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				up, _ := w.open(t, upstreamtest.Answer(upstreamtest.Completion{Fault: test.fault}))
				a, err := collect(t, invoke(up, t.Context(), w.model, ask("Hi")))
				var got *upstream.Error
				if !errors.As(err, &got) || a != (reply{}) {
					t.Fatalf("%+v, %v", a, err)
				}
				if strings.Contains(got.Message, "arn:") || strings.Contains(got.Message, "<html>") {
					t.Errorf("message for the client: %q", got.Message)
				}
				if got.RequestID != "req-of-the-fake" {
					t.Errorf("request id %q", got.RequestID)
				}
				if test.want.Message == "" {
					test.want.Message = got.Message
				}
				test.want.RequestID, test.want.Err, test.want.Overflow = got.RequestID, got.Err, got.Overflow
				if *got != test.want {
					t.Errorf("got %+v\nwant %+v", *got, test.want)
				}
			})
		}
	})
}

func TestFailsWithinTheAnswer(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		for events := range 5 {
			up, _ := w.open(t, upstreamtest.Answer(upstreamtest.Completion{
				Text: "Hello", Pieces: 5, Fault: upstreamtest.Fail(events, w.overloaded, "busy"),
			}))
			_, err := collect(t, invoke(up, t.Context(), w.model, ask("Hi")))
			var got *upstream.Error
			if !errors.As(err, &got) || got.Status != 529 || got.Type != "overloaded_error" || got.Message != "busy" || got.RequestID == "" {
				t.Errorf("after %d events: %v", events, err)
			}
		}
	})
}

func TestCorruptEvent(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		for events := range 7 {
			up, _ := w.open(t, upstreamtest.Answer(upstreamtest.Completion{Text: "Hello, world", Pieces: 6, Fault: upstreamtest.Corrupt(events)}))
			_, err := collect(t, invoke(up, t.Context(), w.model, ask("Hi")))
			wantGateway(t, err)
		}
	})
}

// TestCutAnywhere ends the body after each of its bytes, with a broken connection and without an error. A
// brief run takes every seventh byte, and each of the last ones.
func TestCutAnywhere(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		for name, fault := range map[string]func(int) *upstreamtest.Fault{"lost": upstreamtest.Cut, "ended": upstreamtest.End} {
			t.Run(name, func(t *testing.T) {
				n, step := 0, testcost.Cases(7, 1)
				up, _ := w.open(t, func(string, *translate.Prompt) upstreamtest.Completion {
					return upstreamtest.Completion{Text: "Hé", Pieces: 1, Fault: fault(n)}
				})
				read := func() reply {
					a, err := collect(t, invoke(up, t.Context(), w.model, ask("Hi")))
					if err != nil {
						wantGateway(t, err)
					}
					var got *upstream.Error
					if errors.As(err, &got) && got.Unreachable && n > 0 {
						t.Errorf("cut after %d bytes: %+v", n, got)
					}
					return a
				}
				for read().Stop == "" {
					n += step
				}
				n -= step
				var whole reply
				for ; whole.Stop == ""; n++ {
					whole = read()
				}
				if whole.Text != "Hé" || n < 300 {
					t.Errorf("whole after %d bytes: %+v", n, whole)
				}
			})
		}
	})
}

func wantGateway(t *testing.T, err error) {
	t.Helper()
	var got *upstream.Error
	if !errors.As(err, &got) || got.Status != http.StatusBadGateway || got.Type != "api_error" {
		t.Fatalf("error %v", err)
	}
}

func TestAnswerThatIsNoStream(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		for _, fault := range []*upstreamtest.Fault{
			upstreamtest.Reply(200, "text/html; charset=utf-8", "<!doctype html><title>Sign in</title>"),
			upstreamtest.Reply(200, "text/event-stream", ""),
			upstreamtest.Reply(200, "application/json", `{"id":"msg_1","content":[]}`),
			upstreamtest.Reply(200, "", "\x1f\x8b\x08garbage"),
			upstreamtest.Reply(204, "text/plain", ""),
			upstreamtest.Reply(302, "text/plain", ""),
			upstreamtest.Reply(418, "text/plain", "short and stout"),
		} {
			up, _ := w.open(t, upstreamtest.Answer(upstreamtest.Completion{Fault: fault}))
			a, err := collect(t, invoke(up, t.Context(), w.model, ask("Hi")))
			wantGateway(t, err)
			if a != (reply{}) {
				t.Errorf("%+v: %+v", fault, a)
			}
		}
	})
}

func TestCancelledInTheAnswer(t *testing.T) {
	cause := errors.New("the client went")
	eachWire(t, func(t *testing.T, w wire) {
		w.skipIfSDKWaits(t)
		up, f := w.open(t, upstreamtest.Answer(upstreamtest.Completion{Text: "Hello, world", Pieces: 4, Fault: upstreamtest.Stall(4)}))
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var last error
		for c, err := range invoke(up, ctx, w.model, ask("Hi")) {
			if last = err; c.Text != "" || w.whole {
				cancel(cause)
			}
		}
		if last != cause {
			t.Errorf("error %v", last)
		}
		<-f.Gone()
	})
}

func TestCancelledBeforeTheAnswer(t *testing.T) {
	cause := errors.New("the client went")
	eachWire(t, func(t *testing.T, w wire) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		up, f := w.open(t, func(string, *translate.Prompt) upstreamtest.Completion {
			cancel(cause)
			return upstreamtest.Completion{Text: "Hello", Fault: upstreamtest.Stall(0)}
		})
		if _, err := collect(t, invoke(up, ctx, w.model, ask("Hi"))); err != cause {
			t.Errorf("error %v", err)
		}
		<-f.Gone()
	})
}

func TestLeftInTheAnswer(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		w.skipIfSDKWaits(t)
		up, f := w.open(t, upstreamtest.Answer(upstreamtest.Completion{Text: "Hello, world", Pieces: 4, Fault: upstreamtest.Stall(4)}))
		for c, err := range invoke(up, t.Context(), w.model, ask("Hi")) {
			if err != nil {
				t.Error(err)
			}
			if c.Text != "" || w.whole {
				break
			}
		}
		<-f.Gone()
	})
}

func TestUnreachable(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		server := httptest.NewServer(nil)
		up := w.dial(t, server)
		server.Close()
		a, err := collect(t, invoke(up, t.Context(), w.model, ask("Hi")))
		wantGateway(t, err)
		var got *upstream.Error
		if errors.As(err, &got) && got.Unreachable == (got.Credentials != "") || a != (reply{}) {
			t.Errorf("%+v, %+v", a, got)
		}
	})
}
