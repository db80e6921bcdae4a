package upstreamtest

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"dragoman/translate"
	"dragoman/upstream"
)

// Request is a request as a server has read it.
type Request struct {
	Model  string
	Header http.Header
	Body   []byte
	Prompt *translate.Prompt // the prompt in the body
	// Guardrail is the guardrail in a request to a [Bedrock]; nil for none.
	Guardrail *upstream.Guardrail
}

// log stores the requests of a server.
type log struct {
	mu       sync.Mutex
	requests []Request
	gone     chan struct{}
}

// maxGone is how many clients that left are counted.
const maxGone = 1 << 10

// newLog returns an empty log.
func newLog() *log { return &log{gone: make(chan struct{}, maxGone)} }

// Requests returns the valid requests so far, in order.
func (l *log) Requests() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.requests[:len(l.requests):len(l.requests)]
}

// Gone sends one value for each client that left before the end of its answer.
func (l *log) Gone() <-chan struct{} { return l.gone }

// add stores a request.
func (l *log) add(r Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, r)
}

// left counts a client that left.
func (l *log) left() {
	select {
	case l.gone <- struct{}{}:
	default:
	}
}

// wireWriter writes events on the wire of a server.
type wireWriter interface {
	// start sends the head of the response.
	start()
	// event sends one event; if damaged is true, nobody can read it.
	event(name string, data []byte, damaged bool)
	// fail sends an error in the stream.
	fail(typ, message string)
}

// play sends the events of an answer, with its fault, until it is complete or the client has left.
func (l *log) play(ctx context.Context, f wireWriter, events []event, fault *Fault) {
	if fault == nil {
		fault = new(Fault)
	}
	if fault.kind == stall && fault.after == 0 {
		<-ctx.Done()
	}
	if ctx.Err() == nil {
		f.start()
	}
	for i, e := range events {
		if fault.kind == stall && i == fault.after {
			<-ctx.Done()
		}
		if ctx.Err() != nil {
			l.left()
			return
		}
		if fault.kind == fail && i == fault.after {
			f.fail(fault.typ, fault.message)
			return
		}
		f.event(e.name, e.data, fault.kind == corrupt && i == fault.after)
	}
}

// body writes the body of a response, with the fault if that counts bytes.
type body struct {
	w        http.ResponseWriter
	fragment int
	fault    *Fault
	sent     int
}

// endOfBody is the panic that ends an answer without an error.
type endOfBody struct{}

// newBody returns the body of the response to a completion.
func newBody(w http.ResponseWriter, c Completion) *body {
	b := &body{w: w, fragment: c.Fragment}
	if c.Fault != nil && (c.Fault.kind == cut || c.Fault.kind == end) {
		b.fault = c.Fault
	}
	return b
}

// Write writes and flushes. If the fault applies, it does not return.
func (b *body) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := len(rest)
		if b.fragment > 0 {
			n = min(n, b.fragment)
		}
		if b.fault != nil {
			n = min(n, b.fault.after-b.sent)
		}
		if _, err := b.w.Write(rest[:n]); err != nil {
			return len(p) - len(rest), err
		}
		rest, b.sent = rest[n:], b.sent+n
		b.flush()
		if b.fault != nil && b.sent == b.fault.after {
			if b.fault.kind == end {
				panic(endOfBody{})
			}
			panic(http.ErrAbortHandler)
		}
	}
	return len(p), nil
}

// flush sends what was written.
func (b *body) flush() {
	_ = http.NewResponseController(b.w).Flush() // if the client has left, the context tells
}

// untilEnd runs an answer. An answer can end early, without an error, with the panic endOfBody.
func untilEnd(answer func()) {
	defer func() {
		if r := recover(); r != nil && r != (endOfBody{}) {
			panic(r)
		}
	}()
	answer()
}

// writeCount answers with the number of tokens, in the member with this name.
func writeCount(w http.ResponseWriter, member string, tokens int) {
	w.Header().Set("content-type", "application/json")
	fmt.Fprintf(w, `{%q:%d}`, member, tokens)
}
