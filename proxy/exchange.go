package proxy

import (
	"context"
	"iter"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"dragoman/metrics"
	"dragoman/translate/messages"
)

// exchange is one request and all that comes of it.
type exchange struct {
	s       *Server
	dialect *dialect
	w       http.ResponseWriter
	control *http.ResponseController
	r       *http.Request
	began   time.Time
	record  metrics.Exchange
	stream  *stream     // of an answer that is to be streamed
	own     *conversion // of the request, if it came in terms of its own
	kept    int         // bytes of the answer that the client has not had
	// collects says that what a client has been sent of a stream is kept all the same.
	collects bool

	guardrail *guardrail // that the answer has to pass; nil for none
	unheeded  []string   // what headers ask for in vain: sorted, in the client's terms
}

func (s *Server) begin(d *dialect, w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{s: s, dialect: d, w: w, control: http.NewResponseController(w), r: r, began: time.Now()}
	x.record = metrics.Exchange{Dialect: d.name, TraceID: traceID(r.Header), Terminal: metrics.Complete}
	x.record.RequestID, x.record.ClientRequestID = identify(w, r)
	x.rest()
	if d.identify != nil {
		d.identify(w.Header(), x.record.RequestID)
	}
	return x
}

// elapsed is the time since the request.
func (x *exchange) elapsed() time.Duration { return time.Since(x.began) }

// contain runs f. A panic in it becomes an error.
func (x *exchange) contain(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v, debug.Stack()}
		}
	}()
	return f()
}

// answer is the pipeline up to the ways that the request can take.
func (x *exchange) answer() error {
	body, model, err := x.read(messages.DecodeOptions{})
	if err != nil {
		return err
	}
	ways, err := x.guarded(model.Ways(), body.Stream)
	if err != nil {
		return err
	}
	dry, err := x.dryRun()
	if err != nil {
		return err
	}
	if dry {
		return x.show(body, ways[0])
	}
	return x.ask(body, ways)
}

// read reads the request, in the client's dialect, until it is known who is to
// answer it.
func (x *exchange) read(opt messages.DecodeOptions) (*messages.Body, Model, error) {
	data, err := x.body()
	if err != nil {
		return nil, Model{}, err
	}
	opt.Strict = x.s.strict
	began := x.elapsed()
	body, err := x.understand(data, opt)
	x.record.Decode = x.elapsed() - began
	if err != nil {
		return nil, Model{}, reason(x.r.Context(), x.own.called(err))
	}
	x.record.Model, x.record.Stream = body.Model, body.Stream && !opt.Count
	model, err := x.s.route(body.Model)
	if err != nil {
		return nil, Model{}, err
	}
	x.record.Pattern, x.record.Upstream, x.record.UpstreamModel = model.Name, model.Upstream, model.Model
	return body, model, nil
}

// understand reads the body of a request.
func (x *exchange) understand(data []byte, opt messages.DecodeOptions) (body *messages.Body, err error) {
	if x.dialect.convert != nil {
		if x.own, err = x.dialect.convert(x.r.Context(), data); err != nil {
			return nil, err
		}
		if opt.Strict && len(x.own.dropped) > 0 {
			return nil, &messages.InvalidRequestError{Path: x.own.dropped[0], Message: "Not supported here. Remove the field."}
		}
		data = x.own.body
	}
	if !opt.Count { // a count has no answer that would have to pass a guardrail
		if x.guardrail, data, err = readGuardrail(x.r.Context(), x.r.Header, data); err != nil {
			return nil, err
		}
		if x.own != nil && x.own.guardrail != nil {
			x.guardrail = x.own.guardrail
		}
		x.unheeded = x.dialect.leftOut(x.r.Header)
	}
	if opt.Strict && len(x.unheeded) > 0 {
		return nil, &messages.InvalidRequestError{Path: x.unheeded[0], Message: "Not supported here. Remove the field."}
	}
	return x.dialect.decode(x.r, data, opt)
}

// decode validates the request. What it leaves out is named.
func (x *exchange) decode(body *messages.Body) (*messages.Request, error) {
	began := x.elapsed()
	req, err := body.Request(x.r.Context())
	x.record.Decode += x.elapsed() - began
	if err != nil {
		return nil, reason(x.r.Context(), x.own.called(err))
	}
	req.ID = newID("msg_")
	x.leftOut(req.Dropped)
	return req, nil
}

// ask is the pipeline from the prompt to the client, streamed or whole. The
// status line goes out with the first event of a stream, and with a message
// that is whole: a failure before is answered with a status of its own.
func (x *exchange) ask(body *messages.Body, ways []Way) error {
	ctx, cancel := context.WithCancelCause(x.r.Context())
	defer cancel(nil)
	total := expire(cancel, totalTimeout, x.s.timeouts.Total)
	defer total.Stop()

	events := x.watch(few(x.attempts(ctx, body, ways)))
	if body.Stream {
		x.stream = &stream{x: x, cancel: cancel, to: x.dialect.frames(x.r.Header)}
		return x.stream.send(events)
	}
	m, err := messages.Collect(events)
	if err != nil {
		return err
	}
	began := x.elapsed()
	answer := x.dialect.message(x.w.Header(), nil, m, began)
	x.record.Encode = x.elapsed() - began
	return x.write(http.StatusOK, answer)
}

// watch takes down what the events say of the exchange.
func (x *exchange) watch(events iter.Seq2[messages.Event, error]) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		for e, err := range events {
			switch e.Type {
			case messages.MessageStart:
				x.record.FirstEvent = x.elapsed()
				x.count(e.Message.Usage)
			case messages.ContentBlockStart:
				if e.Raw != nil && e.Block.Type == messages.BlockToolUse {
					x.record.ToolCalls = append(x.record.ToolCalls, string(messages.OutcomeClean))
				}
			case messages.MessageDelta:
				x.count(e.Message.Usage)
				x.record.StopReason = string(e.Message.StopReason)
				for _, o := range e.Message.Outcomes {
					x.record.ToolCalls = append(x.record.ToolCalls, string(o.Kind))
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// count takes down the totals so far.
func (x *exchange) count(u messages.Usage) {
	x.record.InputTokens, x.record.OutputTokens = u.InputTokens, u.OutputTokens
	x.record.CacheReadTokens, x.record.CacheWriteTokens = u.CacheReadInputTokens, u.CacheCreationInputTokens
}

// dryRun tells whether the client wants to see the prompt, and nobody to be asked. What
// it says otherwise is an error: it may have meant just that.
func (x *exchange) dryRun() (bool, error) {
	value := x.r.Header.Get("X-Dragoman-Dry-Run")
	if value == "" {
		return false, nil
	}
	dry, err := strconv.ParseBool(value)
	if err != nil {
		return false, invalid("x-dragoman-dry-run: write 1 to see the prompt without calling anything, or leave the header out")
	}
	return dry, nil
}

// write answers with JSON, at once.
func (x *exchange) write(status int, body []byte) error {
	x.record.Status = status
	x.w.Header().Set("Content-Type", "application/json")
	x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	x.allow()
	x.w.WriteHeader(status)
	n, err := x.w.Write(body)
	x.record.BytesOut = int64(n)
	if err != nil {
		return errClientGone
	}
	return nil
}

// allow gives the client its time to take what is written next. A connection
// that knows no deadlines has none.
func (x *exchange) allow() {
	_ = x.control.SetWriteDeadline(time.Now().Add(x.s.timeouts.WriteStall))
}

// rest takes the time limit away while nothing is written: on HTTP/2 it would end a
// stream that is merely silent.
func (x *exchange) rest() { _ = x.control.SetWriteDeadline(time.Time{}) }
