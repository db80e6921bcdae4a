package eventstream_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	sdk "github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/google/go-cmp/cmp"

	"dragoman/upstream/eventstream"
)

// TestFrameOfTheService compares with a frame of docs/reference/bedrock.md §3.
func TestFrameOfTheService(t *testing.T) {
	frame := eventstream.Append([]byte("before"), eventstream.EventHeaders("chunk"), []byte(`{"bytes":"eyJ0eXBlIjoicGluZyJ9"}`))
	head, _ := hex.DecodeString("0000007b0000004b0a2e96af")
	tail, _ := hex.DecodeString("a01f56c4")
	want := "before" + string(head) +
		"\x0b:event-type\x07\x00\x05chunk\x0d:content-type\x07\x00\x10application/json\x0d:message-type\x07\x00\x05event" +
		`{"bytes":"eyJ0eXBlIjoicGluZyJ9"}` + string(tail)
	if string(frame) != want {
		t.Errorf("%q, want %q", frame, want)
	}
}

// TestFrames has the AWS SDK read what was written.
func TestFrames(t *testing.T) {
	long := strings.Repeat("ü", 1<<20)
	name, value := strings.Repeat("n", 255), strings.Repeat("v", 1<<15-1)
	var stream []byte
	stream = eventstream.Append(stream, nil, nil)
	stream = eventstream.Append(stream, eventstream.EventHeaders("chunk"), []byte(long))
	stream = eventstream.Append(stream, eventstream.Headers(nil).Append(name, value).Append("empty", ""), []byte("{}"))
	stream = eventstream.Append(stream, eventstream.ExceptionHeaders("throttlingException"), []byte(`{"message":"slow down"}`))
	want := []struct {
		headers map[string]string
		payload string
	}{
		{map[string]string{}, ""},
		{map[string]string{":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}, long},
		{map[string]string{name: value, "empty": ""}, "{}"},
		{
			map[string]string{":exception-type": "throttlingException", ":content-type": "application/json", ":message-type": "exception"},
			`{"message":"slow down"}`,
		},
	}
	r := bytes.NewReader(stream)
	for i, w := range want {
		m, err := sdk.NewDecoder().Decode(r, nil)
		if err != nil {
			t.Fatalf("frame %d: %v", i, err)
		}
		headers := map[string]string{}
		for _, h := range m.Headers {
			headers[h.Name] = h.Value.String()
		}
		if diff := cmp.Diff(w.headers, headers); diff != "" {
			t.Errorf("frame %d: %s", i, diff)
		}
		if string(m.Payload) != w.payload {
			t.Errorf("frame %d: %.200q", i, m.Payload)
		}
	}
	if r.Len() != 0 {
		t.Errorf("%d bytes are left", r.Len())
	}
}

// TestReaderReadsTheSDK reads what the AWS SDK has written.
func TestReaderReadsTheSDK(t *testing.T) {
	m := sdk.Message{Payload: []byte(`{"bytes":"eyJ0eXBlIjoicGluZyJ9"}`)}
	m.Headers.Set(":event-type", sdk.StringValue("chunk"))
	m.Headers.Set("empty", sdk.StringValue(""))
	var stream bytes.Buffer
	if err := sdk.NewEncoder().Encode(&stream, m); err != nil {
		t.Fatal(err)
	}
	frame, err := eventstream.NewReader(&stream).Next()
	if err != nil {
		t.Fatal(err)
	}
	headers := map[string]string{}
	for name, value := range frame.Headers.All() {
		headers[string(name)] = string(value)
	}
	if diff := cmp.Diff(map[string]string{":event-type": "chunk", "empty": ""}, headers); diff != "" || string(frame.Payload) != string(m.Payload) {
		t.Errorf("%s%q", diff, frame.Payload)
	}
}

// prelude returns the first 12 bytes of a frame, with a checksum that is right.
func prelude(total, headers uint32) []byte {
	b := binary.BigEndian.AppendUint32(nil, total)
	b = binary.BigEndian.AppendUint32(b, headers)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func TestReaderErrors(t *testing.T) {
	withHeaders := func(encoded string) string {
		return string(eventstream.Append(nil, eventstream.Headers(encoded), nil))
	}
	tests := []struct {
		name, stream string
		want         error
	}{
		{"nothing", "", io.EOF},
		{"cut in the prelude", "\x00\x00", io.ErrUnexpectedEOF},
		{"cut behind the prelude", string(prelude(100, 0)), io.ErrUnexpectedEOF},
		{"the largest length, and no message", string(prelude(eventstream.MaxFrame, 0)), io.ErrUnexpectedEOF},
		{"a length that is too short", string(prelude(15, 0)), eventstream.CorruptError("lengths 15 and 0")},
		{"a length beyond every limit", string(prelude(eventstream.MaxFrame+1, 0)), eventstream.CorruptError("lengths 4194305 and 0")},
		{"headers longer than the message", string(prelude(20, 5)), eventstream.CorruptError("lengths 20 and 5")},
		{"a checksum of the prelude that is not", "<html><body>Sign in</body></html>", eventstream.CorruptError("checksum of the prelude")},
		{"a checksum of the message that is not", string(prelude(16, 0)) + "1234", eventstream.CorruptError("checksum of the message")},
		{"a header cut in its name", withHeaders("\x05name"), eventstream.HeaderError("header cut short")},
		{"a header cut in its value", withHeaders("\x01n\x07\x00\x05four"), eventstream.HeaderError(`header "n" of type 7`)},
		{"a header that is true", withHeaders("\x01n\x00\x00\x00"), eventstream.HeaderError(`header "n" of type 0`)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"whole": strings.NewReader(test.stream), "byte by byte": iotest.OneByteReader(strings.NewReader(test.stream)),
			} {
				if frame, err := eventstream.NewReader(r).Next(); err != test.want || frame.Headers != nil || frame.Payload != nil {
					t.Errorf("%s: %+v, %v", name, frame, err)
				}
			}
		})
	}
}

func TestReaderPassesOnWhatCutIt(t *testing.T) {
	cause := errors.New("reset by peer")
	frame := eventstream.Append(nil, nil, []byte("{}"))
	for n := range len(frame) {
		r := io.MultiReader(bytes.NewReader(frame[:n]), iotest.ErrReader(cause))
		if _, err := eventstream.NewReader(r).Next(); err != cause {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestFramesNeedNoMemory(t *testing.T) {
	headers, payload, dst := eventstream.EventHeaders("chunk"), []byte(`{"bytes":""}`), make([]byte, 0, 1<<10)
	if n := testing.AllocsPerRun(100, func() { dst = eventstream.Append(dst[:0], headers, payload) }); n != 0 {
		t.Errorf("%v allocations for a frame that is written", n)
	}
	r := eventstream.NewReader(repeated{frame: dst, rest: new([]byte)})
	read := func() {
		frame, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range frame.Headers.All() {
			if len(name) == 0 || len(value) == 0 {
				t.Fatalf("%q: %q", name, value)
			}
		}
	}
	if n := testing.AllocsPerRun(1000, read); n != 0 {
		t.Errorf("%v allocations for a frame that is read", n)
	}
}

// repeated is a stream of one frame over and over.
type repeated struct {
	frame []byte
	rest  *[]byte
}

func (r repeated) Read(p []byte) (int, error) {
	if len(*r.rest) == 0 {
		*r.rest = r.frame
	}
	n := copy(p, *r.rest)
	*r.rest = (*r.rest)[n:]
	return n, nil
}

// FuzzRoundTrip writes two frames with any headers and payload and reads them back: they
// are the same, and so is a frame that is found in any bytes once it is written again.
// No bytes make the reader panic or read beyond them, however they arrive.
func FuzzRoundTrip(f *testing.F) {
	f.Add(":event-type", "chunk", "", "", []byte(`{"bytes":"eyJ0eXBlIjoicGluZyJ9"}`), []byte(nil))
	f.Add("a", strings.Repeat("v", 1<<16-1), strings.Repeat("n", 255), "ü\xff\x00", []byte{}, append(prelude(17, 1), "12345"...))
	f.Add("", "", "x", "y", []byte("{}"), eventstream.Append(eventstream.Append(nil, eventstream.EventHeaders("ping"), []byte("{}")), nil, nil))
	f.Fuzz(func(t *testing.T, name, value, name2, value2 string, payload, behind []byte) {
		const longestName, longestValue = 1<<8 - 1, 1<<16 - 1
		if max(len(name), len(name2)) > longestName || max(len(value), len(value2)) > longestValue {
			t.Skip("no header can be so long")
		}
		written := [][2]string{{name, value}, {name2, value2}}
		var headers eventstream.Headers
		for _, h := range written {
			headers = headers.Append(h[0], h[1])
		}
		stream := eventstream.Append(nil, headers, payload)
		stream = eventstream.Append(stream, nil, payload)
		stream = append(stream, behind...)

		r := eventstream.NewReader(bytes.NewReader(stream))
		for i, want := range [][][2]string{written, nil} {
			frame, err := r.Next()
			if err != nil {
				t.Fatalf("frame %d: %v", i, err)
			}
			var got [][2]string
			for name, value := range frame.Headers.All() {
				got = append(got, [2]string{string(name), string(value)})
			}
			if diff := cmp.Diff(want, got); diff != "" || !bytes.Equal(frame.Payload, payload) {
				t.Errorf("frame %d: %s%q", i, diff, frame.Payload)
			}
		}

		whole, wholeErr := again(bytes.NewReader(stream))
		pieces, piecesErr := again(iotest.OneByteReader(bytes.NewReader(stream)))
		if !bytes.HasPrefix(stream, whole) || wholeErr == nil && len(whole) != len(stream) {
			t.Errorf("%d bytes of %d were read as %q, %v", len(whole), len(stream), whole, wholeErr)
		}
		if !bytes.Equal(whole, pieces) || fmt.Sprint(wholeErr) != fmt.Sprint(piecesErr) {
			t.Errorf("%q, %v; in pieces %q, %v", whole, wholeErr, pieces, piecesErr)
		}
	})
}

// again reads a stream to its end or its first error, and returns its frames as they are
// written.
func again(stream io.Reader) (frames []byte, err error) {
	for r := eventstream.NewReader(stream); ; {
		frame, err := r.Next()
		if err == io.EOF {
			return frames, nil
		}
		if err != nil {
			return frames, err
		}
		frames = eventstream.Append(frames, frame.Headers, frame.Payload)
	}
}
