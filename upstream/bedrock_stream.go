package upstream

import (
	"bytes"
	"encoding/base64"
	"io"
	"iter"

	"github.com/go-json-experiment/json"

	"dragoman/upstream/eventstream"
)

// chunkStart is how the payload of a chunk begins.
var chunkStart = []byte(`{"bytes":"`)

// bedrockStream reads the events of an answer in AWS frames (docs/reference/bedrock.md
// §3). It maps failures within the stream.
type bedrockStream struct {
	frames *eventstream.Reader // not yet read
	last   eventstream.Headers // of the frame that was read last: those of the next one are mostly the same
	known  frameHeaders        // what they say
	data   []byte              // the JSON of the last chunk, reused
}

func newBedrockStream(r io.Reader) *bedrockStream {
	return &bedrockStream{frames: eventstream.NewReader(r)}
}

// frameEvent is an event of a stream: its type and its JSON. Both are valid until the
// next event is read.
type frameEvent struct {
	kind, payload []byte
}

// more reports whether the next event has been read, so that it need not be waited for.
// An exception is not read ahead, nor is the first event of a type.
func (s *bedrockStream) more() bool {
	headers, read := s.frames.Ahead()
	return read && string(s.known.message) == "event" && bytes.Equal(headers, s.last)
}

// events yields each event. An exception in the stream and a frame that is broken or cut
// are errors.
func (s *bedrockStream) events() iter.Seq2[frameEvent, error] {
	return func(yield func(frameEvent, error) bool) {
		for {
			ev, err := s.next()
			if err == io.EOF || !yield(ev, err) || err != nil {
				return
			}
		}
	}
}

// payloads yields the model's JSON of each chunk, valid until the next one. Events of
// other types are left out; errors are those of events.
func (s *bedrockStream) payloads() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for ev, err := range s.events() {
			var data []byte
			if err == nil && string(ev.kind) == "chunk" {
				data, err = s.chunk(ev.payload)
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

// next returns the event of the next frame, or io.EOF where the stream ends between two
// frames.
func (s *bedrockStream) next() (frameEvent, error) {
	frame, err := s.frames.Next()
	if err != nil {
		return frameEvent{}, frameError(err)
	}
	if !bytes.Equal(frame.Headers, s.last) {
		s.last = append(s.last[:0], frame.Headers...)
		s.known = readHeaders(s.last)
	}
	switch h := s.known; string(h.message) {
	case "event":
		return frameEvent{h.event, frame.Payload}, nil
	case "exception":
		var body awsError
		_ = json.Unmarshal(frame.Payload, &body) // the name of the exception says enough
		return frameEvent{}, exceptionError(string(h.exception), body.text(), 0)
	case "error":
		return frameEvent{}, exceptionError(string(h.code), string(h.text), 0)
	}
	return frameEvent{}, gatewayError("the upstream sent a frame of an unknown type", nil)
}

// frameError maps an error of [eventstream.Reader.Next]. io.EOF stays as it is.
func frameError(err error) error {
	switch err.(type) {
	case eventstream.CorruptError:
		return gatewayError("the upstream sent a corrupt frame", err)
	case eventstream.HeaderError:
		return gatewayError("the upstream sent a frame that cannot be read", err)
	}
	return readError(err)
}

// chunk returns the model's JSON in the payload of a chunk, {"bytes":"…","p":"…"}: bytes
// is base64, p is padding. Bedrock writes the members in this order and without blanks,
// which is read without a JSON decoder.
func (s *bedrockStream) chunk(payload []byte) ([]byte, error) {
	if text, ok := bytes.CutPrefix(payload, chunkStart); ok {
		if end := bytes.IndexByte(text, '"'); end >= 0 {
			if data, err := base64.StdEncoding.AppendDecode(s.data[:0], text[:end]); err == nil {
				s.data = data
				return data, nil
			}
		}
	}
	var chunk struct {
		Bytes []byte `json:"bytes"`
	}
	err := json.Unmarshal(payload, &chunk, lenient)
	if err == nil && chunk.Bytes == nil {
		err = plain("a chunk without bytes")
	}
	if err != nil {
		return nil, gatewayError("the upstream sent a chunk that cannot be read", err)
	}
	return chunk.Bytes, nil
}

// frameHeaders are the values of the headers that are known here.
type frameHeaders struct {
	message, event, exception, code, text []byte
}

// readHeaders returns those of the headers of a frame that are known here. They share
// its memory.
func readHeaders(headers eventstream.Headers) (h frameHeaders) {
	for name, value := range headers.All() {
		switch string(name) {
		case eventstream.HeaderMessageType:
			h.message = value
		case eventstream.HeaderEventType:
			h.event = value
		case eventstream.HeaderExceptionType:
			h.exception = value
		case eventstream.HeaderErrorCode:
			h.code = value
		case eventstream.HeaderErrorMessage:
			h.text = value
		}
	}
	return h
}
