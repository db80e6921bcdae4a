package main

import (
	"math"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"

	"dragoman/cmd/dragoman/internal/config"
)

// The trees are those of hosts and containers, with version 1 and 2 of control groups.
func TestContainerMemory(t *testing.T) {
	const unbounded = "9223372036854771712\n" // of version 1
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no Linux", nil, 0},
		{"version 2, in a container", map[string]string{
			"proc/self/cgroup":         "0::/\n",
			"sys/fs/cgroup/memory.max": "536870912\n",
		}, 512 << 20},
		{"version 2, no limit", map[string]string{
			"proc/self/cgroup":         "0::/\n",
			"sys/fs/cgroup/memory.max": "max\n",
		}, 0},
		{"version 2, a service of systemd", map[string]string{
			"proc/self/cgroup": "0::/system.slice/dragoman.service\n",
			"sys/fs/cgroup/system.slice/dragoman.service/memory.max": "268435456\n",
			"sys/fs/cgroup/system.slice/memory.max":                  "max\n",
		}, 256 << 20},
		{"version 2, a limit of the group above", map[string]string{
			"proc/self/cgroup":                            "0::/pod/container\n",
			"sys/fs/cgroup/pod/container/memory.max":      "max\n",
			"sys/fs/cgroup/pod/memory.max":                "134217728\n",
			"sys/fs/cgroup/pod/container/memory.swap.max": "1\n",
		}, 128 << 20},
		{"version 2, the path of the host", map[string]string{
			"proc/self/cgroup":         "0::/kubepods.slice/pod1/container2\n",
			"sys/fs/cgroup/memory.max": "536870912\n",
		}, 512 << 20},
		{"version 1, in a container", map[string]string{
			"proc/self/cgroup":                           "3:cpu,cpuacct:/docker/ab\n2:memory:/docker/ab\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n",
		}, 512 << 20},
		{"version 1, no limit", map[string]string{
			"proc/self/cgroup":                           "2:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": unbounded,
		}, 0},
		{"version 1, the least", map[string]string{
			"proc/self/cgroup": "2:memory:/a/b\n",
			"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "536870912\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes":   "268435456\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     unbounded,
		}, 256 << 20},
		{"nonsense", map[string]string{
			"proc/self/cgroup":         "memory\n0::../..\n",
			"sys/fs/cgroup/memory.max": "much\n",
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for name, text := range tt.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := containerMemory(root); got != tt.want {
				t.Errorf("%d bytes, want %d", got, tt.want)
			}
		})
	}
}

// Go takes what the container has but for a tenth, unless GOMEMLIMIT says something else; the
// bodies are bounded by the lower of both.
func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	container := fstest.MapFS{
		"proc/self/cgroup":         {Data: []byte("0::/\n")},
		"sys/fs/cgroup/memory.max": {Data: []byte("1000000000\n")},
	}
	for _, tt := range []struct {
		name          string
		root          fstest.MapFS
		variable      string
		limit         int64 // of the runtime, which reads the variable itself
		want, applies int64
	}{
		{"no limit", nil, "", math.MaxInt64, 0, math.MaxInt64},
		{"a container", container, "", math.MaxInt64, 900_000_000, 900_000_000},
		{"a variable", nil, "500MB", 500_000_000, 500_000_000, 500_000_000},
		{"both", container, "500MB", 500_000_000, 500_000_000, 500_000_000},
		{"switched off in a container", container, "off", math.MaxInt64, 900_000_000, math.MaxInt64},
	} {
		debug.SetMemoryLimit(tt.limit)
		got := limitMemory(tt.root, func(string) string { return tt.variable })
		if applies := debug.SetMemoryLimit(-1); got != tt.want || applies != tt.applies {
			t.Errorf("%s: %d, and Go's %d; want %d, %d", tt.name, got, applies, tt.want, tt.applies)
		}
	}
}

// The limits of the file hold, and the log says which ones do.
func TestServeLimits(t *testing.T) {
	server := start(t, nil, "--config", write(t, "dragoman.yaml", `
upstreams: {sim: {kind: simulated}}
models: [{name: "*", upstream: sim}]
limits: {max_concurrent: 7, max_inflight_bytes: 1000}`))
	server.await(t, `"max_inflight_bytes":1000,"max_concurrent":7`)
	if response := post(t, client, server.url, strings.Repeat(" ", 1001)); response.StatusCode != 413 {
		t.Errorf("a body that is longer than all may be: %s", response.Status)
	}
}

// The bodies have an eighth of the memory, unless the file says something else.
func TestBoundBodies(t *testing.T) {
	for _, tt := range []struct{ configured, memory, want int64 }{{0, 512 << 20, 64 << 20}, {1000, 512 << 20, 1000}, {0, 0, 0}} {
		cfg := &config.Config{MaxInflightBytes: tt.configured}
		if boundBodies(cfg, tt.memory); cfg.MaxInflightBytes != tt.want {
			t.Errorf("%d bytes of %d, configured %d", cfg.MaxInflightBytes, tt.memory, tt.configured)
		}
	}
}

// Exchanges leave descriptors to the operators' listener, unless the file says something else.
func TestBoundExchanges(t *testing.T) {
	for _, tt := range []struct{ configured, descriptors, want int64 }{{0, 256, 96}, {7, 256, 7}, {0, 1 << 20, (1<<20 - 128) / 2}} {
		cfg := &config.Config{MaxConcurrent: tt.configured}
		if boundExchanges(cfg, tt.descriptors); cfg.MaxConcurrent != tt.want {
			t.Errorf("%d exchanges with %d descriptors, configured %d", cfg.MaxConcurrent, tt.descriptors, tt.configured)
		}
	}
}
