package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// stopSignals are the signals that ask the program to stop.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// secondSignal returns a context that ends with the second signal from now on: the first one begins the drain, the
// second one ends it. Until then, or until stop is called, no signal ends the program at once.
func secondSignal() (ctx context.Context, stop func()) {
	signals := make(chan os.Signal, len(stopSignals))
	signal.Notify(signals, stopSignals...)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer signal.Stop(signals)
		for range 2 { // main also gets the first one, which begins the drain
			select {
			case <-signals:
			case <-ctx.Done():
				return
			}
		}
		signal.Stop(signals) // before anybody learns of the second, so that a third one ends the program
		cancel()
	}()
	return ctx, cancel
}

// hangUps returns a channel that gets a value after one or more SIGHUPs. From now on the signal does not end the
// program, not even during its shutdown.
func hangUps() <-chan os.Signal {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals
}
