// Package framing refuses requests of HTTP/1 about whose end two servers could disagree: what the
// one in front takes for a body would be a request to the other (RFC 9112, section 11.2). net/http
// reads some of them with good will: a Content-Length beside a Transfer-Encoding is ignored, lines
// may end without CR, and a field may go on in the next line.
//
// The package only looks at what passes. It reads heads and the sizes of chunks, and counts the
// bytes of bodies. What it lets pass it frames as net/http does; where they would differ, it
// refuses.
package framing

import (
	"bytes"
	"errors"
	"strconv"
)

// ErrAmbiguous is what is read in place of the rest of a request that is refused. net/http answers it
// in a head with 400, and closes the connection: a request whose end has not come is never served.
var ErrAmbiguous = errors.New("framing: the request could be read in two ways")

// line is a kind of line. Bodies stand between them.
type line uint8

// The kinds of lines.
const (
	requestLine line = iota
	field
	chunkSize // and extensions, which are passed over
	chunkEnd  // an empty line after the data of a chunk
	trailer
	notHTTP1 // not a line: HTTP/2, to the end of the connection
)

// watch follows what a client sends over one connection. The zero value is at its beginning.
type watch struct {
	kind line  // of the line that is being read
	left int64 // bytes of a body or a chunk before that line

	text  [128]byte // the beginning of the line
	n     int       // its length so far, without the end
	tail  uint64    // its last eight bytes
	cr    bool      // CR was the last byte
	other bool      // the connection did not begin with preface
	total int       // bytes so far, while they may be preface

	modern  bool  // the request is of HTTP/1.1
	length  int64 // its Content-Length; -1 if it has none
	chunked bool  // it has a Transfer-Encoding
}

// follow looks at the next bytes and returns how many of them may be read. The error is ErrAmbiguous,
// and ends the connection.
func (w *watch) follow(p []byte) (n int, err error) {
	for n < len(p) {
		switch {
		case w.kind == notHTTP1:
			return len(p), nil
		case w.left > 0:
			skipped := min(w.left, int64(len(p)-n))
			w.left -= skipped
			n += int(skipped)
		default:
			if err := w.add(p[n]); err != nil {
				return n, err
			}
			w.comparePreface(p[n])
			n++
		}
	}
	return n, nil
}

// add reads one byte of a line.
func (w *watch) add(b byte) error {
	folded := w.n == 0 && (b == ' ' || b == '\t') && (w.kind == field || w.kind == trailer)
	switch {
	case b == '\n' && w.cr:
		err := w.endLine()
		w.n, w.cr, w.tail = 0, false, 0
		return err
	case b == '\n' || w.cr || folded:
		return ErrAmbiguous
	case b == '\r':
		w.cr = true
	default:
		if w.n < len(w.text) {
			w.text[w.n] = b
		}
		w.n++
		w.tail = w.tail<<8 | uint64(b)
	}
	return nil
}

// preface is what a connection of HTTP/2 begins with. As lines of HTTP/1 they are in order.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// comparePreface finds out whether the connection is one of HTTP/2, which frames its requests
// without doubt.
func (w *watch) comparePreface(b byte) {
	if w.other = w.other || preface[w.total] != b; w.other {
		return
	}
	if w.total++; w.total == len(preface) {
		w.kind = notHTTP1
	}
}

// http11 is the end of a request line of HTTP/1.1, as tail has it.
const http11 = 'H'<<56 | 'T'<<48 | 'T'<<40 | 'P'<<32 | '/'<<24 | '1'<<16 | '.'<<8 | '1'

// endLine decides what a line means and which one follows.
func (w *watch) endLine() error {
	switch w.kind {
	case requestLine:
		w.kind, w.length, w.chunked, w.modern = field, -1, false, w.tail == http11
	case field:
		if w.n > 0 {
			return w.readField()
		}
		if w.kind = requestLine; w.chunked {
			w.kind = chunkSize
		} else {
			w.left = max(0, w.length)
		}
	case chunkSize:
		return w.readChunkSize()
	case chunkEnd:
		if w.n > 0 {
			return ErrAmbiguous
		}
		w.kind = chunkSize
	case trailer:
		if w.n == 0 {
			w.kind = requestLine
		}
	}
	return nil
}

// readField reads a field of the head, if it says where the body ends: at most one does.
func (w *watch) readField() error {
	name, value, _ := bytes.Cut(w.text[:min(w.n, len(w.text))], []byte(":"))
	isLength, isEncoding := bytes.EqualFold(name, []byte("Content-Length")), bytes.EqualFold(name, []byte("Transfer-Encoding"))
	if !isLength && !isEncoding {
		return nil
	}
	if w.length >= 0 || w.chunked || w.n > len(w.text) {
		return ErrAmbiguous
	}
	value = bytes.Trim(value, " \t")
	if isEncoding {
		w.chunked = true
		if !w.modern || !bytes.EqualFold(value, []byte("chunked")) {
			return ErrAmbiguous
		}
		return nil
	}
	return parse(value, 10, &w.length)
}

// readChunkSize reads the line before the data of a chunk.
func (w *watch) readChunkSize() error {
	size := w.text[:min(w.n, len(w.text))]
	if end := bytes.IndexAny(size, "; \t"); end >= 0 {
		size = size[:end]
	} else if w.n > len(w.text) {
		return ErrAmbiguous
	}
	if err := parse(size, 16, &w.left); err != nil {
		return err
	}
	if w.kind = chunkEnd; w.left == 0 {
		w.kind = trailer
	}
	return nil
}

// parse reads a number of digits alone.
func parse(digits []byte, base int, dst *int64) (err error) {
	n, err := strconv.ParseUint(string(digits), base, 63)
	if err != nil {
		return ErrAmbiguous
	}
	*dst = int64(n)
	return nil
}
