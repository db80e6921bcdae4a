package upstream_test

import (
	"sync"
	"testing"
	"time"
)

// TestRotation renews credentials that last a minute, ten times, from a server that takes two seconds to
// answer. Its secrets change too. No request fails, or waits longer than those two seconds.
func TestRotation(t *testing.T) {
	eachSource(t, 0, func(t *testing.T, s *site) {
		s.last(time.Minute)
		s.delay.Store(int64(2 * time.Second))
		s.mustAsk(t)
		var all sync.WaitGroup
		for first := range 2 {
			time.Sleep(time.Duration(first) * time.Second)
			all.Go(func() {
				for begun := time.Now(); time.Since(begun) < 10*time.Minute; time.Sleep(4 * time.Second) {
					if waited := s.mustAsk(t); waited > 10*time.Second {
						t.Errorf("waited for %v after %v", waited, time.Since(begun))
					}
				}
			})
		}
		all.Go(func() {
			for range 5 {
				time.Sleep(100 * time.Second)
				s.rotate()
			}
		})
		all.Wait()
		if n := len(s.grants()); n < 11 || n > 25 {
			t.Errorf("credentials were fetched %d times", n)
		}
		if end := s.expires.Load(); end == nil {
			t.Error("the upstream does not say when they end")
		} else if left := time.Until(*end); left <= 0 || left > time.Minute {
			t.Errorf("the upstream says that they end in %v", left)
		}
	})
}
