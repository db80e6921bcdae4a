//go:build unix

package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// passedSignals are those that `run` passes on.
var passedSignals = []os.Signal{
	unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGWINCH, unix.SIGUSR1, unix.SIGUSR2,
}

// fromTerminal reports whether a signal is one that the terminal has sent to the command, too: it
// sends them to all processes in its foreground, of which the command is one if this is. The command
// has no process group of its own, since the others in a pipeline would not be in the foreground
// then, and a pager could not read its keys.
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
