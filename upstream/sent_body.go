package upstream

import (
	"bytes"
	"context"
	"io"
	"net/http/httptrace"
	"sync"
)

// sentBody is the body of a request. An answer may take minutes, and the transport keeps
// its request for as long: so the body is let go once the upstream has got all of it and
// has accepted the request, and nobody will ask for it again. Its reader stays a
// bytes.Reader, which the transport sends in one piece with the header. One that had to
// be sent again is kept: two tries may overlap.
type sentBody struct {
	reader *bytes.Reader
	data   []byte

	mu                    sync.Mutex
	sent, again, accepted bool
}

// newSentBody returns the body that data is.
func newSentBody(data []byte) *sentBody { return &sentBody{reader: bytes.NewReader(data), data: data} }

// traced returns a context by which the body learns that it was sent.
func (b *sentBody) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.sent = info.Err == nil
		b.letGo()
	}})
}

// sendAgain is the GetBody of the request.
func (b *sentBody) sendAgain() (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.again = true
	return io.NopCloser(bytes.NewReader(b.data)), nil
}

// accept says that the request was accepted.
func (b *sentBody) accept() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accepted = true
	b.letGo()
}

// letGo forgets the body, if that is not needed any more. The caller holds mu.
func (b *sentBody) letGo() {
	if b.sent && b.accepted && !b.again {
		b.data = nil
		b.reader.Reset(nil)
	}
}
