package proxy

import (
	"context"
	"fmt"
	"time"
)

// Timeouts bound the parts of an exchange. A zero takes the default.
type Timeouts struct {
	FirstByte  time.Duration // from asking the upstream until it accepts; 10 min
	Idle       time.Duration // between two chunks of the upstream; 5 min
	Total      time.Duration // from asking the upstream until the end; 60 min
	WriteStall time.Duration // for the client to take what was written; 60 s
}

// The names of the time-outs in the configuration, below timeouts.
const (
	firstByteTimeout = "first_byte"
	idleTimeout      = "idle"
	totalTimeout     = "total"
)

// expire cancels after a time-out.
func cancelAfter(cancel context.CancelCauseFunc, name string, limit time.Duration) *time.Timer {
	return time.AfterFunc(limit, func() { cancel(&timeoutError{name, limit}) })
}

// timeoutError says that an upstream was too slow.
type timeoutError struct {
	name  string // in the configuration, below timeouts
	limit time.Duration
}

func (e *timeoutError) Error() string {
	return fmt.Sprintf("the upstream took too long: timeouts.%s is %v", e.name, e.limit)
}
