package main

import (
	"slices"
	"time"
)

// samples are durations in units of 100 ns. All are kept, so that quantiles are exact: the differences
// that are looked for are small beside what they are differences of.
type samples []uint32

// maxSamples bounds them; what is beyond is dropped.
const maxSamples = 1 << 23

func (s *samples) add(d time.Duration) {
	if len(*s) < maxSamples {
		*s = append(*s, uint32(min(max(d, 0)/100, 1<<32-1)))
	}
}

// quantiles are in microseconds.
type quantiles struct {
	N                    int
	P50, P90, P99, P99_9 float64
}

// quantiles sorts the samples.
func (s samples) quantiles() quantiles {
	if len(s) == 0 {
		return quantiles{}
	}
	slices.Sort(s)
	at := func(p float64) float64 { return float64(s[min(int(p*float64(len(s))), len(s)-1)]) / 10 }
	return quantiles{len(s), at(.5), at(.9), at(.99), at(.999)}
}
