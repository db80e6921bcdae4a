package upstreamtest

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"dragoman/translate"
	"dragoman/upstream"
)

// Request is a request as a server understood it.
type Request struct {
	Model  string
	Header http.Header
	Body   []byte
	Prompt *translate.Prompt // what the body says
	// Guardrail is what a [Bedrock] was to have the answer pass; nil for none.
	Guardrail *upstream.Guardrail
}

// log is what a server remembers of its requests.
type log struct {
	mu       sync.Mutex
	requests []Request
	gone     chan struct{}
}

// maxGone is how many departed clients a server keeps count of.
const maxGone = 1 << 10

// newLog returns an empty log.
func newLog() *log { return &log{gone: make(chan struct{}, maxGone)} }

// Requests returns the requests so far that were understood, in order.
func (l *log) Requests() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.requests[:len(l.requests):len(l.requests)]
}

// Gone gives one value for each client that went before the end of its answer.
func (l *log) Gone() <-chan struct{} { return l.gone }

// add remembers a request.
func (l *log) add(r Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, r)
}

// left counts a client that went.
func (l *log) left() {
	select {
	case l.gone <- struct{}{}:
	default:
	}
}

// wireWriter is how a server writes events on its wire.
type wireWriter interface {
	// start sends the head of the response.
	start()
	// event sends one event; damaged, so that it cannot be read.
	event(name string, data []byte, damaged bool)
	// fail sends an error in the stream.
	fail(typ, message string)
}

// play sends the events of an answer, with its fault, until it is whole or the
// client has gone.
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

// body writes the body of a response. It has the fault that lies in its bytes.
type body struct {
	w        http.ResponseWriter
	fragment int
	fault    *Fault
	sent     int
}

// endOfBody is the panic that ends an answer in good order.
type endOfBody struct{}

// newBody returns the body of the response to a completion.
func newBody(w http.ResponseWriter, c Completion) *body {
	b := &body{w: w, fragment: c.Fragment}
	if c.Fault != nil && (c.Fault.kind == cut || c.Fault.kind == end) {
		b.fault = c.Fault
	}
	return b
}

// Write writes and flushes. Where the fault says so it does not return.
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
	_ = http.NewResponseController(b.w).Flush() // a client that went shows in the context
}

// untilEnd runs an answer. One that ends itself early, in good order, does so with the
// panic endOfBody.
func untilEnd(answer func()) {
	defer func() {
		if r := recover(); r != nil && r != (endOfBody{}) {
			panic(r)
		}
	}()
	answer()
}

// writeCount answers with the number of tokens, in the member of this name.
func writeCount(w http.ResponseWriter, member string, tokens int) {
	w.Header().Set("content-type", "application/json")
	fmt.Fprintf(w, `{%q:%d}`, member, tokens)
}
