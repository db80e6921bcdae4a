//go:build !linux

package translate

import "time"

var epoch = time.Now()

func cpuTime() time.Duration { return time.Since(epoch) }
