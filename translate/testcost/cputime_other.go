//go:build !linux

package testcost

import "time"

var epoch = time.Now()

// CPUTime returns the elapsed time, because this system does not report the thread's processor
// time.
func CPUTime() time.Duration { return time.Since(epoch) }
