package eventstream

import (
	"encoding/binary"
	"fmt"
	"iter"
)

// typeString is the type of a header whose value is a string.
const typeString = 7

// Headers are the headers of a frame, encoded one after another as the frame has them.
// The zero value is none.
type Headers []byte

// EventHeaders returns the headers of a frame with an event of this type, whose payload
// is JSON, in the order in which Bedrock writes them.
func EventHeaders(event string) Headers {
	return Headers(nil).Append(HeaderEventType, event).Append(HeaderContentType, "application/json").Append(HeaderMessageType, "event")
}

// ExceptionHeaders returns the headers of the frame by which a stream fails, whose
// payload is JSON. The name is that of the exception in lower camel case:
// throttlingException.
func ExceptionHeaders(name string) Headers {
	return Headers(nil).Append(HeaderExceptionType, name).Append(HeaderContentType, "application/json").Append(HeaderMessageType, "exception")
}

// Append returns h with one more header after its others. Names are up to 255 bytes
// long, values up to 65,535: longer ones have no place in the encoding.
func (h Headers) Append(name, value string) Headers {
	h = append(h, byte(len(name)))
	h = append(h, name...)
	h = append(h, typeString)
	h = binary.BigEndian.AppendUint16(h, uint16(len(value)))
	return append(h, value...)
}

// All ranges over the names and values, in order. They share the memory of h. A header
// that cannot be read ends the range; those of a [Frame] that a [Reader] returned can
// all be read.
func (h Headers) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for rest := h; len(rest) > 0; {
			name, value, after, err := rest.next()
			if err != nil || !yield(name, value) {
				return
			}
			rest = after
		}
	}
}

// check returns the [HeaderError] of the first header that cannot be read, nil if there
// is none.
func (h Headers) check() error {
	for len(h) > 0 {
		_, _, rest, err := h.next()
		if err != nil {
			return err
		}
		h = rest
	}
	return nil
}

// next returns the first header and the headers after it. There has to be one.
func (h Headers) next() (name, value []byte, rest Headers, err error) {
	const behindName = 3 // the type, and the length of the value
	nameLen := int(h[0])
	if len(h) < 1+nameLen+behindName {
		return nil, nil, nil, HeaderError("header cut short")
	}
	name, typ := h[1:1+nameLen], h[1+nameLen]
	valueLen := int(binary.BigEndian.Uint16(h[2+nameLen:]))
	rest = h[1+nameLen+behindName:]
	if typ != typeString || len(rest) < valueLen {
		return nil, nil, nil, HeaderError(fmt.Sprintf("header %q of type %d", name, typ))
	}
	return name, rest[:valueLen], rest[valueLen:], nil
}

// A HeaderError says which header of a frame cannot be read: one that is cut short, or
// one that is not a string. Bedrock sends no others.
type HeaderError string

func (e HeaderError) Error() string { return string(e) }
