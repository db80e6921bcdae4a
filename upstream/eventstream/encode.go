package eventstream

import (
	"encoding/binary"
	"hash/crc32"
)

// Append appends the frame with these headers and this payload to dst.
func Append(dst []byte, headers Headers, payload []byte) []byte {
	start := len(dst)
	dst = binary.BigEndian.AppendUint32(dst, uint32(preludeLen+len(headers)+len(payload)+crc32.Size))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(headers)))
	dst = binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
	dst = append(dst, headers...)
	dst = append(dst, payload...)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
}
