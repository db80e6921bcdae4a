package proxy

import (
	"context"
	"net/http"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// Observe is called when an exchange begins. It returns the functions through which the observer follows the exchange,
// or nil. The record already has the ids and the dialect. The observer may set its TraceID, and must not change
// anything else.
type Observe func(r *http.Request, record *metrics.Exchange) *Observation

// Observation has the functions that follow one exchange; each may be nil. The exchange's goroutine calls them one
// after another, and waits for each. Their arguments belong to the exchange: a function may read them until it returns,
// and must copy what it keeps. They contain texts of clients and models: SECURITY.md says where these may go.
type Observation struct {
	// Received is called with the request's body, uncompressed, in the client's dialect. A client that fails
	// authentication does not get this far.
	Received func(body []byte)

	// Rendered is called with each prompt before it goes to a model, and with the client's request. A prompt that asks
	// again, to continue or to repair an answer, has more text than the request: see [translate.Prompt.Again]. After
	// the answer has begun, the request is nil, because it is no longer kept. The earlier calls had it.
	Rendered func(m UpstreamModel, req *messages.Request, p *translate.Prompt)

	// Passed is called instead with each body before it goes to a model's own tools API.
	Passed func(m UpstreamModel, body []byte)

	// Calling is called before a call to an upstream, and returns the context of the call: ctx, or one derived from it.
	// When the call ends, Called follows. Its error is nil if the proxy read as much of the answer as it needed.
	Calling func(ctx context.Context, m UpstreamModel) context.Context
	Called  func(err error)

	// Chunk is called with each piece of a completion when it arrives.
	Chunk func(c *translate.Chunk)

	// Event is called with each event of the answer before it goes to the client.
	Event func(e *messages.Event)

	// Failed is called with the error that the client gets when the exchange fails. typ is an error.type of the
	// Messages API.
	Failed func(typ, message string)

	// Ended is called when the exchange is over, with the complete record.
	Ended func(record *metrics.Exchange)
}

// observations are the Observations of one exchange. Without observers the slice is empty and costs nothing.
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
