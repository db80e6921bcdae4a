// Package eventstream writes and reads the frames of an AWS event stream, in which
// Amazon Bedrock answers where it streams (docs/reference/bedrock.md §3). The proxy
// writes them to its clients, and reads them from Bedrock.
//
// A stream is one frame after another. Nothing marks its end but that of the body. A
// frame is
//
//	u32 length of the frame | u32 length of the headers | u32 CRC-32 of these two |
//	headers | payload | u32 CRC-32 of all before it
//
// and a header is
//
//	u8 length of the name | name | u8 type | u16 length of the value | value
//
// for the one type that Bedrock uses, a string. Numbers are big-endian. The CRC-32 is
// that of IEEE 802.3.
//
// The AWS SDK has a package for the same frames. It allocates 19 times for a frame that
// it writes and 39 times for one that it reads, and there is a frame for each delta of
// an answer; [Append] and [Reader.Next] do not allocate once their buffers have grown.
// The tests hold them against the SDK's.
package eventstream

// MediaType is the content type of a stream. Clients in Java compare it to the letter
// (docs/reference/clients.md §3).
const MediaType = "application/vnd.amazon.eventstream"

// The names of the headers by which a frame says what it is.
const (
	HeaderMessageType   = ":message-type" // event, exception or error
	HeaderEventType     = ":event-type"
	HeaderExceptionType = ":exception-type"
	HeaderErrorCode     = ":error-code"
	HeaderErrorMessage  = ":error-message"
	HeaderContentType   = ":content-type" // of the payload
)

const (
	preludeLen  = 12             // the two lengths and their checksum
	minFrameLen = preludeLen + 4 // of a frame without headers and payload
)
