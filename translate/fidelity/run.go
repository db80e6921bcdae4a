package fidelity

import (
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

// This file runs both measurements at scale.

// Run makes the round trip of n instances, and then damages as many writings for each kind as damaged says.
// It uses all processors. It writes its progress to w, and then the tables of damage in Markdown. It
// returns the first error: an instance that did not arrive as meant, or a damaged call that was changed
// silently.
func Run(w io.Writer, n uint64, damaged int) error {
	if err := runTrips(w, n); err != nil {
		return err
	}
	tallies, err := TallyAll(damaged)
	if err != nil {
		return err
	}
	tags, others := FormatTables(tallies)
	fmt.Fprintf(w, "\n%s\n%s\n%s\n", Table(tallies), tags, others)
	return silentChange(tallies)
}

// runTrips makes the round trip of n instances.
func runTrips(w io.Writer, n uint64) error {
	const step = 50_000
	for first := uint64(0); first < n; first += step {
		end := min(first+step, n)
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

// mostInFormat is the most writings for one kind of damage in another maker's format. Most kinds of damage
// exist for many formats, so together they still damage enough writings.
const mostInFormat = 300

// TallyAll damages n writings for each kind.
func TallyAll(n int) ([]*Tally, error) {
	tallies := make([]*Tally, len(DamageKinds))
	err := parallel(uint64(len(DamageKinds)), func(i uint64) (err error) {
		k, n := &DamageKinds[i], n
		if k.Format != "" {
			n = min(n, mostInFormat)
		}
		tallies[i], err = TallyKind(k, 1, n)
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

// silentChange returns an error with a call that was changed silently, or nil.
func silentChange(tallies []*Tally) error {
	for _, t := range tallies {
		if t.Count[Changed] > 0 {
			return fmt.Errorf("%s%s: %d changed silently, such as %s", t.Kind.Name, t.Kind.inFormat(), t.Count[Changed], t.Changed)
		}
	}
	return nil
}
