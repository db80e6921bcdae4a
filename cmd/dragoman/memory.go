package main

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"dragoman/cmd/dragoman/internal/config"
)

// softShare is the part of the container's memory that Go may take before the garbage
// collector works harder, in percent. The rest is for what Go does not count: buffers of
// connections, the program itself.
const softShare = 90

// limitMemory sets the memory limit of the Go runtime from that of the container, unless
// GOMEMLIMIT says what it is to be. It returns the lower of both; 0 if there is neither.
func limitMemory(root fs.FS, getenv func(string) string) int64 {
	limit := debug.SetMemoryLimit(-1) // a negative one only asks
	if container := containerMemory(root); container > 0 {
		soft := container / 100 * softShare
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

// loadFor is load for a process that has so much memory.
func loadFor(p process, load loading, memory int64, running *config.Config) (*config.Config, error) {
	cfg, err := load(p, running)
	if err == nil {
		boundBodies(cfg, memory)
		boundExchanges(cfg, descriptors())
	}
	return cfg, err
}

// boundBodies sets limits.max_inflight_bytes, where the file does not, for a process with
// so much memory. Whatever the bodies hold, to answer them takes at most eight times their
// length (docs/sizing.md#memory).
func boundBodies(cfg *config.Config, memory int64) {
	if cfg.MaxInflightBytes == 0 && memory > 0 {
		cfg.MaxInflightBytes = memory / 8
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

// containerMemory returns the bytes that the control groups of this process may have, 0 if
// there is no limit. root is the root of the file system.
//
// A group is below others, whose limits hold, too. In a container the path that the kernel
// tells may be that of the host, which is not there: then the limit is in the group at the
// root of the mount.
func containerMemory(root fs.FS) int64 {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0 // no Linux
	}
	least := int64(math.MaxInt64)
	for line := range strings.Lines(string(groups)) {
		// hierarchy:controllers:path, with neither number nor controllers for version 2 (cgroups(7)).
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		mount, file := "sys/fs/cgroup", "memory.max"
		if fields[1] == "memory" {
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if fields[1] != "" {
			continue
		}
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			if limit := readLimit(root, path.Join(mount, group, file)); limit > 0 {
				least = min(least, limit)
			}
			if group == "/" {
				break
			}
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// readLimit returns the number in a file, 0 if there is none or it stands for no limit:
// "max", or of version 1 the largest number of pages.
func readLimit(root fs.FS, name string) int64 {
	const noLimit = 1 << 60
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	limit, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil || limit >= noLimit {
		return 0
	}
	return limit
}

// hostRoot is the file system in which the limits of the process are found.
func hostRoot() fs.FS { return os.DirFS("/") }
