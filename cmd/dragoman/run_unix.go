//go:build unix

package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// passedSignals are the signals that `run` passes on.
var passedSignals = []os.Signal{
	unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGWINCH, unix.SIGUSR1, unix.SIGUSR2,
}

// fromTerminal reports whether the terminal has sent the signal to the command, too: it sends signals to all processes
// in its foreground, which include the command if they include this process. The command has no process group of its
// own: the other processes of a pipeline would then not be in the foreground, and a pager could not read its keys.
func fromTerminal(s os.Signal) bool {
	if s != unix.SIGINT && s != unix.SIGQUIT && s != unix.SIGWINCH {
		return false
	}
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false // there is none
	}
	defer terminal.Close()
	foreground, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && foreground == syscall.Getpgrp()
}
