// Package testcost sets how much work a test may do, and measures the cost of code.
//
// The properties hold for more cases than make test has time for, above all with the race detector.
// DRAGOMAN_LONG sets how many cases the tests take: without it, make test takes a few; with "some",
// .ci/run takes more; with any other value, make fidelity takes all.
package testcost

import (
	"math"
	"os"
	"runtime"
	"time"
)

// Cases returns how many cases, bytes or tries a test takes, or the step between cases: brief in
// make test, long in make fidelity, and their geometric mean in .ci/run.
func Cases(brief, long int) int {
	switch os.Getenv("DRAGOMAN_LONG") {
	case "":
		return brief
	case "some":
		return int(math.Sqrt(float64(brief) * float64(long)))
	}
	return long
}

// Long reports whether tests take all cases.
func Long() bool { return Cases(0, 1) == 1 }

// Ratio returns how many times as much processor time large takes as small. Work of less than 0.2 ms counts as 0.2 ms.
// Because the machine may be busy, Ratio tries up to ten times, until the ratio is at most enough.
func Ratio(enough float64, small, large func()) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cost := func(work func()) float64 {
		began := CPUTime()
		work()
		return float64(max(CPUTime()-began, 200*time.Microsecond))
	}
	var ratio float64
	for range 10 {
		if ratio = cost(large) / cost(small); ratio <= enough {
			break
		}
	}
	return ratio
}
