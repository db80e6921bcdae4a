package eventstream

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// MaxFrame is the length of the longest frame that a [Reader] reads, in bytes. Bedrock
// promises payloads of at most 1,000,000 bytes (docs/reference/bedrock.md §3).
const MaxFrame = 4 << 20

// readAhead is the size of a Reader's buffer, in bytes.
const readAhead = 8 << 10

// A Frame is a frame that was read. Its bytes are valid until the next one is read.
type Frame struct {
	Headers Headers
	Payload []byte
}

// A CorruptError says in what a frame contradicts itself: its lengths or one of its
// checksums. What follows the frame cannot be read.
type CorruptError string

func (e CorruptError) Error() string { return string(e) }

// A Reader reads frames. It checks both checksums of each.
type Reader struct {
	r     *bufio.Reader
	frame []byte // the frame that was read last, reused
}

// NewReader returns a reader of the frames in r. It reads ahead.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, readAhead)}
}

// Next returns the next frame. The error is io.EOF where the stream ends between two
// frames, io.ErrUnexpectedEOF where it ends within one, a [CorruptError] or a
// [HeaderError] where a frame cannot be read, and else that of the reader below.
func (r *Reader) Next() (Frame, error) {
	prelude, err := r.r.Peek(preludeLen)
	if err != nil {
		if err == io.EOF && len(prelude) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return Frame{}, err
	}
	frameLen := binary.BigEndian.Uint32(prelude)
	headersLen := binary.BigEndian.Uint32(prelude[4:])
	if crc32.ChecksumIEEE(prelude[:8]) != binary.BigEndian.Uint32(prelude[8:]) {
		return Frame{}, CorruptError("checksum of the prelude")
	}
	if frameLen < minFrameLen || frameLen > MaxFrame || headersLen > frameLen-minFrameLen {
		return Frame{}, CorruptError(fmt.Sprintf("lengths %d and %d", frameLen, headersLen))
	}
	if err := r.fill(int(frameLen)); err != nil {
		return Frame{}, err
	}
	body, sum := r.frame[:frameLen-crc32.Size], r.frame[frameLen-crc32.Size:]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(sum) {
		return Frame{}, CorruptError("checksum of the message")
	}
	headers := Headers(body[preludeLen : preludeLen+headersLen])
	if err := headers.check(); err != nil {
		return Frame{}, err
	}
	return Frame{headers, body[preludeLen+headersLen:]}, nil
}

// fill reads n bytes into r.frame. The buffer at most doubles with each read: memory
// grows with what has arrived, and not with the length that a frame claims to have.
func (r *Reader) fill(n int) error {
	r.frame = r.frame[:0]
	for len(r.frame) < n {
		step := min(n-len(r.frame), max(readAhead, len(r.frame)))
		r.frame = slices.Grow(r.frame, step)[:len(r.frame)+step]
		if _, err := io.ReadFull(r.r, r.frame[len(r.frame)-step:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}
