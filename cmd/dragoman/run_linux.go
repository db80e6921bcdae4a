package main

import "syscall"

// endingWithParent asks the system to end a process with the one that began it: the address that it
// was pointed to is gone.
func endingWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
