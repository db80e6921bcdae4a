package eventstream

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"dragoman/upstream/readahead"
)

// MaxFrame is the length of the longest frame that a [Reader] reads, in bytes. Bedrock
// promises payloads of at most 1,000,000 bytes (docs/reference/bedrock.md §3).
const MaxFrame = 4 << 20

// A Frame is a frame that was read. Its bytes are valid until the next one is read.
type Frame struct {
	Headers Headers
	Payload []byte
}

// A CorruptError says in what a frame contradicts itself: its lengths or one of its
// checksums. What follows the frame cannot be read.
type CorruptError string

func (e CorruptError) Error() string { return string(e) }

// A Reader reads frames. It checks both checksums of each. A frame is not copied: it lies
// in the buffer that the stream is read into.
type Reader struct {
	in      *readahead.Buffer
	frame   Frame   // the first one in the buffer, if length is not 0
	length  int     // of that frame
	headers Headers // of the last frame, which can be read: those of the next one are mostly the same
}

// NewReader returns a reader of the frames in r. It reads ahead.
func NewReader(r io.Reader) *Reader {
	return &Reader{in: readahead.New(r)}
}

// Next returns the next frame. The error is io.EOF where the stream ends between two
// frames, io.ErrUnexpectedEOF where it ends within one, a [CorruptError] or a
// [HeaderError] where a frame cannot be read, and else that of the reader below.
func (r *Reader) Next() (Frame, error) {
	for {
		if err := r.look(); err != nil {
			return Frame{}, err
		}
		if r.length > 0 {
			r.in.Take(r.length)
			r.length = 0
			return r.frame, nil
		}
		if err := r.in.Fill(); err != nil {
			if err == io.EOF && len(r.in.Bytes()) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return Frame{}, err
		}
	}
}

// Ahead returns the headers of the frame that Next will return without waiting for it,
// and whether there is one. The frame that Next returned last stays valid.
func (r *Reader) Ahead() (Headers, bool) {
	err := r.look()
	return r.frame.Headers, err == nil && r.length > 0
}

// look reads the first frame in the buffer, if that is whole and has not been read.
func (r *Reader) look() error {
	prelude := r.in.Bytes()
	if r.length > 0 || len(prelude) < preludeLen {
		return nil
	}
	frameLen := binary.BigEndian.Uint32(prelude)
	headersLen := binary.BigEndian.Uint32(prelude[4:])
	if crc32.ChecksumIEEE(prelude[:8]) != binary.BigEndian.Uint32(prelude[8:]) {
		return CorruptError("checksum of the prelude")
	}
	if frameLen < minFrameLen || frameLen > MaxFrame || headersLen > frameLen-minFrameLen {
		return CorruptError(fmt.Sprintf("lengths %d and %d", frameLen, headersLen))
	}
	if uint32(len(prelude)) < frameLen {
		return nil
	}
	body, sum := prelude[:frameLen-crc32.Size], prelude[frameLen-crc32.Size:]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(sum) {
		return CorruptError("checksum of the message")
	}
	headers := Headers(body[preludeLen : preludeLen+headersLen])
	if !bytes.Equal(headers, r.headers) {
		if err := headers.check(); err != nil {
			return err
		}
		r.headers = append(r.headers[:0], headers...)
	}
	r.frame, r.length = Frame{headers, body[preludeLen+headersLen:]}, int(frameLen)
	return nil
}
