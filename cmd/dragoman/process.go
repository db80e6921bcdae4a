package main

import (
	"fmt"
	"io"
	stdlog "log"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/logging"
)

// process is all that a command sees of the process that it runs in. Tests pass buffers
// and an environment of their own.
type process struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
}

// colours reports whether a terminal of this process is to have colours: see https://no-color.org.
func (p process) colours() bool { return p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb" }

// openLog returns the log of a configuration on standard error. Package log writes to it from now
// on, too: net/http has words of its own for clients and servers that make no sense.
func (p process) openLog(cfg *config.Config) zerolog.Logger {
	log := logging.New(p.stderr, cfg.LogFormat, cfg.LogLevel, p.colours())
	stdlog.SetFlags(0)
	stdlog.SetOutput(logging.Library(log))
	return log
}

// loggedError is an error that the log has: nothing is printed of it.
type loggedError struct{ error }

func (e *loggedError) Unwrap() error { return e.error }

// usageError says what is wrong with a command line. The exit code is exitUsage.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// usagef returns a *usageError.
func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}
