package serve

import (
	"math"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"dragoman/cmd/dragoman/internal/config"
)

// softShare is the part of the container's memory that Go may take before the garbage
// collector works harder, in percent. The rest is for what Go does not count: buffers of
// connections, the program itself.
const softShare = 90

// LimitMemory sets the memory limit of the Go runtime from that of the control groups of the process, unless
// GOMEMLIMIT says what it is to be. It returns the lower of both; 0 if there is neither.
func LimitMemory(container memlimit.Provider, getenv func(string) string) int64 {
	limit := debug.SetMemoryLimit(-1) // a negative one only asks
	if bytes, err := container(); err == nil && bytes < math.MaxInt64 {
		soft := int64(bytes) / 100 * softShare
		if getenv("GOMEMLIMIT") == "" {
			debug.SetMemoryLimit(soft)
		}
		limit = min(limit, soft)
	}
	if limit == math.MaxInt64 {
		return 0
	}
	return limit
}

// Bound sets the limits that the configuration leaves open, for a process that has so much memory.
func Bound(cfg *config.Config, memory int64) {
	boundBodies(cfg, memory)
	boundExchanges(cfg, descriptors())
}

// boundBodies sets limits.max_inflight_bytes, where the file does not, for a process with
// so much memory. To answer requests of agents takes three to four times the length of their
// bodies, and whatever a body holds, at most eight times (docs/how-to/sizing.md#memory).
func boundBodies(cfg *config.Config, memory int64) {
	if cfg.MaxInflightBytes == 0 && memory > 0 {
		cfg.MaxInflightBytes = memory / 4
		cfg.Derive("limits.max_inflight_bytes", "the memory of the process")
	}
}

// boundExchanges sets limits.max_concurrent, where the file does not, for a process that may open
// so much: each exchange may need a connection to an upstream. Over HTTP/2 one connection of a
// client has hundreds of them, and with on_disconnect: drain they outlast it.
func boundExchanges(cfg *config.Config, descriptors int64) {
	if cfg.MaxConcurrent == 0 {
		cfg.MaxConcurrent, _ = connectionLimits(descriptors)
		cfg.Derive("limits.max_concurrent", "the descriptors of the process")
	}
}
