package proxy

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
)

// body reads the whole body of the request, unpacked. It has to be read to its
// end: only then does the server watch the connection for a client that leaves.
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

// readAll reads a body to its end, of which the announced length may be right, or -1;
// nil if it is longer than limit. It takes twice the memory of what has come, not of
// what was announced.
func readAll(r io.Reader, announced, limit int64) ([]byte, error) {
	const least, most = 4 << 10, 1 << 20
	pieces := [][]byte{make([]byte, 0, min(max(announced, least), most)+1)} // one more, to see the end
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

// bodyError says what is wrong with a body that could not be read.
func (x *exchange) bodyError(err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded): // which ends the context as if the client had left
		return &failure{status: http.StatusRequestTimeout, typ: typeTimeout, message: "the body of the request took too long to arrive"}
	case x.r.Context().Err() != nil:
		return causeOr(x.r.Context(), err)
	case errors.As(err, &large):
		return bodyTooLarge(large.Limit)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return invalidRequest("the body is not what its Content-Encoding says: gzip")
	}
	return invalidRequest("the body of the request could not be read to its end")
}

// counter counts what is read through it.
type byteCounter struct {
	r io.Reader
	n int64
}

func (c *byteCounter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
