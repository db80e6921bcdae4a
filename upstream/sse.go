package upstream

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
)

// maxSSEEvent limits an event, in bytes. A whole answer in a single delta still fits.
const maxSSEEvent = 4 << 20

// sseReader reads server-sent events (docs/reference/streaming.md §1).
type sseReader struct {
	in    *bufio.Reader
	begun bool   // the first line has been read
	line  []byte // reused, like data
	data  []byte
}

func newSSEReader(r io.Reader) *sseReader { return &sseReader{in: bufio.NewReader(r)} }

// payloads yields the data of each event that has data; it is valid until the next event. An event counts
// only if the empty line after it has come, so a cut event is skipped.
func (s *sseReader) payloads() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for {
			data, err := s.next()
			if err == io.EOF || !yield(data, err) || err != nil {
				return
			}
		}
	}
}

// next returns the data of the next event, or io.EOF at the end of the stream.
func (s *sseReader) next() ([]byte, error) {
	s.data = s.data[:0]
	for lines := 0; ; {
		if err := s.readLine(); err != nil {
			return nil, err
		}
		name, value, _ := bytes.Cut(s.line, []byte{':'})
		switch {
		case len(s.line) == 0 && lines > 0:
			return s.data, nil
		case string(name) != "data":
			continue // an empty line before any data, a comment, the event's name (its JSON also has the type), or another field
		case lines > 0:
			s.data = append(s.data, '\n')
		}
		lines++
		s.data = append(s.data, bytes.TrimPrefix(value, []byte{' '})...) // one space after the colon is layout
		if len(s.data) > maxSSEEvent {
			return nil, tooLong()
		}
	}
}

// lines yields each non-empty line, which is valid until the next: Ollama streams one JSON text a line. It
// skips a line that was cut.
func (s *sseReader) lines() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for {
			switch err := s.readLine(); {
			case err == io.EOF:
				return
			case err != nil:
				yield(nil, err)
				return
			case len(s.line) > 0 && !yield(s.line, nil):
				return
			}
		}
	}
}

// readLine reads a line without its line break.
func (s *sseReader) readLine() error {
	s.line = s.line[:0]
	for full := true; full; {
		part, err := s.in.ReadSlice('\n')
		full = err == bufio.ErrBufferFull
		if err != nil && !full {
			return readError(err)
		}
		if s.line = append(s.line, part...); len(s.line) > maxSSEEvent {
			return tooLong()
		}
	}
	s.line = bytes.TrimSuffix(s.line[:len(s.line)-1], []byte{'\r'})
	if !s.begun { // a byte order mark before the first line is not part of it
		s.line = bytes.TrimPrefix(s.line, []byte("\xef\xbb\xbf"))
		s.begun = true
	}
	return nil
}

// more reports whether the next event is already in the buffer.
func (s *sseReader) more() bool {
	unread, _ := s.in.Peek(s.in.Buffered())
	_, event, found := bytes.Cut(unread, []byte("data:"))
	if len(unread) > 0 && unread[0] == '{' { // lines of JSON
		return bytes.Contains(unread, []byte("\n"))
	}
	return found && (bytes.Contains(event, []byte("\n\n")) || bytes.Contains(event, []byte("\n\r\n")))
}

// tooLong returns the error for an event above maxSSEEvent.
func tooLong() error {
	return gatewayError(fmt.Sprintf("the upstream sent an event of more than %d bytes", maxSSEEvent), nil)
}
