package upstream

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/iotest"

	sdk "github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"dragoman/translate"
)

// joined reads all payloads, with "|" after each.
func joined(payloads iter.Seq2[[]byte, error]) (string, error) {
	var out strings.Builder
	for data, err := range payloads {
		if err != nil {
			return out.String(), err
		}
		out.Write(data)
		out.WriteByte('|')
	}
	return out.String(), nil
}

// framed yields the payload of each chunk of a Bedrock answer. No chunk here ends the answer.
func framed(t *testing.T, answer io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		text := func(data []byte) (translate.Chunk, error) { return translate.Chunk{Text: string(data)}, nil }
		for c, err := range invoke(t.Context(), answering(t, framesType, answer), Model{ID: "anthropic.claude-v2"}, &sentBody{[]byte("{}")}, unchanged, text) {
			if !yield([]byte(c.Text), err) {
				return
			}
		}
	}
}

func TestSSEReader(t *testing.T) {
	long := strings.Repeat("x", 3*8<<10)
	tests := []struct{ name, stream, want string }{
		{"events", "event: a\ndata: 1\n\nevent: b\ndata: 2\n\n", "1|2|"},
		{"carriage returns", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", "1|2|"},
		{"comments and other fields", ": hi\n\ndata: 1\n: there\nid: 7\nretry: 3\ndataset: no\n\n", "1|"},
		{"several data lines", "data: 1\ndata: 2\ndata\ndata:3\n\n", "1\n2\n\n3|"},
		{"one blank is layout", "data:  1 \n\n", " 1 |"},
		{"empty data", "data:\n\ndata: \n\n", "||"},
		{"byte order mark", "\ufeffdata: 1\n\n", "1|"},
		{"an event that is not finished", "data: 1\n\ndata: 2\n", "1|"},
		{"a line that is not finished", "data: 1\n\ndata: 2", "1|"},
		{"a colon in the data", "data: {\"a\":1}\n\n", `{"a":1}|`},
		{"lines longer than the buffer", "data: " + long + "\ndata: " + long + "\n\ndata: 1\n\n: " + long + "\n\n", long + "\n" + long + "|1|"},
		{"nothing", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"whole": strings.NewReader(test.stream), "byte by byte": iotest.OneByteReader(strings.NewReader(test.stream)),
			} {
				if got, err := joined(newSSEReader(r).payloads()); got != test.want || err != nil {
					t.Errorf("%s: %.80q, %v", name, got, err)
				}
			}
		})
	}
}

// reads is a stream. Each read returns one piece.
type reads []string

func (r *reads) Read(p []byte) (int, error) {
	if len(*r) == 0 {
		return 0, io.EOF
	}
	n := copy(p, (*r)[0])
	*r = (*r)[1:]
	return n, nil
}

// more reports true exactly if the next event needs no further read.
func TestMore(t *testing.T) {
	for name, tt := range map[string]struct {
		stream reads
		want   []bool // after each event
	}{
		"alone":                {reads{"data: 1\n\n", "data: 2\n\n"}, []bool{false, false}},
		"together":             {reads{"data: 1\n\nevent: a\ndata: 2\n\ndata: 3\n\n"}, []bool{true, true, false}},
		"a part":               {reads{"data: 1\n\ndata: 2\n", "\ndata: 3", "\n\n"}, []bool{false, false, false}},
		"a part and more":      {reads{"data: 1\n\ndata: 2", "\n\ndata: 3\n\n"}, []bool{false, true, false}},
		"a comment":            {reads{"data: 1\n\n: there\n\n", ": there\n\ndata: 2\n\n"}, []bool{false, false}},
		"behind several lines": {reads{"data: 1\ndata: 1\n\ndata: 2\n\n"}, []bool{true, false}},
		"before several lines": {reads{"data: 1\n\ndata: 2\ndata: 2\n\n"}, []bool{true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			sse := newSSEReader(&tt.stream)
			var got []bool
			for data, err := range sse.payloads() {
				if err != nil {
					t.Fatal(err)
				}
				before, left := string(data), len(tt.stream)
				got = append(got, sse.more(), sse.more())
				if string(data) != before || len(tt.stream) != left {
					t.Errorf("%q became %q, or was read behind", before, data)
				}
			}
			for i := range got {
				if len(got) != 2*len(tt.want) || got[i] != tt.want[i/2] {
					t.Fatalf("more %v, want each of %v twice", got, tt.want)
				}
			}
		})
	}
}

// endless is a stream that begins with head and continues with x forever.
func endless(head string) io.Reader {
	return io.MultiReader(strings.NewReader(head), repeat{})
}

type repeat struct{}

func (repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestSSEReaderIsBounded(t *testing.T) {
	for name, r := range map[string]io.Reader{
		"line":  endless("data: "),
		"lines": strings.NewReader(strings.Repeat("data: "+strings.Repeat("x", 4000)+"\n", maxSSEEvent/4000+10)),
	} {
		_, err := joined(newSSEReader(r).payloads())
		var e *Error
		if !errors.As(err, &e) || e.Status != 502 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadersPassOnWhatCutThem(t *testing.T) {
	cause := errors.New("reset by peer")
	r := func() io.Reader { return io.MultiReader(strings.NewReader("data: 1\n"), iotest.ErrReader(cause)) }
	if _, err := joined(newSSEReader(r()).payloads()); !errors.Is(err, cause) {
		t.Errorf("SSE: %v", err)
	}
	if _, err := joined(framed(t, r())); !errors.Is(err, cause) {
		t.Errorf("frames: %v", err)
	}
}

// frame encodes a message with AWS's own encoder; headers are names and values in turn.
func frame(t testing.TB, payload string, headers ...string) string {
	m := sdk.Message{Payload: []byte(payload)}
	for i := 0; i < len(headers); i += 2 {
		m.Headers.Set(headers[i], sdk.StringValue(headers[i+1]))
	}
	var out bytes.Buffer
	if err := sdk.NewEncoder().Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func chunkFrame(t testing.TB, payload string) string {
	return frame(t, payload, ":event-type", "chunk", ":content-type", "application/json", ":message-type", "event")
}

func TestFrameReader(t *testing.T) {
	const one, two = "eyJhIjoxfQ==", "Mg==" // {"a":1} and 2
	tests := []struct {
		name, stream, want, err string
	}{
		{"chunks", chunkFrame(t, `{"bytes":"`+one+`","p":"abc"}`) + chunkFrame(t, `{"bytes":"`+two+`"}`), `{"a":1}|2|`, ""},
		{"another order of members", chunkFrame(t, `{ "p":"abc", "bytes" : "`+two+`"}`), `2|`, ""},
		{"escapes in base64", chunkFrame(t, `{"bytes":"Mg\u003d="}`), `2|`, ""},
		{"larger than the buffer", chunkFrame(t, `{"bytes":"`+strings.Repeat("eHh4", 8<<10)+`"}`), strings.Repeat("xxx", 8<<10) + "|", ""},
		{"an event of another kind", frame(t, "?", ":event-type", "trace", ":message-type", "event") + chunkFrame(t, `{"bytes":"`+two+`"}`), `2|`, ""},
		{"no base64", chunkFrame(t, `{"bytes":"!"}`), "", "Dragoman cannot read"},
		{"no bytes", chunkFrame(t, `{"type":"message_stop"}`), "", "502 api_error: the upstream sent a chunk that Dragoman cannot read"},
		{"exception", frame(t, `{"message":"slow down"}`, ":exception-type", "throttlingException", ":message-type", "exception"),
			"", "429 rate_limit_error: slow down"},
		{"exception with what the model said", frame(t, `{"message":"failed","originalStatusCode":500,"originalMessage":"boom"}`,
			":exception-type", "modelStreamErrorException", ":message-type", "exception"), "", "500 api_error: failed: boom"},
		{"exception without a body", frame(t, "", ":exception-type", "serviceUnavailableException", ":message-type", "exception"),
			"", "Dragoman cannot read"},
		{"error without a code", frame(t, "", ":message-type", "error"), "", "502 api_error: the upstream failed and did not say why"},
		{"error", frame(t, "", ":message-type", "error", ":error-code", "InternalFailure", ":error-message", "oh"), "", "500 api_error: oh"},
		{"unknown type of message", frame(t, "", ":message-type", "greeting"), "", "Dragoman cannot read"},
		{"no type of message", frame(t, ""), "", "Dragoman cannot read"},
		{"lengths that cannot be", prelude(15, 0), "", "broke off"},
		{"headers longer than the message", prelude(20, 5), "", "broke off"},
		{"a length beyond every limit", prelude(1<<31, 0), "", "broke off"},
		{"the largest length, and no message", prelude(4<<20, 0), "", "broke off"},
		{"a checksum that is not", prelude(20, 0)[:11] + "\x00" + "12345678", "", "Dragoman cannot read"},
		{"not frames at all", "<html><body>Sign in</body></html>", "", "Dragoman cannot read"},
		{"cut in the prelude", "\x00\x00", "", "broke off"},
		{"nothing", "", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"whole": strings.NewReader(test.stream), "byte by byte": iotest.OneByteReader(strings.NewReader(test.stream)),
			} {
				got, err := joined(framed(t, r))
				if got != test.want {
					t.Errorf("%s: %.80q", name, got)
				}
				var e *Error
				if !errors.As(err, &e) || !strings.Contains(err.Error(), cmp.Or(test.err, "broke off")) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// prelude returns the first 12 bytes of a frame, with a correct checksum.
func prelude(total, headers uint32) string {
	b := binary.BigEndian.AppendUint32(nil, total)
	b = binary.BigEndian.AppendUint32(b, headers)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

// TestFrameReaderDamage flips each byte of a frame. The reader notices every one.
func TestFrameReaderDamage(t *testing.T) {
	whole := chunkFrame(t, `{"bytes":"Mg==","p":"abc"}`)
	for i := range whole {
		damaged := []byte(whole)
		damaged[i] ^= 0x10
		if got, err := joined(framed(t, bytes.NewReader(damaged))); err == nil || got != "" {
			t.Errorf("byte %d: %q, %v", i, got, err)
		}
	}
}

// FuzzReaders looks for a panic, an endless loop, and an answer that depends on how the stream was cut.
func FuzzReaders(f *testing.F) {
	f.Add([]byte("event: a\r\ndata: 1\n\ndata: 2\ndata: 3\n\n"))
	f.Add([]byte(chunkFrame(f, `{"bytes":"Mg==","p":"abc"}`) + prelude(17, 1) + "12345"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		for i, read := range []func(io.Reader) (string, error){
			func(r io.Reader) (string, error) { return joined(newSSEReader(r).payloads()) },
			func(r io.Reader) (string, error) { return joined(framed(t, r)) },
		} {
			whole, err := read(bytes.NewReader(stream))
			pieces, err2 := read(iotest.OneByteReader(bytes.NewReader(stream)))
			if whole != pieces || fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Errorf("reader %d: %q, %v; in pieces %q, %v", i, whole, err, pieces, err2)
			}
		}
	})
}
