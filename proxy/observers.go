package proxy

import (
	"context"
	"net/http"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// Observe is called when an exchange begins. It returns what the observer wants to be told of it,
// or nil for nothing. The record has the ids and the dialect by then; the observer may set its
// TraceID, if it gives the exchange a trace, and leaves the rest as it is.
type Observe func(r *http.Request, record *metrics.Exchange) *Observation

// Observation is what an observer is told of one exchange while it goes on: its functions, of which
// any may be nil. They are called one after another, by whoever serves the exchange, which waits for
// them. What they are given is the exchange's own: they may read it until they return, and copy what
// they keep. It holds what clients and models wrote: see SECURITY.md for where that may go.
type Observation struct {
	// Received is called with the body of the request, unpacked, in the client's dialect. A client
	// that was not let in gets no further than this: it has no body.
	Received func(body []byte)

	// Rendered is called with each prompt that a model is about to be asked, and the request of the
	// client. A prompt that asks again, to go on or to mend what the model wrote, has more in it than
	// the request: see [translate.Prompt.Again]. Once the answer has begun the request is nil, since
	// it is kept no longer than that; it is the one of the calls before.
	Rendered func(m UpstreamModel, req *messages.Request, p *translate.Prompt)

	// Passed is called with each body that is about to go to a model's own tool API instead.
	Passed func(m UpstreamModel, body []byte)

	// Calling is called when an upstream is called, and returns the context of the call: ctx, or
	// one made of it. Called follows, when the call has ended; its error is nil if the answer was
	// read as far as it was needed.
	Calling func(ctx context.Context, m UpstreamModel) context.Context
	Called  func(err error)

	// Chunk is called with each piece of a completion, when it comes.
	Chunk func(c *translate.Chunk)

	// Event is called with each event of the answer, when the client is about to get it.
	Event func(e *messages.Event)

	// Failed is called with what the client is told of the failure that ends the exchange: the type
	// is one of error.type of the Messages API.
	Failed func(typ, message string)

	// Ended is called when the exchange is over, with all that is logged and counted of it.
	Ended func(record *metrics.Exchange)
}

// observations are what the observers of one exchange want to be told of it. They are empty where
// nobody observes, and then cost nothing.
type observations []*Observation

// observe begins the observations of an exchange.
func (x *exchange) observe() {
	for _, observe := range x.s.observers {
		if o := observe(x.r, &x.record.Exchange); o != nil {
			x.observed = append(x.observed, o)
		}
	}
}

func (os observations) received(body []byte) {
	for _, o := range os {
		if o.Received != nil {
			o.Received(body)
		}
	}
}

func (os observations) rendered(m UpstreamModel, req *messages.Request, p *translate.Prompt) {
	for _, o := range os {
		if o.Rendered != nil {
			o.Rendered(m, req, p)
		}
	}
}

func (os observations) passed(m UpstreamModel, body []byte) {
	for _, o := range os {
		if o.Passed != nil {
			o.Passed(m, body)
		}
	}
}

func (os observations) calling(ctx context.Context, m UpstreamModel) context.Context {
	for _, o := range os {
		if o.Calling != nil {
			ctx = o.Calling(ctx, m)
		}
	}
	return ctx
}

func (os observations) called(err error) {
	for _, o := range os {
		if o.Called != nil {
			o.Called(err)
		}
	}
}

func (os observations) chunk(c *translate.Chunk) {
	for _, o := range os {
		if o.Chunk != nil {
			o.Chunk(c)
		}
	}
}

func (os observations) event(e *messages.Event) {
	for _, o := range os {
		if o.Event != nil {
			o.Event(e)
		}
	}
}

func (os observations) failed(f *failure) {
	for _, o := range os {
		if o.Failed != nil {
			o.Failed(f.typ, f.message)
		}
	}
}

func (os observations) ended(record *metrics.Exchange) {
	for _, o := range os {
		if o.Ended != nil {
			o.Ended(record)
		}
	}
}
