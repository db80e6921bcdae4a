package upstream

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"dragoman/upstream/readahead"
)

// maxSSEEvent bounds one event, in bytes; an answer in a single delta still fits.
const maxSSEEvent = 4 << 20

// sseReader reads server-sent events (docs/reference/streaming.md §1). It looks at each
// byte once. Of an event that was read at once, as nearly all are, nothing is copied.
type sseReader struct {
	in      *readahead.Buffer
	begun   bool // the first line has been read
	scanned int  // how many bytes of in have been looked through for the end of a line
	event   sseEvent
	joined  []byte // the data of an event that does not lie in the buffer as one line, reused
	err     error
}

// sseEvent is an event of which some lines have been read.
type sseEvent struct {
	lines    int    // of data
	data     []byte // of these lines
	isJoined bool   // data is not in the buffer, but in joined
	whole    bool   // the empty line has been read
	returned bool   // by next
}

func newSSEReader(r io.Reader) *sseReader {
	return &sseReader{in: readahead.New(r)}
}

// payloads yields the data of each event that has any, valid until the next one. An
// event counts when the empty line after it has come: one that was cut is left out.
func (s *sseReader) payloads() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
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
	for !s.scan() {
		if s.err != nil {
			return nil, s.err
		}
		s.keep()
		if err := s.in.Fill(); err != nil {
			s.err = readError(err)
		}
	}
	s.event.returned = true
	return s.event.data, nil
}

// more reports whether next will return an event without waiting for it. The data that
// it has returned stays valid.
func (s *sseReader) more() bool {
	// Another event may need the memory of one that is joined.
	return !(s.event.returned && s.event.isJoined) && s.scan()
}

// scan reads on in the buffer, and reports whether the event is whole that next is to
// return.
func (s *sseReader) scan() bool {
	if s.event.returned {
		s.event = sseEvent{}
	}
	for !s.event.whole && s.err == nil {
		unread := s.in.Bytes()
		n := bytes.IndexByte(unread[s.scanned:], '\n')
		if n < 0 {
			if s.scanned = len(unread); s.scanned > maxSSEEvent {
				s.err = tooLong()
			}
			break
		}
		line := unread[:s.scanned+n]
		s.in.Take(len(line) + 1)
		s.scanned = 0
		s.read(bytes.TrimSuffix(line, []byte{'\r'}))
	}
	return s.event.whole
}

// read reads a line, which is within the buffer, without its ending.
func (s *sseReader) read(line []byte) {
	if !s.begun { // a byte order mark before the first line is not a part of it
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		s.begun = true
	}
	const field = "data"
	e := &s.event
	switch {
	case len(line) == 0:
		// An empty line ends an event that has data. After a comment, or a field that we
		// have no use for, it ends nothing.
		e.whole = e.lines > 0
		return
	case len(line) > len(field) && string(line[:len(field)]) == field && line[len(field)] == ':':
		line = bytes.TrimPrefix(line[len(field)+1:], []byte{' '}) // one blank after the colon is layout
	case string(line) == field:
		line = nil
	default:
		return // a comment, the event's name (its JSON has the type too), or another field
	}
	if e.lines++; e.lines == 1 {
		e.data = line
	} else {
		s.keep()
		s.joined = append(append(s.joined, '\n'), line...)
		e.data = s.joined
	}
	if len(e.data) > maxSSEEvent {
		s.err = tooLong()
	}
}

// keep copies the data of an event that is not whole out of the buffer, before that is
// filled again.
func (s *sseReader) keep() {
	if e := &s.event; e.lines > 0 && !e.isJoined {
		s.joined = append(s.joined[:0], e.data...)
		e.data, e.isJoined = s.joined, true
	}
}

// tooLong returns the error for an event that is longer than maxSSEEvent.
func tooLong() error {
	return gatewayError(fmt.Sprintf("the upstream sent an event of more than %d bytes", maxSSEEvent), nil)
}
