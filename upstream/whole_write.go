package upstream

import (
	"context"
	"io"
	"net"
)

// dial is a function that connects, as in [http.Transport].
type dial func(ctx context.Context, network, address string) (net.Conn, error)

// wholeWrites returns a dial whose connections take what is left of a body in memory in one write. The
// transport says how long the body is, by an [io.LimitedReader], and so hides that it could be written at
// once: it would be copied through a buffer of 32 KB that is made for each request.
func (d dial) wholeWrites(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return wholeWriter{conn}, nil
}

// wholeWriter is a connection of wholeWrites.
type wholeWriter struct{ net.Conn }

// ReadFrom writes what r has to the connection.
func (w wholeWriter) ReadFrom(r io.Reader) (int64, error) {
	if limited, ok := r.(*io.LimitedReader); ok {
		if body, ok := limited.R.(io.WriterTo); ok {
			return body.WriteTo(&limitedWriter{w.Conn, limited})
		}
	}
	return io.Copy(struct{ io.Writer }{w.Conn}, r)
}

// limitedWriter writes no more than a reader may read.
type limitedWriter struct {
	w     io.Writer
	limit *io.LimitedReader
}

func (l *limitedWriter) Write(p []byte) (int, error) {
	if int64(len(p)) > l.limit.N {
		return 0, io.ErrShortWrite
	}
	n, err := l.w.Write(p)
	l.limit.N -= int64(n)
	return n, err
}
