// Package readahead reads a stream ahead into a buffer that its caller looks at in place.
// It is what [bufio.Reader] is, but for a reader of parts of any length: a part that lies
// whole in the buffer is not copied, and one that does not makes the buffer grow.
package readahead

import "io"

// The sizes of a buffer, in bytes, until a part does not fit. Most streams are slow, and a few
// events are all that one read brings: a buffer is small until a read has filled it. One read of a
// response's body returns no more than the connection's own buffer holds, which is 4 KiB.
const least, most = 512, 4 << 10

// A Buffer holds what was read of a stream and not yet taken.
type Buffer struct {
	r   io.Reader
	buf []byte // nil until the first Fill
	pos int    // buf[:pos] has been taken
	err error  // of r: there is no more to read
}

// New returns an empty buffer for the stream r.
func New(r io.Reader) *Buffer { return &Buffer{r: r} }

// Bytes returns what was read and not taken. It is valid until Fill.
func (b *Buffer) Bytes() []byte { return b.buf[b.pos:] }

// Take takes the first n bytes of Bytes.
func (b *Buffer) Take(n int) { b.pos += n }

// Fill reads more behind what has not been taken, waiting for it if need be. It returns
// nil if there is more, and else the error of the stream. The buffer at most doubles: its
// memory grows with what has arrived.
func (b *Buffer) Fill() error {
	rest := b.buf[b.pos:]
	size := max(cap(b.buf), least)
	switch {
	case len(rest) == 0 && size > most: // behind a part that was long
		size = most
	case len(rest) == size, len(b.buf) == size && size < most: // it is too small for a part, or for a read
		size *= 2
	}
	if size != cap(b.buf) {
		b.buf = append(make([]byte, 0, size), rest...)
	} else {
		b.buf = b.buf[:copy(b.buf, rest)]
	}
	b.pos = 0
	for empty := 0; b.err == nil; empty++ {
		if empty == maxEmpty {
			return io.ErrNoProgress
		}
		var n int
		n, b.err = b.r.Read(b.buf[len(b.buf):cap(b.buf)])
		if b.buf = b.buf[:len(b.buf)+n]; n > 0 {
			return nil
		}
	}
	return b.err
}

// maxEmpty is how many reads in a row may bring nothing.
const maxEmpty = 100
