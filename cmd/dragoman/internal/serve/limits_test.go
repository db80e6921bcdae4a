package serve

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"dragoman/cmd/dragoman/internal/config"
)

// Go may use nine tenths of the container's memory, unless GOMEMLIMIT is set. The lower limit of the two also limits
// the bodies.
func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	container := memlimit.Limit(1_000_000_000)
	none := func() (uint64, error) { return 0, memlimit.ErrNoLimit }
	for _, tt := range []struct {
		name          string
		container     memlimit.Provider
		variable      string
		limit         int64 // of the runtime, which reads the variable itself
		want, applies int64
	}{
		{"no limit", none, "", math.MaxInt64, 0, math.MaxInt64},
		{"a container", container, "", math.MaxInt64, 900_000_000, 900_000_000},
		{"a variable", none, "500MB", 500_000_000, 500_000_000, 500_000_000},
		{"both", container, "500MB", 500_000_000, 500_000_000, 500_000_000},
		{"switched off in a container", container, "off", math.MaxInt64, 900_000_000, math.MaxInt64},
	} {
		debug.SetMemoryLimit(tt.limit)
		got := LimitMemory(tt.container, func(string) string { return tt.variable })
		if applies := debug.SetMemoryLimit(-1); got != tt.want || applies != tt.applies {
			t.Errorf("%s: %d, and Go's %d; want %d, %d", tt.name, got, applies, tt.want, tt.applies)
		}
	}
}

// The bodies get a quarter of the memory, unless the file sets a limit.
func TestBoundBodies(t *testing.T) {
	for _, tt := range []struct{ configured, memory, want int64 }{{0, 512 << 20, 128 << 20}, {1000, 512 << 20, 1000}, {0, 0, 0}} {
		cfg := &config.Config{Limits: config.Limits{MaxInflightBytes: tt.configured}}
		if boundBodies(cfg, tt.memory); cfg.MaxInflightBytes != tt.want {
			t.Errorf("%d bytes of %d, configured %d", cfg.MaxInflightBytes, tt.memory, tt.configured)
		}
	}
}

// Exchanges leave descriptors for the admin listener, unless the file sets a limit.
func TestBoundExchanges(t *testing.T) {
	for _, tt := range []struct{ configured, descriptors, want int64 }{{0, 256, 96}, {7, 256, 7}, {0, 1 << 20, (1<<20 - 128) / 2}} {
		cfg := &config.Config{Limits: config.Limits{MaxConcurrent: tt.configured}}
		if boundExchanges(cfg, tt.descriptors); cfg.MaxConcurrent != tt.want {
			t.Errorf("%d exchanges with %d descriptors, configured %d", cfg.MaxConcurrent, tt.descriptors, tt.configured)
		}
	}
}
