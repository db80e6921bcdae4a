package main

import (
	"os"
	"os/signal"
	"syscall"
)

// stopSignals are the signals that ask the program to stop.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// stopRequests returns a channel that gets each signal that asks the program to stop. From now on, until [signal.Stop], no
// such signal ends the program.
func stopRequests() chan os.Signal {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, stopSignals...)
	return signals
}

// hangUps returns a channel that gets a value after one or more SIGHUPs. From now on the signal does not end the
// program, not even during its shutdown.
func hangUps() <-chan os.Signal {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals
}
