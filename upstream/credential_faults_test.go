package upstream_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"dragoman/upstream"
)

// faults are failures of a credentials server.
var faults = []struct {
	name  string
	fault http.HandlerFunc // nil: it refuses connections
	// works: the credentials arrive in spite of the fault.
	works bool
	// refuses: the server rejects the request, so nobody waits for it.
	refuses bool
}{
	{name: "connection refused"},
	{name: "403", refuses: true, fault: status(http.StatusForbidden)},
	{name: "500", fault: status(http.StatusInternalServerError)},
	{name: "429", fault: status(http.StatusTooManyRequests)},
	{name: "no answer", fault: func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices that the client leaves only after this
		<-r.Context().Done()
	}},
	{name: "garbage", fault: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "\x1f\x8b\x08{<html>") }},
	{name: "an empty answer", fault: func(http.ResponseWriter, *http.Request) {}},
	{name: "connection reset", fault: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	{name: "a slow answer", works: true},
}

// status answers with this status after it has read the request. An earlier answer could cut the request, and
// then it depends on chance whether the client retries.
func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(code)
	}
}

// eachFault runs a test with every credentials source and every fault. begin makes the server fail, end makes
// it work.
func eachFault(t *testing.T, test func(t *testing.T, s *site, works, refuses bool, begin, end func())) {
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			eachSource(t, 0, func(t *testing.T, s *site) {
				begin, end := func() { s.fail(fault.fault) }, func() { s.fail(nil) }
				switch {
				case fault.works:
					begin, end = func() { s.delay.Store(int64(2 * time.Second)) }, func() { s.delay.Store(0) }
				case fault.fault == nil:
					begin, end = func() { s.pipes.RefuseAllBut(modelsHost) }, func() { s.pipes.RefuseAllBut("") }
				}
				test(t, s, fault.works, fault.refuses, begin, end)
			})
		})
	}
}

// TestFirstCredentialsFail makes the server fail from the start. Each request gets the error in time, and the
// first request after the failure succeeds.
func TestFirstCredentialsFail(t *testing.T) {
	eachFault(t, func(t *testing.T, s *site, works, _ bool, begin, end func()) {
		begin()
		for range 2 {
			waited, err := s.ask(t)
			if works {
				if err != nil {
					t.Error(err)
				}
				continue
			}
			wantOwnFault(t, err, "no credentials")
			var e *upstream.Error
			if errors.As(err, &e) && (e.Credentials != upstream.CredentialsMissing || !e.Final) {
				t.Errorf("%+v", e)
			}
			if waited > 35*time.Second {
				t.Errorf("waited for %v", waited)
			}
		}
		end()
		s.mustAsk(t)
	})
}

// TestRenewalFails makes the server fail for half a minute around the expiry of the credentials. While they
// are valid, no request fails or waits for long. The same holds once the server works again.
func TestRenewalFails(t *testing.T) {
	eachFault(t, func(t *testing.T, s *site, works, _ bool, begin, end func()) {
		s.last(time.Minute)
		s.mustAsk(t)
		began := time.Now()
		time.Sleep(25 * time.Second)
		begin()
		time.AfterFunc(30*time.Second, end)
		for _, at := range []time.Duration{31, 32, 40, 45, 52, 56, 70, 71} {
			time.Sleep(time.Until(began.Add(at * time.Second)))
			waited, err := s.ask(t)
			isOver := at == 52 && !works
			switch {
			case isOver && err != nil:
				wantOwnFault(t, err, "no credentials")
			case err != nil:
				t.Errorf("after %ds: %v", at, err)
			case waited > 5*time.Second && at < 50, waited > 20*time.Second:
				t.Errorf("after %ds: waited for %v", at, waited)
			}
		}
		if len(s.grants()) < 2 {
			t.Error("there are no new credentials")
		}
	})
}

// TestOutage makes the server fail after the credentials have expired. Requests get the error soon, and it is
// not final.
func TestOutage(t *testing.T) {
	eachSource(t, 0, func(t *testing.T, s *site) {
		s.last(time.Minute)
		s.mustAsk(t)
		s.pipes.RefuseAllBut(modelsHost)
		time.Sleep(time.Minute)
		for _, most := range []time.Duration{10 * time.Second, 10 * time.Second} {
			waited, err := s.ask(t)
			wantOwnFault(t, err, "no credentials")
			var e *upstream.Error
			if errors.As(err, &e) && e.Final {
				t.Errorf("final: %v", e)
			}
			if waited > most {
				t.Errorf("waited for %v", waited)
			}
		}
		s.pipes.RefuseAllBut("")
		s.mustAsk(t)
	})
}

// TestRevoked revokes credentials before their expiry. The request that finds out is sent again with new
// ones.
func TestRevoked(t *testing.T) {
	eachSource(t, 0, func(t *testing.T, s *site) {
		for range 3 {
			s.mustAsk(t)
			s.revoke()
			s.rotate()
		}
		s.mustAsk(t)
		if n := len(s.grants()); n != 4 {
			t.Errorf("credentials were fetched %d times", n)
		}
	})
}

// TestClockSkew sets the servers' clocks ten minutes off, with credentials that last a minute. No request
// fails, except if the key signs the time and the server's clock is ahead: then the error names the clock.
func TestClockSkew(t *testing.T) {
	for _, ahead := range []time.Duration{10 * time.Minute, -10 * time.Minute} {
		t.Run(ahead.String(), func(t *testing.T) {
			eachSource(t, ahead, func(t *testing.T, s *site) {
				s.last(time.Minute)
				if strings.HasSuffix(t.Name(), "service_account") && ahead < 0 {
					_, err := s.ask(t)
					wantOwnFault(t, err, "no credentials")
					if says := upstream.Explain(err); !strings.Contains(says, "the clock of this machine is 10m0s ahead of the server's clock. Set the clock") {
						t.Errorf("the log says %q", says)
					}
					return
				}
				for range 60 {
					s.mustAsk(t)
					time.Sleep(5 * time.Second)
				}
				if n := len(s.grants()); n < 5 || n > 35 {
					t.Errorf("credentials were fetched %d times in five minutes", n)
				}
			})
		})
	}
}
