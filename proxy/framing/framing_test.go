package framing

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	host  = "POST / HTTP/1.1\r\nHost: x\r\n"
	after = "GET /after HTTP/1.1\r\nHost: x\r\n\r\n"
)

// requests are what clients send, and whether it is refused.
var requests = []struct {
	name    string
	sent    string
	refused bool
}{
	{"no body", after + after, false},
	{"length", host + "Content-Length: 5\r\n\r\nhello" + after, false},
	{"length of nothing", host + "content-length:0\r\n\r\n" + after, false},
	{"a body that looks like a request", host + "Content-Length: 27\r\n\r\nGET / HTTP/1.1\n Host: x\n\n\n\n" + after, false},
	{"chunks", host + "Transfer-Encoding: Chunked\r\n\r\n5;a=b\r\nhel\nl\r\n00a \r\n0123456789\r\n0\r\nX: y\r\n\r\n" + after, false},
	{"HTTP/1.0", "POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx" + after, false},
	{"a long line", host + "X: " + strings.Repeat("Content-Length: 9", 1000) + "\r\n\r\n" + after, false},
	{"HTTP/2", preface + "\x00\x00\x06\x04\n\nanything\n", false},

	{"length and chunks", host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + after, true},
	{"chunks and length", host + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + after, true},
	{"two lengths", host + "Content-Length: 5\r\nContent-Length: 0\r\n\r\nhello" + after, true},
	{"the same length twice", host + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello" + after, true},
	{"a list of lengths", host + "Content-Length: 5, 5\r\n\r\nhello" + after, true},
	{"a length with a sign", host + "Content-Length: +5\r\n\r\nhello" + after, true},
	{"a length below nothing", host + "Content-Length: -5\r\n\r\nhello" + after, true},
	{"an empty length", host + "Content-Length:\r\n\r\nhello" + after, true},
	{"a length behind blanks", host + "Content-Length:" + strings.Repeat(" ", 200) + "5\r\n\r\nhello" + after, true},
	{"another encoding", host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + after, true},
	{"an encoding twice", host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + after, true},
	{"chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + after, true},
	{"a folded field", host + "X: y\r\n z\r\n\r\n" + after, true},
	{"a folded encoding", host + "Transfer-Encoding:\r\n\tchunked\r\n\r\n0\r\n\r\n" + after, true},
	{"a fold at first", "POST / HTTP/1.1\r\n Host: x\r\n\r\n" + after, true},
	{"a request line with LF", "POST / HTTP/1.1\nHost: x\r\n\r\n" + after, true},
	{"a field with LF", host + "X: y\nZ: y\r\n\r\n" + after, true},
	{"a head with LF", strings.ReplaceAll(host, "\r", "") + "\n" + after, true},
	{"CR in a field", host + "X: y\rZ: y\r\n\r\n" + after, true},
	{"a chunk with LF", host + "Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n" + after, true},
	{"data that ends with LF", host + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\n0\r\n\r\n" + after, true},
	{"data that is longer", host + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n0\r\n\r\n" + after, true},
	{"a trailer with LF", host + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\n\r\n" + after, true},
	{"no size", host + "Transfer-Encoding: chunked\r\n\r\n\r\nhello\r\n0\r\n\r\n" + after, true},
	{"a size with 0x", host + "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n" + after, true},
	{"a size below nothing", host + "Transfer-Encoding: chunked\r\n\r\n-1\r\nhello\r\n0\r\n\r\n" + after, true},
	{"a size too large", host + "Transfer-Encoding: chunked\r\n\r\n10000000000000005\r\nhello\r\n0\r\n\r\n" + after, true},
	{"half of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSN\r\n\r\n" + host + "X: y\n\r\n", true},
	{"a second request", after + host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", true},
	{"after a body", host + "Content-Length: 5\r\n\r\nhello" + "GET / HTTP/1.1\nHost: x\r\n\r\n", true},
}

// passed returns what may be read of what a client sends in pieces that are at most so long.
func passed(sent string, cut func() int) (string, error) {
	var w watch
	var out strings.Builder
	for rest := []byte(sent); len(rest) > 0; {
		piece := rest[:min(cut(), len(rest))]
		n, err := w.follow(piece)
		out.Write(piece[:n])
		if err != nil {
			return out.String(), err
		}
		rest = rest[len(piece):]
	}
	return out.String(), nil
}

// However the network cuts what is sent, the same is read of it: all, or nothing from the end of the
// head on that is refused.
func TestFollow(t *testing.T) {
	random := rand.New(rand.NewPCG(38, 38))
	for _, tt := range requests {
		t.Run(tt.name, func(t *testing.T) {
			whole, err := passed(tt.sent, func() int { return len(tt.sent) })
			if refused := err != nil; refused != tt.refused || !refused && whole != tt.sent {
				t.Fatalf("%v, read %q", err, whole)
			}
			for i := range 40 {
				longest := 1 + i%len(tt.sent)
				got, again := passed(tt.sent, func() int { return 1 + random.IntN(longest) })
				if got != whole || again != err {
					t.Errorf("in pieces of at most %d: %v, %q", longest, again, got)
				}
			}
		})
	}
}

// read returns the paths and bodies of the requests that net/http reads.
func read(sent string) (requests []string) {
	for r := bufio.NewReader(strings.NewReader(sent)); ; {
		request, err := http.ReadRequest(r)
		if err != nil {
			return requests
		}
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return requests
		}
		requests = append(requests, fmt.Sprintf("%s %q", request.URL, body))
	}
}

// framed returns what net/http reads of what may be read, by the ends that this package finds: each
// request is read alone.
func framed(sent string) (requests []string, refused bool) {
	var w watch
	var one bytes.Buffer
	for i := range len(sent) {
		n, err := w.follow([]byte{sent[i]})
		if err != nil {
			return requests, true
		}
		one.Write([]byte{sent[i]}[:n])
		if w.kind == requestLine && w.left == 0 && w.n == 0 && !w.cr {
			got := read(one.String())
			if len(got) != 1 {
				return requests, true
			}
			requests = append(requests, got...)
			one.Reset()
		}
	}
	return requests, false
}

// FuzzFraming: a request ends where net/http sees its end.
func FuzzFraming(f *testing.F) {
	for _, tt := range requests {
		f.Add(tt.sent)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		if strings.HasPrefix(sent, "PRI") {
			return
		}
		got, refused := framed(sent)
		want := read(sent)
		if len(got) > len(want) || refused && len(got) < len(want) {
			want = want[:min(len(got), len(want))]
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q\nframed %v\nnet/http reads %v", sent, got, want)
		}
	})
}
