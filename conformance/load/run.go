package main

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// run is one load on one address.
type run struct {
	host, path string
	headers    []string
	shape      shape
	raw        bool // what is asked does not translate: the text of the call comes back
	args       int  // bytes in the call's large argument

	conns   int           // and so many requests at once at most
	rate    float64       // arrivals a second; 0: each connection asks as fast as it can
	most    int           // requests; 0: as many as there is time for
	lasts   time.Duration // no request begins after it
	timeout time.Duration // of one request

	pids   []int // of the processes whose usage counts
	others []int // of the other ones of the bench
}

// result is what came of it.
type result struct {
	requests, events int
	errors           int
	first            error
	seconds          float64

	latency, firstText, lag quantiles
	refused                 quantiles // of the answers that were 529

	cpu         time.Duration
	before, top int64 // bytes of memory: before, and at most
	steady      int64 // and when all connections were in use
	foreign     float64
}

// cpuRequest and cpuEvent are microseconds of processor time.
func (r *result) cpuRequest() float64 { return micros(r.cpu) / float64(max(1, r.requests)) }
func (r *result) cpuEvent() float64 {
	if r.events == 0 {
		return 0
	}
	return micros(r.cpu) / float64(r.events)
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// tally is what one connection has seen.
type tally struct {
	latency, firstText, lag, refused samples
	requests, events                 int
	errors                           int
	first                            error
}

// maxErrors end a connection's part of the load.
const maxErrors = 3

// do puts the load on.
func (r run) do() *result {
	request := r.shape.message(r.host, r.path, r.headers)
	forgetPeak(r.pids)
	out := &result{}
	before, busyBefore, ours := used(r.pids), busy(), used(r.others).cpu
	begun := time.Now()
	var next atomic.Int64
	tallies := make([]tally, r.conns)
	var wg sync.WaitGroup
	for i := range tallies {
		wg.Go(func() { r.ask(&tallies[i], request, begun, &next) })
	}
	late := time.AfterFunc(r.lasts*9/10, func() { out.steady = used(r.pids).rss })
	wg.Wait()
	late.Stop()
	lasted := time.Since(begun)
	after := used(r.pids)
	out.seconds, out.cpu, out.before, out.top = lasted.Seconds(), after.cpu-before.cpu, before.rss, after.peak
	foreign := busy() - busyBefore - (used(r.others).cpu - ours) - out.cpu
	out.foreign = max(0, foreign.Seconds()/lasted.Seconds())
	var all tally
	for i := range tallies {
		all.add(&tallies[i])
	}
	out.requests, out.events, out.errors, out.first = all.requests, all.events, all.errors, all.first
	out.refused = all.refused.quantiles()
	out.latency, out.firstText, out.lag = all.latency.quantiles(), all.firstText.quantiles(), all.lag.quantiles()
	return out
}

func (t *tally) add(o *tally) {
	t.latency, t.firstText, t.lag = append(t.latency, o.latency...), append(t.firstText, o.firstText...), append(t.lag, o.lag...)
	t.refused = append(t.refused, o.refused...)
	t.requests, t.events, t.errors = t.requests+o.requests, t.events+o.events, t.errors+o.errors
	if t.first == nil {
		t.first = o.first
	}
}

// ask is one connection's part of the load.
func (r *run) ask(t *tally, request []byte, begun time.Time, next *atomic.Int64) {
	c := &client{host: r.host, timeout: r.timeout}
	defer c.close()
	rd := new(reading)
	end := begun.Add(r.lasts)
	for t.errors < maxErrors {
		number := int(next.Add(1)) - 1
		at := time.Now()
		if r.rate > 0 {
			// An arrival counts from its own time on, also when no connection was free then. That the
			// timer is late does not count.
			arrival := begun.Add(time.Duration(float64(number) / r.rate * 1e9))
			if wait := arrival.Sub(at); wait > 0 && arrival.Before(end) {
				time.Sleep(wait)
				at = time.Now()
			} else {
				at = arrival
			}
		}
		if !at.Before(end) || r.most > 0 && number >= r.most || time.Now().After(end.Add(r.timeout)) {
			return
		}
		if err := r.one(c, request, rd, t, at, number%100 == 0); err != nil {
			t.errors++
			t.first = errors.Join(t.first, err)
		}
	}
}

// statusOverloaded is the Messages API's.
const statusOverloaded = 529

// one asks one request, which began at a time.
func (r *run) one(c *client, request []byte, rd *reading, t *tally, at time.Time, verify bool) error {
	frames := r.shape.Stream && r.shape.API == invokeAPI
	rd.reset(r.shape.Stream, frames, verify, &t.lag)
	reply, err := c.do(request, rd.take)
	if err != nil {
		return err
	}
	if reply.status == statusOverloaded && reply.retryAfter {
		t.refused.add(reply.end.Sub(at))
		return nil
	}
	if reply.status != 200 {
		return fmt.Errorf("status %d: %.300s", reply.status, reply.excerpt)
	}
	if verify {
		if err := rd.verify(r.shape.API, r.args, r.raw); err != nil {
			return err
		}
	}
	t.requests++
	t.events += rd.events
	t.latency.add(reply.end.Sub(at))
	if !rd.firstText.IsZero() {
		t.firstText.add(rd.firstText.Sub(at))
	}
	return nil
}
