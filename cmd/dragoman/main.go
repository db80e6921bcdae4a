// Command dragoman serves the Messages API with tools in front of models that
// only complete text.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/proxy/nearest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals...)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once, unless the command waits for it
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// secondSignal returns a context that ends with the second signal from now on. Until
// then, or until stop, no signal ends the program at once.
func secondSignal() (ctx context.Context, stop func()) {
	signals := make(chan os.Signal, len(stopSignals))
	signal.Notify(signals, stopSignals...)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer signal.Stop(signals)
		for range 2 {
			select {
			case <-signals:
			case <-ctx.Done():
				return
			}
		}
		cancel()
	}()
	return ctx, cancel
}

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitConfig = 78
)

// process is what a command sees of the world.
type process struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
}

// usageError is a command line that makes no sense.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// run carries out one command line, the program's name left out, until it is
// done or ctx ends, and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	p := process{stdin, stdout, stderr, getenv}
	name := "help"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	if name == "-h" || name == "--help" || name == "-help" {
		name = "help"
	}
	for _, c := range commands() {
		if c.name == name {
			return exitCode(p, c.name, c.run(ctx, p, args))
		}
	}
	if name == "help" {
		return exitCode(p, name, help(p, args))
	}
	return exitCode(p, "help", unknownCommand(name))
}

// help prints the overview, or the help of the command that args names.
func help(p process, args []string) error {
	if len(args) == 0 {
		return overview(p.stdout)
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.help(p.stdout)
		}
	}
	return unknownCommand(args[0])
}

func unknownCommand(name string) error {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	if near := nearest.Word(name, names); near != "" {
		return usagef("unknown command %q; did you mean %q?", name, near)
	}
	return usagef("unknown command %q", name)
}

// exitCode tells the user of an error, and the shell its kind.
func exitCode(p process, command string, err error) int {
	var usage *usageError
	var problems config.Problems
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &usage):
		more := "dragoman " + command + " -h"
		if command == "help" {
			more = "dragoman help"
		}
		fmt.Fprintf(p.stderr, "dragoman: %v\nFor the usage: %s\n", err, more)
		return exitUsage
	case errors.As(err, &problems):
		fmt.Fprintf(p.stderr, "dragoman: the configuration cannot be used\n%v\n", err)
		return exitConfig
	default:
		fmt.Fprintf(p.stderr, "dragoman: %v\n", err)
		return exitFailed
	}
}
