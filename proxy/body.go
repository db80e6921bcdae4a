package proxy

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"dragoman/proxy/framing"
	"dragoman/translate/messages"
)

// readBody returns the body of the request, unpacked. It is read to its end before
// anything else is done: only then does net/http watch the connection, and cancel the
// request's context when the client leaves.
func (x *exchange) readBody() ([]byte, error) {
	limit := x.s.bodyBytes
	if x.r.ContentLength > limit {
		return nil, bodyTooLarge(limit)
	}
	wire := &byteCounter{r: http.MaxBytesReader(x.w, x.r.Body, limit)}
	defer func() { x.record.BytesIn = wire.n }()

	var unpacked io.Reader = wire
	switch encoding := strings.ToLower(strings.TrimSpace(x.r.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		packed, err := gzip.NewReader(wire)
		if err != nil {
			return nil, x.bodyError(err)
		}
		unpacked = packed
	default:
		return nil, invalidRequest("Content-Encoding: only gzip is understood")
	}

	body, err := readAll(unpacked, x.r.ContentLength, limit)
	switch {
	case err != nil:
		return nil, x.bodyError(err)
	case body == nil:
		return nil, bodyTooLarge(limit)
	}
	return body, nil
}

// readAll reads a body to its end, and returns nil if it is longer than limit. The
// announced length, -1 for none, is only a hint: what is in memory is at most twice what
// has come, so that a client cannot reserve memory with a header.
func readAll(r io.Reader, announced, limit int64) ([]byte, error) {
	const least, most = 4 << 10, 1 << 20
	pieces := [][]byte{make([]byte, 0, min(max(announced, least), most)+1)} // a byte more, so that the first piece can see the end
	for size := int64(0); ; {
		last := &pieces[len(pieces)-1]
		n, err := r.Read((*last)[len(*last):cap(*last)])
		*last = (*last)[:len(*last)+n]
		switch size += int64(n); {
		case size > limit:
			return nil, nil
		case err == io.EOF && len(pieces) == 1:
			return *last, nil
		case err == io.EOF:
			return slices.Concat(pieces...), nil
		case err != nil:
			return nil, err
		}
		if len(*last) == cap(*last) {
			pieces = append(pieces, make([]byte, 0, min(max(size, least), most)))
		}
	}
}

// bodyError returns the error for the client when its body could not be read.
func (x *exchange) bodyError(err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, framing.ErrAmbiguous): // before the context, as the next
		return invalidRequest("the body of the request could not be read to its end")
	case errors.Is(err, os.ErrDeadlineExceeded): // before the context: net/http ends that too, as if the client had left
		return &failure{status: http.StatusRequestTimeout, typ: messages.ErrorTimeout, message: "the body of the request took too long to arrive"}
	case x.r.Context().Err() != nil:
		return causeOr(x.r.Context(), err)
	case errors.As(err, &large):
		return bodyTooLarge(large.Limit)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return invalidRequest("the body is not what its Content-Encoding says: gzip")
	}
	return invalidRequest("the body of the request could not be read to its end")
}

// byteCounter counts the bytes that are read through it.
type byteCounter struct {
	r io.Reader
	n int64
}

func (c *byteCounter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
