package main

import (
	"fmt"
	"io"
	stdlog "log"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/logging"
)

// process is everything that a command sees of its process. Tests pass buffers and an environment of their own.
type process struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
}

// colours reports whether this process wants colours on a terminal: see https://no-color.org.
func (p process) colours() bool { return p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb" }

// openLog returns the log of a configuration on standard error. From now on package log writes to it, too: net/http
// uses package log for invalid input from clients and servers.
func (p process) openLog(cfg *config.Config) zerolog.Logger {
	log := logging.New(p.stderr, cfg.LogFormat, cfg.LogLevel, p.colours())
	stdlog.SetFlags(0)
	stdlog.SetOutput(logging.Library(log))
	return log
}

// loggedError is an error that is already in the log, so it is not printed.
type loggedError struct{ error }

func (e *loggedError) Unwrap() error { return e.error }

// usageError is an error in a command line. The exit code is exitUsage.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// usagef returns a *usageError.
func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}
