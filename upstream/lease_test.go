package upstream

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate/messages"
)

// server is where a cache fetches its tokens: one an hour's worth each, numbered.
type server struct {
	delay   time.Duration
	life    time.Duration
	err     error
	changes time.Time // when the error becomes the next one; zero for never
	next    error
	fetches atomic.Int32
}

func (s *server) fetch(context.Context) (*lease[string], error) {
	time.Sleep(s.delay) // of the bubble's clock
	n := s.fetches.Add(1)
	err := s.err
	if isPast(s.changes) {
		err = s.next
	}
	if err != nil {
		return nil, err
	}
	return newLease(string('a'+n-1), s.life, refreshEarly), nil
}

// errRefusal is what a server says that will not say otherwise soon.
var errRefusal = errors.New("refused")

func (s *server) leases() *leases[string] {
	return &leases[string]{fetch: s.fetch, refused: func(err error) bool { return errors.Is(err, errRefusal) }}
}

// take returns the token that a request is sent with, and how long that took.
func take(t *testing.T, c *leases[string]) (string, time.Duration) {
	t.Helper()
	begun := time.Now()
	got, err := c.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait() // for a look-up that is done at once
	return got.value, time.Since(begun)
}

func TestLeaseKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{delay: time.Second, life: time.Hour}
		c := s.leases()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if _, err := c.get(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if value, waited := take(t, c); value != "a" || waited != 0 || s.fetches.Load() != 1 {
			t.Errorf("%q after %v and %d fetches", value, waited, s.fetches.Load())
		}
	})
}

// TestTokenRefreshedEarly has a slow server: no request waits for it but the first.
func TestLeaseRefreshedEarly(t *testing.T) {
	for _, life := range []time.Duration{time.Minute, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{delay: 5 * time.Second, life: life}
			c := s.leases()
			take(t, c)
			for begun := time.Now(); time.Since(begun) < 10*life; time.Sleep(time.Second) {
				if _, waited := take(t, c); waited != 0 {
					t.Fatalf("waited for %v after %v", waited, time.Since(begun))
				}
			}
			if n := s.fetches.Load(); n < 10 || n > 20 {
				t.Errorf("%d fetches in ten lives of a token", n)
			}
		})
	}
}

// TestTokenServerDown has a server that fails while the token serves: nobody
// notices, and it is not asked at every request.
func TestLeaseServerDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{life: time.Hour}
		c := s.leases()
		take(t, c)
		s.err = errors.New("down")
		time.Sleep(time.Hour - refreshEarly)
		for range 300 {
			if value, _ := take(t, c); value != "a" {
				t.Fatalf("%q", value)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := s.fetches.Load(); n < 3 || n > 5 {
			t.Errorf("%d fetches in half a minute", n)
		}
		s.err = nil
		time.Sleep(renewPause)
		take(t, c)
		if value, _ := take(t, c); value == "a" {
			t.Error("no new token once the server is back")
		}
	})
}

func TestLeaseServerDownFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{err: errors.New("down")}
		c := s.leases()
		for range 2 {
			_, err := c.get(t.Context())
			var e *Error
			if !errors.As(err, &e) || e.Status != 502 || e.Type != messages.ErrorAPI || !errors.Is(err, s.err) {
				t.Fatalf("error %v", err)
			}
			synctest.Wait()
		}
		s.err, s.life = nil, time.Hour
		if value, _ := take(t, c); value != "c" {
			t.Errorf("%q", value)
		}
	})
}

func TestLeaseExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{delay: time.Second, life: time.Hour}
		c := s.leases()
		take(t, c)
		time.Sleep(time.Hour - leaseSlack)
		if value, waited := take(t, c); value != "b" || waited != s.delay {
			t.Errorf("%q after %v", value, waited)
		}
	})
}

func TestLeaseRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{life: time.Hour}
		c := s.leases()
		first, err := c.get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time it is an older one than is kept
			c.reject(first)
			if value, _ := take(t, c); value != "b" {
				t.Errorf("%q", value)
			}
		}
	})
}

// TestEveryLeaseRejected has an upstream that takes none: requests do not each look for another.
func TestEveryLeaseRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{life: time.Hour}
		c := s.leases()
		for range 100 {
			kept, err := c.get(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			c.reject(kept)
			time.Sleep(100 * time.Millisecond)
		}
		if n := s.fetches.Load(); n > 22 {
			t.Errorf("%d look-ups in ten seconds", n)
		}
	})
}

// TestLeaseRejectedAfterAFailure does not wait for the pause that the failure was followed
// by: it was for as long as the lease served.
func TestLeaseRejectedAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{life: time.Hour}
		c := s.leases()
		first, err := c.get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.err = errors.New("down")
		time.Sleep(time.Hour - refreshEarly)
		take(t, c)
		s.err = nil
		c.reject(first)
		if value, waited := take(t, c); value == "a" || waited != 0 {
			t.Errorf("%q after %v", value, waited)
		}
	})
}

func TestLeaseWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fetches := 0
		c := &leases[string]{fetch: func(context.Context) (*lease[string], error) {
			fetches++
			return &lease[string]{value: "a"}, nil
		}}
		take(t, c)
		time.Sleep(1000 * time.Hour)
		if take(t, c); fetches != 1 {
			t.Errorf("%d fetches", fetches)
		}
	})
}

func TestLeaseNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{delay: 20 * time.Second, life: time.Hour}
		c := s.leases()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		if _, err := c.get(ctx); err != context.DeadlineExceeded || time.Since(begun) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		// The look-up goes on for those who still wait.
		if value, waited := take(t, c); value != "a" || waited != s.delay-time.Second {
			t.Errorf("%q after %v", value, waited)
		}
	})
}

// TestLeaseTimes says when a lease is renewed and when it is no longer used, after so
// much of its life.
func TestLeaseTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const early = 5 * time.Minute
		for _, test := range []struct{ life, due, end time.Duration }{
			{12 * time.Hour, 12*time.Hour - early, 12*time.Hour - leaseSlack},
			{15 * time.Minute, 15*time.Minute - 225*time.Second, 15*time.Minute - leaseSlack},
			{3 * time.Minute, 2 * time.Minute, 3*time.Minute - leaseSlack},
			{2 * time.Minute, time.Minute, 2*time.Minute - leaseSlack},
			{time.Minute, 30 * time.Second, time.Minute - 7500*time.Millisecond},
		} {
			l := newLease("a", test.life, early)
			if due, end := time.Until(l.due), time.Until(l.end); due != test.due || end != test.end {
				t.Errorf("of %v: due after %v, ends after %v", test.life, due, end)
			}
		}
	})
}

// TestLeaseThatHasExpired is from a server whose clock is behind ours: it serves, and is
// renewed at a pace that the server can bear.
func TestLeaseThatHasExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{life: -time.Minute}
		c := s.leases()
		for range 60 {
			if _, waited := take(t, c); waited != 0 {
				t.Errorf("waited for %v", waited)
			}
			time.Sleep(time.Second)
		}
		if n := s.fetches.Load(); n < 5 || n > 7 {
			t.Errorf("%d fetches in a minute", n)
		}
	})
}

// TestLeaseLost has a server that is away when the lease ends. Requests wait for it until
// it is back, or says no, or has been away for too long, and it is asked once a second.
func TestLeaseLost(t *testing.T) {
	down := errors.New("down")
	for _, test := range []struct {
		name   string
		idle   time.Duration // after the end of the lease, without a request
		back   time.Duration // after that
		with   error         // what it says then
		waited time.Duration
		final  bool
	}{
		{"back", 0, 25 * time.Second, nil, 25 * time.Second, false},
		{"back", time.Hour, 25 * time.Second, nil, 25 * time.Second, false},
		{"refused", 0, 25 * time.Second, errRefusal, 25 * time.Second, true},
		{"gone", 0, time.Hour, nil, outage, false},
		{"gone", time.Hour, time.Hour, nil, outage, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{life: time.Minute}
			c := s.leases()
			take(t, c)
			time.Sleep(time.Until(c.kept.end) + test.idle)
			s.err, s.next, s.changes = down, test.with, time.Now().Add(test.back)
			begun, before := time.Now(), s.fetches.Load()
			_, err := c.get(t.Context())
			if waited := time.Since(begun); waited < test.waited || waited > test.waited+2*time.Second {
				t.Errorf("%s: waited for %v", test.name, waited)
			}
			if n := s.fetches.Load() - before; n > int32(test.waited/lostPause)+2 {
				t.Errorf("%s: %d fetches", test.name, n)
			}
			var e *Error
			if failed := errors.As(err, &e); failed != (test.name != "back") || failed && e.Final != test.final {
				t.Errorf("%s: %v", test.name, err)
			}
		})
	}
}

// TestLeaseLostNotWaitedFor has a request that ends before the outage does.
func TestLeaseLostNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{life: time.Minute}
		c := s.leases()
		take(t, c)
		time.Sleep(time.Minute)
		s.err = errors.New("down")
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		begun := time.Now()
		if _, err := c.get(ctx); err != context.DeadlineExceeded || time.Since(begun) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		time.Sleep(lostPause) // for the look-up that nobody waits for
	})
}

// A look-up that nobody waits for ends with the upstream.
func TestLeaseClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		l := &leases[string]{refused: func(error) bool { return false }, fetch: func(ctx context.Context) (*lease[string], error) {
			if asked++; asked == 1 {
				return newLease("a", time.Hour, time.Minute), nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		l.close() // there is nothing to end
		take(t, l)
		time.Sleep(59*time.Minute + 30*time.Second)
		if got, _ := take(t, l); got != "a" || asked != 2 {
			t.Errorf("%q after %d look-ups", got, asked)
		}
		began := time.Now()
		l.close()
		synctest.Wait()
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.pending != nil || time.Since(began) > 0 {
			t.Error("the look-up goes on")
		}
	})
}
