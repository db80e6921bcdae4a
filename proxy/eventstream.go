package proxy

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The streams of Bedrock are frames of this form (reference/bedrock.md §3), which
// have no end but that of the body:
//
//	u32 length of it all | u32 length of the headers | u32 CRC-32 of both |
//	headers | payload | u32 CRC-32 of all before
//
// A header is u8 length, name, u8 type, u16 length, value. Numbers are big-endian.

// eventStream is the media type of such a stream, to the letter: a client in Java
// compares it (reference/clients.md §3).
const eventStream = "application/vnd.amazon.eventstream"

// frameString is the type of a header whose value is a string.
const frameString = 7

// eventHeaders are the headers of a frame with an event, whose payload is JSON. They
// are in the order of the service.
func eventHeaders(event string) [][2]string {
	return [][2]string{{":event-type", event}, {":content-type", "application/json"}, {":message-type", "event"}}
}

// appendFrame appends a frame. Names of headers are up to 255 bytes long, values up
// to 65,535.
func appendFrame(dst []byte, headers [][2]string, payload []byte) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) // the prelude, once the lengths are known
	prelude := len(dst)
	for _, h := range headers {
		name, value := h[0], h[1]
		dst = append(dst, byte(len(name)))
		dst = append(dst, name...)
		dst = append(dst, frameString)
		dst = binary.BigEndian.AppendUint16(dst, uint16(len(value)))
		dst = append(dst, value...)
	}
	inHeaders := len(dst) - prelude
	dst = append(dst, payload...)

	frame := dst[start:]
	binary.BigEndian.PutUint32(frame, uint32(len(frame)+crc32.Size))
	binary.BigEndian.PutUint32(frame[4:], uint32(inHeaders))
	binary.BigEndian.PutUint32(frame[8:], crc32.ChecksumIEEE(frame[:8]))
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(frame))
}

// appendException appends the frame by which a stream fails. The name is that of the
// exception in lower camel case: throttlingException.
func appendException(dst []byte, name, message string) []byte {
	return appendFrame(dst, [][2]string{
		{":exception-type", name}, {":content-type", "application/json"}, {":message-type", "exception"},
	}, awsMessage(message))
}

// awsMessage is the body of an AWS error: {"message": ...}.
func awsMessage(message string) []byte {
	body, err := json.Marshal(struct {
		Message string `json:"message"`
	}{message}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // a string can always be written
	}
	return body
}
