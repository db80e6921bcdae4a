package proxy

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// Timeouts bound the parts of an exchange. A zero stands for the default.
type Timeouts struct {
	FirstByte  time.Duration // from the call of an upstream until its first piece of an answer; 10 min
	Idle       time.Duration // between two pieces of the upstream's answer; 5 min
	Total      time.Duration // from the first call of an upstream until the end; 60 min
	WriteStall time.Duration // for the client to take what was written; 60 s
	// EarlyCommit is how long a stream waits for its first event before the status line goes out
	// without one, where the client's API allows that; 0 for as long as it takes.
	EarlyCommit time.Duration
}

// DefaultTimeouts are those of a server that is told none.
var DefaultTimeouts = Timeouts{FirstByte: 10 * time.Minute, Idle: 5 * time.Minute, Total: time.Hour, WriteStall: time.Minute}

func (t Timeouts) withDefaults() Timeouts {
	return Timeouts{
		FirstByte:  cmp.Or(t.FirstByte, DefaultTimeouts.FirstByte),
		Idle:       cmp.Or(t.Idle, DefaultTimeouts.Idle),
		Total:      cmp.Or(t.Total, DefaultTimeouts.Total),
		WriteStall: cmp.Or(t.WriteStall, DefaultTimeouts.WriteStall),

		EarlyCommit: t.EarlyCommit,
	}
}

// The names of the timeouts in the configuration, below timeouts.
const (
	firstByteTimeout = "first_byte"
	idleTimeout      = "idle"
	totalTimeout     = "total"
)

// timeoutError says that an upstream was too slow.
type timeoutError struct {
	name  string // in the configuration, below timeouts
	limit time.Duration
}

func (e *timeoutError) Error() string {
	return fmt.Sprintf("the upstream took too long: timeouts.%s is %v", e.name, e.limit)
}

// cancelAfter calls cancel with a timeoutError when the limit has passed, unless the
// timer is stopped before.
func cancelAfter(cancel context.CancelCauseFunc, name string, limit time.Duration) *time.Timer {
	return time.AfterFunc(limit, func() { cancel(&timeoutError{name, limit}) })
}
