package proxy

import (
	"context"
	"errors"
	"iter"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// flaky is an upstream that fails with errs, one for each call, and then answers with its name. A nil error is an
// answer. It records its calls.
type flaky struct {
	name   string
	errs   []error
	always error // the error after errs; nil for answers
	calls  []flakyCall
}

type flakyCall struct {
	at     time.Time
	model  upstream.Model
	prompt *translate.Prompt
}

func (f *flaky) Invoke(ctx context.Context, m upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	f.calls = append(f.calls, flakyCall{time.Now(), m, p})
	err := f.always
	if n := len(f.calls); n <= len(f.errs) {
		err = f.errs[n-1]
	}
	if err == nil {
		return completing(endOfTurn, "from "+f.name).Invoke(ctx, m, p)
	}
	return func(yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, err) }
}

func failure5(status int, typ string, after time.Duration) error {
	return &upstream.Error{Status: status, Type: typ, Message: "no", RetryAfter: after}
}

var (
	busy      = failure5(529, "overloaded_error", 0)
	throttled = failure5(429, "rate_limit_error", 7*time.Second)
	quota     = &upstream.Error{Status: 429, Type: "rate_limit_error", Message: "no", Final: true}
	missing   = failure5(404, "not_found_error", 0)
	noSystem  = &upstream.Error{Status: 400, Type: "invalid_request_error", Message: "no", Refuses: upstream.System}
)

func twice(o *Options) { o.Attempts = 2 }

// withFallback returns a server that asks "east" first, and "west" as its fallback.
func withFallback(t *testing.T, east, west any, change ...func(*Options)) *Server {
	return newServer(t, east, append(change, twice, func(o *Options) {
		o.Routes[0].Fallbacks = []UpstreamModel{{Upstream: "west", Model: "other-model"}}
		o.Upstreams["west"] = play(west)
	})...)
}

// seen is what a client sees of an exchange.
type seen struct {
	status                   int
	text                     string // text of the answer, or type of the error
	upstream, attempts       string
	retryAfter, shouldNotTry string
}

func see(w *httptest.ResponseRecorder) seen {
	h := w.Result().Header
	s := seen{w.Code, "", h.Get("X-Dragoman-Upstream"), h.Get("X-Dragoman-Attempts"), h.Get("Retry-After"), h.Get("X-Should-Retry")}
	for _, text := range []string{"from east", "from west", "overloaded_error", "rate_limit_error", "not_found_error", "invalid_request_error", "timeout_error", "api_error"} {
		if strings.Contains(w.Body.String(), text) {
			s.text = text
			break
		}
	}
	return s
}

func TestAttempts(t *testing.T) {
	tests := []struct {
		name       string
		east, west []error // west nil: no fallback
		want       seen
		waits      time.Duration // at least
	}{
		{"the first try", nil, nil, seen{200, "from east", "east", "1", "", ""}, 0},
		{"a retry", []error{busy}, nil, seen{200, "from east", "east", "2", "", ""}, 100 * time.Millisecond},
		{"a retry that waits as asked", []error{throttled}, nil, seen{200, "from east", "east", "2", "", ""}, 7 * time.Second},
		{"ours are exhausted", []error{busy, busy}, nil, seen{529, "overloaded_error", "east", "2", "", "false"}, 0},
		{"too long to wait", []error{failure5(429, "rate_limit_error", time.Minute)}, nil, seen{429, "rate_limit_error", "east", "1", "60", ""}, 0},
		{"hours to wait", []error{failure5(429, "rate_limit_error", 9*time.Hour)}, nil, seen{429, "rate_limit_error", "east", "1", "32400", "false"}, 0},
		{"a quota", []error{quota}, nil, seen{429, "rate_limit_error", "east", "1", "", "false"}, 0},
		{"the request is at fault", []error{missing}, nil, seen{404, "not_found_error", "east", "1", "", ""}, 0},
		{"a fallback", []error{busy, busy}, []error{}, seen{200, "from west", "west", "3", "", ""}, 0},
		{"a fallback at once", []error{throttled}, []error{}, seen{200, "from west", "west", "2", "", ""}, 0},
		{"a fallback for a quota", []error{quota}, []error{}, seen{200, "from west", "west", "2", "", ""}, 0},
		{"no fallback for a request at fault", []error{missing}, []error{}, seen{404, "not_found_error", "east", "1", "", ""}, 0},
		{"a fallback that knows no such model", []error{quota}, []error{missing}, seen{429, "rate_limit_error", "east", "2", "", "false"}, 0},
		{"retries, and a fallback that knows no such model", []error{busy, busy}, []error{missing}, seen{529, "overloaded_error", "east", "3", "", "false"}, 0},
		{"one failure each, too soon for another", []error{failure5(529, "overloaded_error", time.Minute)}, []error{failure5(529, "overloaded_error", time.Minute)},
			seen{529, "overloaded_error", "west", "2", "60", "false"}, 0},
		{"a refusal is no failure", []error{noSystem, failure5(529, "overloaded_error", time.Minute)}, nil, seen{529, "overloaded_error", "east", "2", "60", ""}, 0},
		{"a refusal costs no try", []error{noSystem, busy}, nil, seen{200, "from east", "east", "3", "", ""}, 0},
		{"everybody fails", []error{busy, busy}, []error{busy, busy}, seen{529, "overloaded_error", "west", "4", "", "false"}, 0},
		{"a feature that is refused", []error{noSystem}, nil, seen{200, "from east", "east", "2", "", ""}, 0},
		{"a refusal that makes no sense", []error{noSystem, noSystem}, nil, seen{400, "invalid_request_error", "east", "2", "", ""}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, body := range []string{question, streamed(question)} {
					var up any = &flaky{name: "east", errs: tt.east}
					s := newServer(t, up, twice)
					if tt.west != nil {
						s = withFallback(t, up, &flaky{name: "west", errs: tt.west})
					}
					began := time.Now()
					if got := see(post(s, body)); got != tt.want {
						t.Errorf("%+v, want %+v", got, tt.want)
					}
					if waited := time.Since(began); waited < tt.waits {
						t.Errorf("waited %v, want %v", waited, tt.waits)
					}
				}
			})
		})
	}
}

// Dragoman also skips a fallback that cannot help.
func TestFallbackAfterFallback(t *testing.T) {
	s := newServer(t, &flaky{always: quota}, twice, func(o *Options) {
		o.Upstreams["west"], o.Upstreams["north"] = play(&flaky{always: missing}), play(&flaky{name: "north"})
		o.Routes[0].Fallbacks = []UpstreamModel{{Upstream: "west"}, {Upstream: "north"}}
	})
	if got := see(post(s, question)); got.upstream != "north" || got.status != 200 || got.attempts != "3" {
		t.Errorf("%+v", got)
	}
	metrics := scrape(t, s)
	for _, want := range []string{
		`upstream_attempts_total{error_type="rate_limit_error",upstream="east"} 1`,
		`upstream_attempts_total{error_type="not_found_error",upstream="west"} 1`,
		`upstream_attempts_total{error_type="none",upstream="north"} 1`,
		`fallbacks_total{error_type="rate_limit_error",upstream="west"} 1`,
		`fallbacks_total{error_type="not_found_error",upstream="north"} 1`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %s in\n%s", want, metrics)
		}
	}
}

// x-dragoman-dropped names only what the answering model did not get.
func TestDroppedByTheModelThatAnswers(t *testing.T) {
	s := withFallback(t, &flaky{always: quota}, &flaky{name: "west"}, func(o *Options) {
		o.Routes[0].Features = upstream.Override{Without: upstream.Sampling}
	})
	body := strings.Replace(question, `"messages"`, `"temperature":0.5,"metadata":{"user_id":"u"},"messages"`, 1)
	if got := post(s, body).Result().Header.Get("X-Dragoman-Dropped"); got != "metadata" {
		t.Errorf("dropped %q", got)
	}
}

// A fallback gets the request in its own form.
func TestFallbackIsAskedInItsOwnWay(t *testing.T) {
	west := &flaky{name: "west"}
	s := withFallback(t, &flaky{always: quota}, west, func(o *Options) {
		o.Routes[0].Wire = WireText
	})
	post(s, strings.Replace(question, `"messages"`, `"system":"\n\nHuman: x","messages"`, 1))
	if len(west.calls) != 1 || west.calls[0].model.ID != "other-model" {
		t.Fatalf("west was asked %+v", west.calls)
	}
	if text := west.calls[0].prompt.System[1].Text; !strings.Contains(text, "Human:") {
		t.Errorf("west was asked as a text model: %q", text)
	}
}

// After the first event, no other model is asked.
func TestNoAttemptAfterTheFirstEvent(t *testing.T) {
	cut := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		_ = yield(translate.Chunk{}, nil) && yield(translate.Chunk{Text: "Hel"}, nil) && yield(translate.Chunk{}, busy)
	})
	for _, body := range []string{question, streamed(question)} {
		west := &flaky{name: "west"}
		w := post(withFallback(t, cut, west), body)
		if len(west.calls) != 0 || !strings.Contains(w.Body.String(), "overloaded_error") {
			t.Errorf("west was asked %d times; the client got %s", len(west.calls), w.Body)
		}
	}
}

// After a model has refused a feature, Dragoman no longer asks it for that feature.
func TestLesson(t *testing.T) {
	east := &flaky{name: "east", errs: []error{noSystem}}
	s := newServer(t, east, twice)
	for range 2 {
		post(s, question)
	}
	other := strings.Replace(question, "claude-2.1", "claude-3-haiku", 1)
	post(s, other)
	var asked []bool
	for _, c := range east.calls {
		asked = append(asked, c.model.Can.Has(upstream.System))
	}
	if len(asked) != 4 || !asked[0] || asked[1] || asked[2] || !asked[3] {
		t.Errorf("asked for a system prompt: %t", asked)
	}
}

// A model that does not continue an assistant turn is asked in words.
func TestLessonOfPrefill(t *testing.T) {
	refusal := &upstream.Error{Status: 400, Type: "invalid_request_error", Refuses: upstream.Prefill}
	east := &flaky{name: "east", errs: []error{refusal}}
	forced := strings.Replace(question, `"messages"`, `"tool_choice":{"type":"any"},"messages"`, 1)
	if got := see(post(newServer(t, east, twice), forced)); got.status != 200 {
		t.Fatalf("%+v", got)
	}
	for i, role := range []string{messages.RoleAssistant, messages.RoleUser} {
		turns := east.calls[i].prompt.Turns
		if got := turns[len(turns)-1].Role; got != role {
			t.Errorf("call %d ends with a turn of the %s", i, got)
		}
	}
}

// A dead upstream gets few more calls than its clients send, and then the breaker stops them.
func TestDeadUpstream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		east := &flaky{always: busy}
		s := newServer(t, east, twice)
		requests := 0
		for len(east.calls) < tripAfter {
			requests++
			post(s, question)
			time.Sleep(time.Millisecond)
			if n := len(east.calls); float64(n) > 1.2*float64(max(requests, 5)) {
				t.Fatalf("%d calls for %d requests", n, requests)
			}
		}
		if got := see(post(s, question)); got.status != 529 || got.attempts != "" || got.retryAfter == "" || len(east.calls) != tripAfter {
			t.Errorf("%+v; %d calls", got, len(east.calls))
		}
		east.always = nil
		time.Sleep(openFor)
		for range 3 {
			if got := see(post(s, question)); got.status != 200 {
				t.Errorf("%+v", got)
			}
		}
	})
}

// The same holds for an upstream that worked before.
func TestUpstreamDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		east := &flaky{name: "east"}
		s := newServer(t, east, twice)
		for range 100 {
			post(s, question)
		}
		east.calls, east.always = nil, busy
		for requests := 1; len(east.calls) < tripAfter; requests++ {
			post(s, question)
			if n := len(east.calls); requests >= 5 && float64(n) > 1.2*float64(requests) {
				t.Fatalf("%d calls for %d requests", n, requests)
			}
		}
	})
}

// While one call probes whether an upstream works again, other calls do not wait for ever.
func TestSlowProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, m := newBreaker(), way{"east", "m"}
		for range tripAfter {
			done, err := g.allow(m)
			if err != nil {
				t.Fatal(err)
			}
			done(busy)
		}
		time.Sleep(openFor + 1)
		probe, err := g.allow(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.allow(m); err == nil {
			t.Error("a second call beside the one that tries")
		}
		time.Sleep(openFor + 1)
		if done, err := g.allow(m); err != nil {
			t.Errorf("shut out by a slow call: %v", err)
		} else {
			done(busy)
		}
		probe(nil)
		if _, err := g.allow(m); err != nil {
			t.Errorf("the upstream is back: %v", err)
		}
	})
}

// A panic says nothing about an upstream.
func TestPanicIsNoOutcome(t *testing.T) {
	s := newServer(t, upstreamFunc(func(context.Context, func(translate.Chunk, error) bool) { panic("bug") }))
	m := way{"east", "claude-2.1"}
	for range tripAfter - 1 {
		done, _ := s.breakers["east"].allow(m)
		done(busy)
	}
	post(s, question)
	done, _ := s.breakers["east"].allow(m)
	done(busy)
	if _, err := s.breakers["east"].allow(m); err == nil {
		t.Error("a panic counts as a success")
	}
}

// Dragoman forgets a refusal after a while: it may have been wrong.
func TestRefusalForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := refusals{"east": new(upstreamRefusals)}
		m := UpstreamModel{Upstream: "east", Model: "m"}
		learnt := func(f upstream.Features) bool { return r.applyTo(m).Can == m.Spec().Can&^f }
		r.add(m, refusal{features: upstream.System, maxTokens: 2048})
		if time.Sleep(refusalLifetime); !learnt(upstream.System) || r.applyTo(m).MaxTokens != 2048 {
			t.Error("forgotten too early")
		}
		if time.Sleep(time.Millisecond); !learnt(0) || r.applyTo(m).MaxTokens != 0 {
			t.Error("kept for ever")
		}
		r.add(m, refusal{features: upstream.TopK})
		if !learnt(upstream.TopK) {
			t.Errorf("learnt %v", r.applyTo(m).Can)
		}
	})
}

// Dragoman notices a client that leaves during a pause before a retry.
func TestClientLeavesWhileWeWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		east := &flaky{always: throttled}
		s := newServer(t, east, twice)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		r := newRequest("POST", "/v1/messages", question).WithContext(ctx)
		began := time.Now()
		answerTo(s, httptest.NewRecorder(), r)
		if len(east.calls) != 1 || time.Since(began) != time.Second {
			t.Errorf("%d calls, over after %v", len(east.calls), time.Since(began))
		}
	})
}

// If an upstream does not answer in time, its fallback does.
func TestFirstByteFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := newHanging()
		s := withFallback(t, hung.upstream(), &flaky{name: "west"}, func(o *Options) { o.Timeouts.FirstByte = time.Minute })
		if got := see(post(s, question)); got.text != "from west" || got.attempts != "2" {
			t.Errorf("%+v", got)
		}
		var late *timeoutError
		if err := <-hung.ended; !errors.As(err, &late) {
			t.Errorf("the call ended with %v", err)
		}
	})
}
