package testcost

import (
	"syscall"
	"time"
	"unsafe"
)

// CPUTime returns the processor time of this thread, so other programs do not count. The caller
// must have locked the thread.
func CPUTime() time.Duration {
	const threadCPUTime = 3 // CLOCK_THREAD_CPUTIME_ID, clock_gettime(2)
	var ts syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPUTime, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano())
}
