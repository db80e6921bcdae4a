package serve

import (
	"math"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"dragoman/cmd/dragoman/internal/config"
)

// softShare is the percentage of the container's memory that Go may use before the garbage collector works harder. The
// rest is for memory that Go does not count: buffers of connections, and the program itself.
const softShare = 90

// LimitMemory sets the Go runtime's memory limit from the process's control groups, unless GOMEMLIMIT sets it. It
// returns the lower limit of the two; 0 if there is none.
func LimitMemory(container memlimit.Provider, getenv func(string) string) int64 {
	limit := debug.SetMemoryLimit(-1) // a negative value only reads the limit
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

// Bound sets the limits that the configuration leaves open, for a process with this much memory.
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

// boundExchanges sets limits.max_concurrent if the file does not, for a process with this many descriptors: each
// exchange may need a connection to an upstream. On HTTP/2, one client connection can have hundreds of exchanges, and
// with on_disconnect: drain they can outlast it.
func boundExchanges(cfg *config.Config, descriptors int64) {
	if cfg.MaxConcurrent == 0 {
		cfg.MaxConcurrent, _ = connectionLimits(descriptors)
		cfg.Derive("limits.max_concurrent", "the descriptors of the process")
	}
}
