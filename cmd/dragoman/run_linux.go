package main

import "syscall"

// endingWithParent asks the system to end a process together with its parent, because the server that it uses is then
// gone.
func endingWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
