package upstream

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
)

const (
	sseBuffer   = 8 << 10 // read ahead
	maxSSEEvent = 4 << 20 // bytes of one event; an answer in a single delta still fits
)

var (
	byteOrderMark = []byte("\xef\xbb\xbf")
	dataField     = []byte("data")
)

// sseReader reads server-sent events (docs/reference/streaming.md §1). It looks at each
// byte once and holds one event at most.
type sseReader struct {
	r    *bufio.Reader
	long []byte // a line that did not fit the buffer of r, reused
	data []byte // of the event, reused
}

func newSSEReader(r io.Reader) *sseReader {
	return &sseReader{r: bufio.NewReaderSize(r, sseBuffer)}
}

// payloads yields the data of each event that has any, valid until the next one. An
// event counts when the empty line after it has come: one that was cut is left out.
func (s *sseReader) payloads() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		// A byte order mark before the first line is not a part of it.
		if start, _ := s.r.Peek(len(byteOrderMark)); bytes.Equal(start, byteOrderMark) {
			_, _ = s.r.Discard(len(start))
		}
		for {
			data, err := s.next()
			if err == io.EOF {
				return
			}
			if !yield(data, err) || err != nil {
				return
			}
		}
	}
}

// next returns the data of the next event, or io.EOF where the stream ends.
func (s *sseReader) next() ([]byte, error) {
	s.data = s.data[:0]
	for lines := 0; ; { // of data
		line, err := s.line()
		if err != nil {
			return nil, readError(err)
		}
		// An empty line ends an event that has data. After a comment, or a field that we
		// have no use for, it ends nothing.
		if len(line) == 0 && lines > 0 {
			return s.data, nil
		}
		name, value, _ := bytes.Cut(line, []byte{':'})
		if !bytes.Equal(name, dataField) {
			continue // a comment, the event's name (its JSON has the type too), or another field
		}
		if lines++; lines > 1 {
			s.data = append(s.data, '\n')
		}
		s.data = append(s.data, bytes.TrimPrefix(value, []byte{' '})...) // one blank after the colon is layout
		if len(s.data) > maxSSEEvent {
			return nil, tooLong()
		}
	}
}

// line returns the next line without its ending, valid until the next call. Text after
// the last line ending is not a line.
func (s *sseReader) line() ([]byte, error) {
	line, err := s.r.ReadSlice('\n')
	// A line that fits the buffer is returned from there, without a copy.
	if err == bufio.ErrBufferFull {
		s.long = s.long[:0]
		for err == bufio.ErrBufferFull {
			if s.long = append(s.long, line...); len(s.long) > maxSSEEvent {
				return nil, tooLong()
			}
			line, err = s.r.ReadSlice('\n')
		}
		s.long = append(s.long, line...)
		line = s.long
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte{'\r'}), nil
}

// tooLong returns the error for an event that is longer than maxSSEEvent.
func tooLong() error {
	return gatewayError(fmt.Sprintf("the upstream sent an event of more than %d bytes", maxSSEEvent), nil)
}
