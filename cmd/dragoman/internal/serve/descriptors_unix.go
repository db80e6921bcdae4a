//go:build unix

package serve

import "syscall"

// descriptors returns how many files and connections the process may have open.
func descriptors() int64 {
	const most = 1 << 20 // a larger limit is as good as none
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1024
	}
	return int64(min(uint64(limit.Cur), most))
}
