package main

import (
	"fmt"
	"io"
)

// process is all that a command sees of the process that it runs in. Tests pass buffers
// and an environment of their own.
type process struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
}

// usageError says what is wrong with a command line. The exit code is exitUsage.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// usagef returns a *usageError.
func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}
