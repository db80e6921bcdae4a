package chaos

import (
	"bytes"
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// kind is what goes wrong with the bytes of an upstream.
type kind string

const (
	latency   kind = "latency"    // nothing arrives for 3 s, then everything
	drip      kind = "drip"       // from now on, one byte arrives each second
	slicer    kind = "slicer"     // from now on, each byte arrives alone
	reset     kind = "reset"      // the connection is reset
	halfClose kind = "half-close" // the upstream closes its side without an error, and continues to read
	silence   kind = "silence"    // nothing arrives any more, and the connection stays open
	loss      kind = "loss"       // seven bytes are missing
	duplicate kind = "duplicate"  // the bytes of one write arrive twice
	garbage   kind = "garbage"    // one byte is wrong
	leave     kind = "leave"      // there is no fault, but the client leaves
)

var kinds = []kind{latency, drip, slicer, reset, halfClose, silence, loss, duplicate, garbage, leave}

// pause is the length of latency.
const pause = 3 * time.Second

// connecting is the place of a fault before the first byte of the answer. Other places are numbers of the
// upstream's writes: 0 is the head of its response, and each event is one write.
const connecting = -1

// fault happens on every connection to a host, in the middle of one of its writes.
type fault struct {
	kind  kind
	place int
	left  func() // makes the client leave
}

// dial applies the part of the fault that comes before the connection.
func (f *fault) dial(ctx context.Context) error {
	if f == nil || f.place != connecting {
		return nil
	}
	switch f.kind {
	case latency:
		return sleep(ctx, pause)
	case silence:
		<-ctx.Done()
		return ctx.Err()
	case reset:
		return syscall.ECONNREFUSED
	case leave:
		f.left()
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// faultyConn is the upstream's end of a connection. It applies the fault to writes; without a fault, it sends
// them unchanged.
type faultyConn struct {
	duplex
	host   *host
	broken *atomic.Bool
	left   chan struct{} // closed when the other end is closed
	writes int
	after  func(p []byte) (int, error) // handles the rest once the fault has happened
}

// Write is called by one goroutine at a time.
func (c *faultyConn) Write(p []byte) (int, error) {
	f, number := c.host.fault, c.writes
	c.writes++
	c.host.writes = c.writes
	switch {
	case c.after != nil:
		return c.after(p)
	case f == nil || number != max(f.place, 0):
		return c.w.Write(p)
	}
	at := len(p) / 2
	switch f.place {
	case connecting:
		at = 0
	case 0:
		at = len("HTTP/1.1 2")
	}
	if _, err := c.w.Write(p[:at]); err != nil {
		return 0, err
	}
	if err := c.befall(p, p[at:]); err != nil {
		return at, err
	}
	return len(p), nil
}

// befall applies the fault to rest, the end of the write whole.
func (c *faultyConn) befall(whole, rest []byte) (err error) {
	switch c.host.fault.kind {
	case latency:
		if c.host.fault.place != connecting {
			c.wait(pause)
		}
	case drip:
		c.after = c.slowly(time.Second)
	case slicer:
		c.after = c.slowly(0)
	case reset:
		c.broken.Store(true)
		c.Close()
		return net.ErrClosed
	case halfClose:
		c.w.Close()
		c.after = swallow
	case silence:
		c.after = swallow
	case loss:
		rest = rest[min(7, len(rest)):]
	case duplicate:
		_, err = c.w.Write(append(bytes.Clone(rest), whole...))
		return err
	case garbage:
		rest = append([]byte{0xFF}, rest[1:]...)
	case leave:
		c.host.fault.left()
	}
	if c.after != nil {
		_, err = c.after(rest)
	} else {
		_, err = c.w.Write(rest)
	}
	return err
}

// wait lets time pass, as long as the other end is open.
func (c *faultyConn) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.left:
	}
}

// swallow drops everything.
func swallow(p []byte) (int, error) { return len(p), nil }

// slowly sends each byte alone, with a pause after it.
func (c *faultyConn) slowly(wait time.Duration) func([]byte) (int, error) {
	return func(p []byte) (int, error) {
		for i := range p {
			if _, err := c.w.Write(p[i : i+1]); err != nil {
				return i, err
			}
			c.wait(wait)
		}
		return len(p), nil
	}
}
