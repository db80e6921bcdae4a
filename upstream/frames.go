package upstream

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"slices"

	"github.com/go-json-experiment/json"
)

// Sizes of an AWS event-stream frame (reference/bedrock.md §3), in bytes.
const (
	preludeLen  = 12             // two lengths and their checksum
	minFrameLen = preludeLen + 4 // without headers and payload
	maxFrameLen = 4 << 20        // Bedrock promises at most 1,000,000 of payload
	frameBuffer = 8 << 10        // read ahead
)

// What a frame says about itself, all of it in headers of one type.
const (
	headerString    = 7
	headerMessage   = ":message-type" // event, exception or error
	headerEvent     = ":event-type"
	headerException = ":exception-type"
	headerCode      = ":error-code"
	headerText      = ":error-message"
)

// chunkStart is how the payload of a chunk begins.
var chunkStart = []byte(`{"bytes":"`)

// frameReader reads AWS event-stream frames. It is ours and not the SDK's, which
// takes 44 allocations for each frame and hands it through two goroutines.
type frameReader struct {
	r    *bufio.Reader
	buf  []byte // the frame, reused
	data []byte // the payload of a chunk, decoded, reused
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{r: bufio.NewReaderSize(r, frameBuffer)}
}

// frameEvent is an event of a stream: its type and its JSON.
type frameEvent struct {
	kind, payload []byte
}

// events yields each event, valid until the next one. An exception in the stream
// and a frame that is broken or cut are errors.
func (f *frameReader) events() iter.Seq2[frameEvent, error] {
	return func(yield func(frameEvent, error) bool) {
		for {
			ev, err := f.next()
			if err == io.EOF || !yield(ev, err) || err != nil {
				return
			}
		}
	}
}

// payloads yields the model's JSON of each chunk, valid until the next one.
// Events of another type are left out; errors are those of events.
func (f *frameReader) payloads() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for ev, err := range f.events() {
			var data []byte
			if err == nil && string(ev.kind) == "chunk" {
				data, err = f.chunk(ev.payload)
			}
			if err == nil && data == nil {
				continue
			}
			if !yield(data, err) || err != nil {
				return
			}
		}
	}
}

// next returns the event of the next frame, or io.EOF where a frame could begin.
func (f *frameReader) next() (frameEvent, error) {
	headers, payload, err := f.frame()
	if err != nil {
		return frameEvent{}, err
	}
	h, err := readHeaders(headers)
	if err != nil {
		return frameEvent{}, gatewayError("the upstream sent a frame that cannot be read", err)
	}
	switch string(h.message) {
	case "event":
		return frameEvent{h.event, payload}, nil
	case "exception":
		var body awsError
		_ = json.Unmarshal(payload, &body) // the name of the exception says enough
		return frameEvent{}, exception(string(h.exception), body.text(), 0)
	case "error":
		return frameEvent{}, exception(string(h.code), string(h.text), 0)
	}
	return frameEvent{}, gatewayError("the upstream sent a frame of an unknown type", fmt.Errorf("%s %q", headerMessage, h.message))
}

// frame reads one frame and checks both its checksums. Memory grows with what has
// arrived, never with a length that a frame merely claims.
func (f *frameReader) frame() (headers, payload []byte, err error) {
	prelude, err := f.r.Peek(preludeLen)
	if err != nil {
		if err == io.EOF && len(prelude) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return nil, nil, readError(err)
	}
	total := binary.BigEndian.Uint32(prelude)
	headersLen := binary.BigEndian.Uint32(prelude[4:])
	if crc32.ChecksumIEEE(prelude[:8]) != binary.BigEndian.Uint32(prelude[8:]) {
		return nil, nil, gatewayError("the upstream sent a corrupt frame", errors.New("checksum of the prelude"))
	}
	if total < minFrameLen || total > maxFrameLen || headersLen > total-minFrameLen {
		return nil, nil, gatewayError("the upstream sent a corrupt frame", fmt.Errorf("lengths %d and %d", total, headersLen))
	}
	if err := f.fill(int(total)); err != nil {
		return nil, nil, readError(err)
	}
	body, sum := f.buf[:total-4], f.buf[total-4:]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(sum) {
		return nil, nil, gatewayError("the upstream sent a corrupt frame", errors.New("checksum of the message"))
	}
	return body[preludeLen : preludeLen+headersLen], body[preludeLen+headersLen:], nil
}

// fill reads n bytes into f.buf.
func (f *frameReader) fill(n int) error {
	f.buf = f.buf[:0]
	for len(f.buf) < n {
		step := min(n-len(f.buf), max(frameBuffer, len(f.buf)))
		f.buf = slices.Grow(f.buf, step)[:len(f.buf)+step]
		if _, err := io.ReadFull(f.r, f.buf[len(f.buf)-step:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

// chunk decodes {"bytes":"…","p":"…"}. Bedrock writes it in this order and
// without blanks; for anything else there is a JSON decoder.
func (f *frameReader) chunk(payload []byte) ([]byte, error) {
	if text, ok := bytes.CutPrefix(payload, chunkStart); ok {
		if end := bytes.IndexByte(text, '"'); end >= 0 {
			if data, err := base64.StdEncoding.AppendDecode(f.data[:0], text[:end]); err == nil {
				f.data = data
				return data, nil
			}
		}
	}
	var chunk struct {
		Bytes []byte `json:"bytes"`
	}
	err := json.Unmarshal(payload, &chunk, lenient)
	if err == nil && chunk.Bytes == nil {
		err = errors.New("a chunk without bytes")
	}
	if err != nil {
		return nil, gatewayError("the upstream sent a chunk that cannot be read", err)
	}
	return chunk.Bytes, nil
}

// frameHeaders are the headers of a frame that we read.
type frameHeaders struct {
	message, event, exception, code, text []byte
}

// readHeaders reads the headers of a frame. All of those we know are strings; a
// header of another type has no business in a Bedrock stream.
func readHeaders(b []byte) (h frameHeaders, err error) {
	for len(b) > 0 {
		nameLen := int(b[0])
		if len(b) < 1+nameLen+3 {
			return h, errors.New("header cut short")
		}
		name, kind := b[1:1+nameLen], b[1+nameLen]
		valueLen := int(binary.BigEndian.Uint16(b[2+nameLen:]))
		b = b[4+nameLen:]
		if kind != headerString || len(b) < valueLen {
			return h, fmt.Errorf("header %q of type %d", name, kind)
		}
		value := b[:valueLen]
		b = b[valueLen:]
		switch string(name) {
		case headerMessage:
			h.message = value
		case headerEvent:
			h.event = value
		case headerException:
			h.exception = value
		case headerCode:
			h.code = value
		case headerText:
			h.text = value
		}
	}
	return h, nil
}

// awsError is the body of an AWS exception (reference/bedrock.md §3, §4).
type awsError struct {
	Message  string `json:"message"`
	Original string `json:"originalMessage"`
}

func (e awsError) text() string {
	if e.Message == "" || e.Original == "" || e.Message == e.Original {
		return e.Message + e.Original
	}
	return e.Message + ": " + e.Original
}

// readError maps a failure to read on from a body. io.EOF stays as it is.
func readError(err error) error {
	switch {
	case err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return gatewayError("the upstream broke off before the end of its answer", err)
	}
	return transportError(err)
}
