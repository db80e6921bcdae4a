package chaos

import (
	"bytes"
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// kind is what goes wrong with the bytes that an upstream sends.
type kind string

const (
	latency   kind = "latency"    // nothing comes for 3 s, then all does
	drip      kind = "drip"       // from there on a byte comes each second
	slicer    kind = "slicer"     // from there on each byte comes alone
	reset     kind = "reset"      // the connection is reset
	halfClose kind = "half-close" // the upstream ends its side in good order, and goes on reading
	silence   kind = "silence"    // nothing comes any more, and the connection stays
	loss      kind = "loss"       // seven bytes are missing
	duplicate kind = "duplicate"  // what was sent at once comes twice
	garbage   kind = "garbage"    // a byte is another one
	leave     kind = "leave"      // nothing is wrong, but the client leaves
)

var kinds = []kind{latency, drip, slicer, reset, halfClose, silence, loss, duplicate, garbage, leave}

// pause is how long latency lasts.
const pause = 3 * time.Second

// connecting is the place of a fault that comes before the first byte of the answer. Other places
// are the numbers of writes of the upstream: 0 is the head of its response, each event is one.
const connecting = -1

// fault is what goes wrong on every connection to a host, in the middle of one of its writes.
type fault struct {
	kind  kind
	place int
	left  func() // has the client leave
}

// dial is the part of the fault that comes before there is a connection.
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

// faultyConn is the upstream's end of a connection, whose writes the fault befalls. With no fault it
// sends what it is given.
type faultyConn struct {
	duplex
	host   *host
	broken *atomic.Bool
	left   chan struct{} // closed when the other end is
	writes int
	after  func(p []byte) (int, error) // what becomes of the rest, once the fault has come
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

// befall does the fault to the rest of the write whole.
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

// wait lets time pass, while the other end is there.
func (c *faultyConn) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.left:
	}
}

// swallow loses all that is written.
func swallow(p []byte) (int, error) { return len(p), nil }

// slowly sends each byte alone, and waits after it.
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
