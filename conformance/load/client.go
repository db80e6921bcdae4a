package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// client is one connection of HTTP/1.1 that is kept, with little between the socket and the
// measurement: it knows when each byte was read.
type client struct {
	host    string
	timeout time.Duration
	conn    net.Conn
	r       *bufio.Reader
	read    time.Time // when the last bytes came
}

// Read is of [io.Reader].
func (c *client) Read(p []byte) (int, error) {
	n, err := c.conn.Read(p)
	c.read = time.Now()
	return n, err
}

func (c *client) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// reply is what one exchange gave.
type reply struct {
	status      int
	contentType string
	first, end  time.Time // when the first and the last byte of the body were read
	excerpt     []byte    // the beginning of a body whose status is not 200

	retryAfter bool // it has the header

	length  int
	chunked bool
	keep    bool
}

// do sends a request, and gives the body as it comes to take, with the time at which each piece was
// read.
func (c *client) do(request []byte, take func(piece []byte, t time.Time) error) (r reply, err error) {
	defer func() {
		if err != nil || !r.keep {
			c.close()
		}
	}()
	if c.conn == nil {
		if c.conn, err = net.DialTimeout("tcp", c.host, 5*time.Second); err != nil {
			return r, err
		}
		if c.r == nil {
			c.r = bufio.NewReaderSize(c, 4096)
		}
		c.r.Reset(c)
	}
	if err := c.conn.SetDeadline(time.Now().Add(c.timeout)); err != nil {
		return r, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return r, err
	}
	if err := c.head(&r); err != nil {
		return r, err
	}
	give := func(piece []byte) error {
		if r.first.IsZero() {
			r.first = c.read
		}
		if r.status != 200 && len(r.excerpt) < 300 {
			r.excerpt = append(r.excerpt, piece...)
		}
		return take(piece, c.read)
	}
	switch {
	case r.chunked:
		err = c.chunks(give)
	case r.length >= 0:
		err = c.exactly(r.length, give)
	default:
		if err = c.exactly(1<<62, give); err == io.EOF {
			err = nil
		}
	}
	r.end = c.read
	return r, err
}

// head reads the status line and the headers.
func (c *client) head(r *reply) error {
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return err
	}
	if len(line) < 12 {
		return fmt.Errorf("status line %q", line)
	}
	if r.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return err
	}
	r.length, r.keep = -1, true
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			r.keep = r.keep && (r.chunked || r.length >= 0)
			return nil
		}
		key, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(key, []byte("Content-Length")):
			if r.length, err = strconv.Atoi(string(value)); err != nil {
				return err
			}
		case bytes.EqualFold(key, []byte("Transfer-Encoding")):
			r.chunked = bytes.EqualFold(value, []byte("chunked"))
		case bytes.EqualFold(key, []byte("Connection")):
			r.keep = !bytes.EqualFold(value, []byte("close"))
		case bytes.EqualFold(key, []byte("Retry-After")):
			r.retryAfter = len(value) > 0
		case bytes.EqualFold(key, []byte("Content-Type")):
			r.contentType = string(value)
		}
	}
}

// exactly gives the next n bytes in pieces, as they come.
func (c *client) exactly(n int, give func([]byte) error) error {
	for n > 0 {
		if _, err := c.r.Peek(1); err != nil {
			return err
		}
		piece, err := c.r.Peek(min(n, c.r.Buffered()))
		if err == nil {
			err = give(piece)
		}
		if err != nil {
			return err
		}
		n -= len(piece)
		if _, err := c.r.Discard(len(piece)); err != nil {
			return err
		}
	}
	return nil
}

// chunks gives the content of a chunked body, and reads its end.
func (c *client) chunks(give func([]byte) error) error {
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		size, _, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(";"))
		n, err := strconv.ParseUint(string(size), 16, 31)
		if err != nil {
			return err
		}
		if err := c.exactly(int(n), give); err != nil {
			return err
		}
		for { // the end of the chunk, or trailers and an empty line
			line, err := c.r.ReadSlice('\n')
			if err != nil {
				return err
			}
			if len(bytes.TrimRight(line, "\r\n")) == 0 {
				break
			}
		}
		if n == 0 {
			return nil
		}
	}
}
