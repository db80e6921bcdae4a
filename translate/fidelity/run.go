package fidelity

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

// This file runs both measurements at scale.

// Run makes the round trips of n instances from the seed first on, and then damages as many writings of each
// kind as damaged says. It uses all processors. It writes its progress to w, and then the tables of damage in
// Markdown. Its error has an instance that did not arrive as meant, or the damaged calls that were changed
// silently.
func Run(w io.Writer, first, n uint64, damaged int) error {
	if err := runTrips(w, first, n); err != nil {
		return err
	}
	tallies, err := TallyAll(damaged)
	if err != nil {
		return err
	}
	for _, table := range Tables(tallies) {
		fmt.Fprintf(w, "\n%s\n", table)
	}
	return silentChange(tallies)
}

// runTrips makes the round trips of n instances from the seed start on.
func runTrips(w io.Writer, start, n uint64) error {
	const step = 50_000
	for first := start; first < start+n; first += step {
		end := min(first+step, start+n)
		if err := parallel(end-first, func(i uint64) error {
			if err := RoundTrip(first + i); err != nil {
				return fmt.Errorf("seed %d: %w", first+i, err)
			}
			return nil
		}); err != nil {
			return err
		}
		fmt.Fprintf(w, "%d of %d instances arrived as meant\n", end, n)
	}
	return nil
}

// mostInFormat is the most writings for one kind of damage. Most damage exists in many formats, so together
// they still damage enough writings.
const mostInFormat = 300

// TallyAll damages n writings of each kind.
func TallyAll(n int) ([]*Tally, error) {
	tallies := make([]*Tally, len(DamageKinds))
	err := parallel(uint64(len(DamageKinds)), func(i uint64) (err error) {
		tallies[i], err = TallyKind(&DamageKinds[i], 1, min(n, mostInFormat))
		return err
	})
	return tallies, err
}

// parallel calls do with 0 to n-1 on all processors, and returns the first error.
func parallel(n uint64, do func(uint64) error) error {
	var (
		next  atomic.Uint64
		wait  sync.WaitGroup
		once  sync.Once
		first error
	)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < n; i = next.Add(1) - 1 {
				if err := do(i); err != nil {
					once.Do(func() { first = err })
					return
				}
			}
		})
	}
	wait.Wait()
	return first
}

// silentChange returns an error with a call of each kind that was changed silently, or nil.
func silentChange(tallies []*Tally) (all error) {
	for _, t := range tallies {
		if t.Count[Changed] > 0 {
			all = errors.Join(all, fmt.Errorf("%s: %d changed silently, such as %s", t.Kind, t.Count[Changed], t.Changed))
		}
	}
	return all
}
