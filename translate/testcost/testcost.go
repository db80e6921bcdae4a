// Package testcost says how much work a test may do, and measures what code costs.
//
// The properties hold for more cases than make test has time for, above all under the race
// detector. There they hold for some of the cases; make fidelity and .ci/run, which set
// DRAGOMAN_LONG, hold them for all.
package testcost

import "os"

// Cases returns how many cases, bytes or tries a test takes: brief in make test, and long where
// DRAGOMAN_LONG is set.
func Cases(brief, long int) int {
	if Long() {
		return long
	}
	return brief
}

// Long reports whether DRAGOMAN_LONG is set, so that properties hold for all their cases.
func Long() bool { return os.Getenv("DRAGOMAN_LONG") != "" }
