package upstream

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Access tokens and credentials serve for a time. One is kept and used until shortly
// before its end. The next one is fetched while it still serves, beside a request that
// finds it due, so that only the first request has to wait. Nothing runs between
// requests.

// When leases are renewed.
const (
	// leaseSlack is how long before its end a lease is no longer used: a request would find
	// it expired when it arrives.
	leaseSlack = 10 * time.Second
	// renewEarly is how long before its end a lease is renewed at the latest, if it lasts
	// for twice as long.
	renewEarly = time.Minute
	// renewTimeout is how long a look-up may take in all, and renewRequest each of its
	// requests.
	renewTimeout = 30 * time.Second
	renewRequest = 10 * time.Second
	// renewPause is the time between two look-ups, after a failure, while the old lease
	// serves; lostPause, when it does not.
	renewPause = 10 * time.Second
	lostPause  = time.Second
	// mostRejected is how many leases are rejected at once, before it is one for each lostPause.
	mostRejected = 10
	// outage is how long requests wait for the next lease when the last one has ended and
	// its server cannot be reached. It is counted from when that began, so that later
	// requests fail at once.
	outage = time.Minute
)

// lease is a value that serves until its end.
type lease[T any] struct {
	value T
	end   time.Time // when it stops being used; zero for never
	due   time.Time // when the next one is first looked for; zero for never
}

// newLease returns a lease of a value that lasts for life. The next one is looked for
// this early before its end, but not before three quarters of the life are over; or a
// minute before the end if that is sooner, but not before half of the life is over.
//
// A value that has expired on arrival is from a server whose clock is not ours, or which
// has no newer one. It is used as long as the upstream takes it.
func newLease[T any](value T, life, early time.Duration) *lease[T] {
	now := time.Now()
	if life <= 0 {
		return &lease[T]{value: value, due: now.Add(renewPause)}
	}
	early = min(early, max(life/4, min(renewEarly, life/2)))
	return &lease[T]{value: value, end: now.Add(life - min(leaseSlack, life/8)), due: now.Add(life - early)}
}

// isPast reports whether a moment has come. The zero time never comes.
func isPast(at time.Time) bool { return !at.IsZero() && !time.Now().Before(at) }

// leases keeps the lease of an upstream. At any time one look-up for a new one is under
// way at most, and all requests that need it wait for the same one.
type leases[T any] struct {
	fetch func(context.Context) (*lease[T], error)
	// refused reports whether the server of the leases has answered with a no. What else
	// fails is an outage.
	refused func(error) bool

	mu       sync.Mutex
	kept     *lease[T] // the last one; nil before the first
	failing  time.Time // since when look-ups fail; zero if the last one did not
	pause    time.Time // no look-up before this, after a failure
	rejected time.Time // when as many leases as mostRejected may be rejected at once
	pending  *lookUp[T]
}

// lookUp is a look-up for a lease that is under way.
type lookUp[T any] struct {
	done   chan struct{} // closed when it is over
	cancel context.CancelFunc
	lease  *lease[T]
	err    error
}

// get returns a lease that can be used, or an [*Error] if there is none. It waits for
// the end of an outage, and no longer than ctx.
func (l *leases[T]) get(ctx context.Context) (*lease[T], error) {
	for {
		kept, next := l.current()
		if kept != nil {
			return kept, nil
		}
		select {
		case <-next.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if next.err == nil {
			return next.lease, nil
		}
		if e := l.failure(next.err); e != nil {
			return nil, e
		}
	}
}

// current returns the lease if it can be used, else the look-up to wait for. It begins
// one if the next lease is due.
func (l *leases[T]) current() (*lease[T], *lookUp[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	serves := l.kept != nil && !isPast(l.kept.end)
	if l.pending == nil && (!serves || isPast(l.kept.due) && !time.Now().Before(l.pause)) {
		ctx, cancel := context.WithCancel(context.Background()) // it outlives the request: others wait for it too
		l.pending = &lookUp[T]{done: make(chan struct{}), cancel: cancel}
		go l.run(ctx, l.pending, time.Until(l.pause))
	}
	if serves {
		return l.kept, nil
	}
	return nil, l.pending
}

// run fetches a lease after a pause. ctx is that of no request: others wait for the same lease.
func (l *leases[T]) run(ctx context.Context, p *lookUp[T], pause time.Duration) {
	defer p.cancel()
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(ctx, renewTimeout)
	defer cancel()
	p.lease, p.err = l.look(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if p.err == nil {
		l.kept, l.failing, l.pause = p.lease, time.Time{}, time.Time{}
	} else if l.kept != nil { // else each request is told at once what is wrong
		l.pause = now.Add(l.kept.retry())
		if l.failing.IsZero() {
			l.failing = now
		}
	}
	l.pending = nil
	close(p.done)
}

// close ends the look-up that is under way, if there is one: nobody wants a lease any more.
func (l *leases[T]) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending != nil {
		l.pending.cancel()
	}
}

// look fetches a lease. A panic in it, which no exchange would contain, is its error.
func (l *leases[T]) look(ctx context.Context) (found *lease[T], err error) {
	defer func() {
		if recover() != nil {
			err = plain("the look-up for credentials panicked")
		}
	}()
	return l.fetch(ctx)
}

// retry returns the time until the next look-up, after one has failed.
func (l *lease[T]) retry() time.Duration {
	if l.end.IsZero() {
		return renewPause
	}
	return min(renewPause, max(lostPause, time.Until(l.end)/2))
}

// failure returns the error of a request whose look-up has failed so, or nil if it is
// worth waiting for the next one: if there were leases before, and their server has not
// been away for long, or not since the end of the last one.
func (l *leases[T]) failure(err error) *Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := noCredentials(err)
	if l.kept == nil || l.refused(err) {
		return e
	}
	e.Final = false // the server will be back
	if isPast(l.kept.end.Add(outage)) && isPast(l.failing.Add(outage)) {
		return e
	}
	return nil
}

// reject ends a lease that the upstream did not take, unless a newer one has replaced it. Of
// many one a second is: an upstream that takes none would else have each request look for another.
func (l *leases[T]) reject(bad *lease[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	wait := max(0, l.rejected.Sub(now))
	if l.kept == bad && !isPast(bad.end) && wait < mostRejected*lostPause {
		bad.end, l.pause, l.rejected = now, time.Time{}, now.Add(wait+lostPause)
	}
}

// isRefusal reports whether a server that answers with this status would answer so
// again.
func isRefusal(status int) bool {
	return status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}
