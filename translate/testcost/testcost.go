// Package testcost says how much work a test may do, and measures what code costs.
//
// The properties hold for more cases than make test has time for, above all under the race
// detector. DRAGOMAN_LONG says how many cases the tests take: with none, make test takes a few; with
// "some", .ci/run takes more; with any other value, make fidelity takes all.
package testcost

import (
	"math"
	"os"
)

// Cases returns how many cases, bytes or tries a test takes, or the step from one case to the next: brief in make
// test, long in make fidelity, and the geometric mean of both in .ci/run.
func Cases(brief, long int) int {
	switch os.Getenv("DRAGOMAN_LONG") {
	case "":
		return brief
	case "some":
		return int(math.Sqrt(float64(brief) * float64(long)))
	}
	return long
}

// Long reports whether properties hold for all their cases.
func Long() bool { return Cases(0, 1) == 1 }
