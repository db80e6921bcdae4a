package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate"
	"dragoman/upstream"
)

// limitedKey returns the key "key-one" with the limits that change sets.
func limitedKey(change func(*Key)) Key {
	k := NewKey("key-one")
	k.Name = "ci"
	change(&k)
	return k
}

func withKeys(keys ...Key) func(*Options) { return func(o *Options) { o.Keys = keys } }

// checkLimited expects a 429 with this retry-after.
func checkLimited(t *testing.T, w *httptest.ResponseRecorder, seconds string) {
	t.Helper()
	checkError(t, w.Result(), 429, "rate_limit_error")
	if got := w.Header().Get("Retry-After"); got != seconds {
		t.Errorf("Retry-After %q, want %q", got, seconds)
	}
}

// A request over the limit gets a 429 with the time to wait. A client that waits for that time is served.
func TestRequestsPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		s := newServer(t, completing(endOfTurn, "hi"), log.option, withKeys(limitedKey(func(k *Key) { k.RequestsPerMinute = 3 })))
		for left := range 3 {
			w := post(s, question, "x-api-key", "key-one")
			if got := w.Header().Get("anthropic-ratelimit-requests-remaining"); w.Code != 200 || got != fmt.Sprint(2-left) {
				t.Errorf("request %d: status %d, %q remaining", left, w.Code, got)
			}
		}
		for range 5 { // rejected requests do not lengthen the wait
			checkLimited(t, post(s, question, "x-api-key", "key-one"), "20")
		}
		if got := log.exchange(t); got["key_id"] != "ci" || got["bytes_in"] != 0. || got["status"] != 429. {
			t.Errorf("logged %v", got)
		}
		time.Sleep(20 * time.Second)
		w := post(s, question, "x-api-key", "key-one")
		if reset := w.Header().Get("anthropic-ratelimit-requests-reset"); w.Code != 200 || reset != time.Now().Add(time.Minute).UTC().Format(time.RFC3339) {
			t.Errorf("status %d, reset %q at %v", w.Code, reset, time.Now().UTC())
		}
		checkLimited(t, post(s, question, "x-api-key", "key-one"), "20")
		time.Sleep(time.Hour)
		for range 3 {
			if w := post(s, question, "x-api-key", "key-one"); w.Code != 200 {
				t.Errorf("status %d after an hour", w.Code)
			}
		}
		checkLimited(t, post(s, question, "x-api-key", "key-one"), "20")
	})
}

// Each API has its own error for a limit.
func TestLimitsOfADialect(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"), withKeys(limitedKey(func(k *Key) { k.RequestsPerMinute = 1 })))
	post(s, question, "x-api-key", "key-one")
	ask := func(path string) *http.Response {
		w := httptest.NewRecorder()
		answerTo(s, w, newRequest("POST", path, question, "x-api-key", "key-one"))
		if w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
		return w.Result()
	}
	checkException(t, ask("/model/claude-2.1/invoke"), 429, "ThrottlingException")
	checkException(t, ask("/model/claude-2.1/converse"), 429, "ThrottlingException")
	checkError(t, ask("/v1/projects/p/locations/global/publishers/anthropic/models/claude-2.1:rawPredict"), 429, "rate_limit_error")
}

// Whatever ends a request, its place becomes free.
func TestConcurrentRequests(t *testing.T) {
	hold, began := make(chan struct{}), make(chan struct{})
	waiting := upstreamFunc(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
		began <- struct{}{}
		select {
		case <-hold:
			panic("hold")
		case <-ctx.Done():
			yield(translate.Chunk{}, context.Cause(ctx))
		}
	})
	s := newServer(t, waiting, withKeys(limitedKey(func(k *Key) { k.Concurrent = 1 })))
	srv := listen(t, s)
	for _, leaves := range []bool{true, false} {
		ctx, leave := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r, err := http.NewRequestWithContext(ctx, "POST", srv.URL+"/v1/messages", strings.NewReader(question))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("x-api-key", "key-one")
			if response, err := srv.Client().Do(r); err == nil {
				_, _ = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
		}()
		<-began
		checkLimited(t, post(s, question, "x-api-key", "key-one"), "1")
		if leaves {
			leave()
		} else {
			hold <- struct{}{}
		}
		<-ended
		leave()
		free := func() bool { return post(s, "{}", "x-api-key", "key-one").Code == 400 }
		for deadline := time.Now().Add(10 * time.Second); !free(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the place is not free")
			}
		}
	}
}

// Tokens count as the upstream reports them, even if the answer breaks off, and until the UTC day ends.
func TestTokensPerDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := map[string]upstreamFunc{
			"whole": completing(endOfTurn, "hi"), // 11 tokens in, 7 out
			"cut": func(_ context.Context, yield func(translate.Chunk, error) bool) {
				var c translate.Chunk
				c.Usage.InputTokens = 18
				if yield(c, nil) && yield(translate.Chunk{Text: "hi"}, nil) {
					yield(translate.Chunk{}, &upstream.Error{Status: 502, Type: "api_error", Message: "gone", Err: errors.New("gone")})
				}
			},
		}
		for name, up := range answers {
			s := newServer(t, up, withKeys(limitedKey(func(k *Key) { k.TokensPerDay = 30 })))
			day := time.Now().Truncate(24 * time.Hour)
			time.Sleep(10*time.Hour + 500*time.Millisecond)
			for left := range 2 {
				w := post(s, streamed(question), "x-api-key", "key-one")
				if got := w.Header().Get("anthropic-ratelimit-tokens-remaining"); w.Code != 200 || got != fmt.Sprint(30-18*left) {
					t.Errorf("%s: status %d, %q remaining", name, w.Code, got)
				}
			}
			w := post(s, question, "x-api-key", "key-one")
			checkLimited(t, w, "50400") // 14 hours; half a second is rounded up
			if got := w.Header().Get("anthropic-ratelimit-tokens-reset"); got != day.Add(24*time.Hour).UTC().Format(time.RFC3339) {
				t.Errorf("reset %q", got)
			}
			time.Sleep(time.Until(day.Add(24 * time.Hour)))
			if w := post(s, streamed(question), "x-api-key", "key-one"); w.Code != 200 {
				t.Errorf("%s: status %d on the next day", name, w.Code)
			}
		}
	})
}

// New keys count at once, and old ones end at once. Requests in progress continue, and a key's usage carries over.
func TestSuccessorKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, hold := make(chan struct{}), make(chan struct{})
		up := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
			if yield(translate.Chunk{Text: "hi"}, nil) {
				began <- struct{}{}
				<-hold
				yield(endOfTurn, nil)
			}
		})
		s := newServer(t, up, withKeys(limitedKey(func(k *Key) { k.RequestsPerMinute = 2 }), NewKey("key-two")))
		open := httptest.NewRecorder()
		ended := make(chan struct{})
		go func() {
			answerTo(s, open, newRequest("POST", "/v1/messages", streamed(question), "x-api-key", "key-two"))
			close(ended)
		}()
		<-began
		post(s, "{}", "x-api-key", "key-one")
		s = succeed(t, s, up, withKeys(limitedKey(func(k *Key) { k.Name, k.RequestsPerMinute = "renamed", 2 }), NewKey("key-three")))
		for key, want := range map[string]int{"key-one": 400, "key-two": 401, "key-three": 400} {
			if w := post(s, "{}", "x-api-key", key); w.Code != want {
				t.Errorf("%s: status %d, want %d", key, w.Code, want)
			}
		}
		checkLimited(t, post(s, "{}", "x-api-key", "key-one"), "30")
		s = succeed(t, s, up, withKeys(limitedKey(func(k *Key) { k.RequestsPerMinute = 4 }), NewKey("key-three")))
		for range 2 {
			if w := post(s, "{}", "x-api-key", "key-one"); w.Code != 400 {
				t.Errorf("status %d with a higher limit", w.Code)
			}
		}
		checkLimited(t, post(s, "{}", "x-api-key", "key-one"), "15")
		close(hold)
		<-ended
		if !strings.Contains(open.Body.String(), "message_stop") {
			t.Errorf("the stream that was open ended so:\n%s", open.Body)
		}
		for name, keys := range map[string][]Key{
			"empty": {NewKey("")}, "twice": {NewKey("a"), {Sum: NewKey("a").Sum, Name: "b"}},
			"one name": {{Sum: NewKey("a").Sum, Name: "n"}, {Sum: NewKey("b").Sum, Name: "n"}},
		} {
			if _, err := s.Successor(optionsFor(up, withKeys(keys...)), nil); err == nil {
				t.Errorf("%s: taken over", name)
			}
		}
	})
}

// Odd token counts from an upstream neither return tokens to a key nor overflow.
func TestTokensOfOddUpstreams(t *testing.T) {
	for name, odd := range map[string][2]int{"below zero": {-5000, 4}, "too many": {math.MaxInt, math.MaxInt}} {
		k := (*heldKey)(nil).as(limitedKey(func(k *Key) { k.TokensPerDay = 1000 }))
		now := time.Now()
		for range 2 {
			k.release(now, 600, 0)
			before := k.tokens
			k.release(now, odd[0], odd[1])
			if k.tokens < before {
				t.Errorf("%s: %d tokens taken, and then %d", name, before, k.tokens)
			}
		}
		if k.take(now, http.Header{}) == nil {
			t.Errorf("%s: the key is served over its limit", name)
		}
	}
}
