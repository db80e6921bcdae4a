//go:build !linux

package proxy

import "time"

var epoch = time.Now()

func cpuTime() time.Duration { return time.Since(epoch) }
