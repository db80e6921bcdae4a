package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the processor time of a process since it began, exact: /proc counts in ticks of 10 ms.
func cpuTime(pid int) time.Duration {
	const scheduled = 2 // CPUCLOCK_SCHED: the clock of a process is its id, inverted, and the kind
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &t); err != nil {
		return 0 // it has ended
	}
	return time.Duration(t.Nano())
}

// status is a line of /proc/PID/status in bytes: VmRSS, VmHWM.
func status(pid int, name string) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // of one that has ended: nothing
	_, after, _ := strings.Cut(string(text), "\n"+name+":")
	value, _, _ := strings.Cut(after, " kB")
	n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	return n << 10
}

// parent is the process that started another one.
func parent(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(fields[1])
	return n
}

// tree lists a process and all that descend from it.
func tree(root int) []int {
	parents := map[int]int{}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		pid, _ := strconv.Atoi(filepath.Base(folder))
		parents[pid] = parent(pid)
	}
	list := []int{root}
	for i := 0; i < len(list); i++ {
		for pid, of := range parents {
			if of == list[i] {
				list = append(list, pid)
			}
		}
	}
	return list
}

// usage is what processes have used.
type usage struct {
	cpu       time.Duration
	rss, peak int64 // bytes now, and the most since forgetPeak
}

func used(pids []int) (u usage) {
	for _, pid := range pids {
		u.cpu += cpuTime(pid)
		u.rss += status(pid, "VmRSS")
		u.peak += status(pid, "VmHWM")
	}
	return u
}

// forgetPeak has the peak of their memory begin anew.
func forgetPeak(pids []int) {
	for _, pid := range pids {
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0) // where it cannot be, the peak is that since the start
	}
}

// busy is the processor time that the machine has spent on anything.
func busy() (sum time.Duration) {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(line) {
		if i == 0 || i == 4 || i == 5 || i > 8 { // the name, idle, waiting for a disk, guests
			continue
		}
		ticks, _ := strconv.Atoi(field)
		sum += time.Duration(ticks) * 10 * time.Millisecond
	}
	return sum
}
