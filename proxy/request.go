package proxy

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"dragoman/metrics"
	"dragoman/proxy/convert"
	"dragoman/translate/messages"
)

// readRequest reads the request in the client's dialect far enough to know its model, and returns the model's route.
// The rest of the body is decoded when a model needs it: see decode.
func (x *exchange) readRequest(opt messages.DecodeOptions) (*messages.Body, Route, error) {
	if err := x.admission.enter(); err != nil {
		return nil, Route{}, err
	}
	data, err := x.readBody()
	if err != nil {
		return nil, Route{}, err
	}
	x.observed.received(data)
	opt.Strict, opt.Betas = x.s.strict, betas(x.r.Header)
	began := x.record.elapsed()
	body, err := x.parseBody(data, opt)
	x.record.Decode = x.record.elapsed() - began
	if err != nil {
		return nil, Route{}, causeOr(x.r.Context(), x.record.conversion.Error(err))
	}
	if x.replay != nil {
		body.Model = cmp.Or(x.replay.Model, body.Model)
	}
	x.record.Model, x.record.Stream = strings.Clone(body.Model), body.Stream && !opt.Count
	route, err := x.s.route(x.r.Context(), body.Model)
	if err != nil {
		return nil, Route{}, err
	}
	route = x.s.told(x.r.Context(), route)
	if x.replay != nil {
		route = replayed(x.replay, route)
	}
	x.record.Pattern, x.record.Upstream, x.record.UpstreamModel = route.Name, route.Upstream, route.Model
	return body, route, nil
}

// parseBody turns the body into one of the Messages API, and takes out the guardrail. It remembers options that this
// body cannot have, or rejects them if compat is strict.
func (x *exchange) parseBody(data []byte, opt messages.DecodeOptions) (body *messages.Body, err error) {
	if x.dialect.convert != nil {
		if x.record.conversion, err = x.dialect.convert(x.r.Context(), data); err != nil {
			return nil, err
		}
		if at := x.record.conversion.Refusable; opt.Strict && at != "" {
			return nil, &messages.InvalidRequestError{Fault: messages.FaultUnsupported, Path: at, Message: "Not supported here. Remove the field, or change its value."}
		}
		data, x.record.conversion.Body = x.record.conversion.Body, nil // what was read from the body keeps the bytes that it needs
	}
	if !opt.Count { // a count has no answer for a guardrail to judge
		if x.guardrail, data, err = convert.TakeGuardrail(x.r.Context(), x.r.Header, data); err != nil {
			return nil, err
		}
		if x.record.conversion != nil && x.record.conversion.Guardrail != nil {
			x.guardrail = x.record.conversion.Guardrail
		}
		x.record.ignored = x.dialect.ignoredIn(x.r.Header)
	}
	if i := slices.IndexFunc(x.record.ignored, x.dialect.refuses); opt.Strict && i >= 0 {
		return nil, &messages.InvalidRequestError{Fault: messages.FaultUnsupported, Path: x.record.ignored[i], Message: "Not supported here. Remove the field."}
	}
	return x.dialect.read(x.r, data, opt)
}

// readNative reads what the proxy has to know about a request that passes through unchanged.
func (x *exchange) readNative(body *messages.Body) (*messages.Request, error) {
	req, err := body.Native(x.r.Context())
	if err != nil {
		return nil, causeOr(x.r.Context(), err)
	}
	req.ID = newID("msg_")
	x.record.setDropped(nil)
	return req, nil
}

// decode validates the whole request, for a model that gets a prompt. The response header names the fields that it
// drops.
func (x *exchange) decode(body *messages.Body) (*messages.Request, error) {
	began := x.record.elapsed()
	req, err := body.Request(x.r.Context())
	x.record.Decode += x.record.elapsed() - began
	if err != nil {
		return nil, causeOr(x.r.Context(), x.record.conversion.Error(err))
	}
	req.ID, req.Model = newID("msg_"), body.Model // a replay has changed the model
	x.record.setDropped(req.Dropped)
	return req, nil
}

// readBody returns the request's body, uncompressed. It reads the body to its end before anything else: only then
// net/http watches the connection, and cancels the request's context when the client leaves.
func (x *exchange) readBody() ([]byte, error) {
	limit := x.s.bodyBytes
	if x.r.ContentLength > limit {
		return nil, bodyTooLarge(limit)
	}
	if !x.s.inflightBytes.hasRoom(x.r.ContentLength) {
		return nil, x.s.overloaded(metrics.GateBytes)
	}
	if err := x.admission.admit(min(x.r.ContentLength, mostPiece)); err != nil {
		return nil, err
	}
	wire := &byteCounter{r: http.MaxBytesReader(nil, x.r.Body, limit)}
	defer func() { x.record.BytesIn = wire.n }()

	var unpacked io.Reader = wire
	announced := x.r.ContentLength
	switch encoding := strings.ToLower(strings.TrimSpace(x.r.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		packed, err := gzip.NewReader(wire)
		if err != nil {
			return nil, bodyError(x.r.Context(), err)
		}
		unpacked, announced = packed, -1
	default:
		return nil, invalidField("Content-Encoding", "only gzip is supported")
	}

	body, err := readAll(unpacked, announced, limit, x.admission.admit)
	switch {
	case err != nil:
		return nil, bodyError(x.r.Context(), err)
	case body == nil:
		return nil, bodyTooLarge(limit)
	}
	return body, nil
}

// readAll reads a body to its end. It returns nil if the body is longer than limit. While the body grows, readAll calls
// admit with the size so far, and returns admit's error.
//
// readAll trusts the announced length, -1 for none, once an eighth of the body has arrived, and then admits all of it.
// So a header alone reserves no memory and keeps nobody out, and a long body is not copied at its end. Without an
// announced length, at most twice the bytes that have arrived are in memory.
func readAll(r io.Reader, announced, limit int64, admit func(size int64) error) ([]byte, error) {
	first := min(announced, mostPiece)
	if announced < 0 {
		first = leastPiece
	}
	pieces := [][]byte{make([]byte, 0, first+1)} // one extra byte, so that the first piece can see the end
	for size := int64(0); ; {
		last := &pieces[len(pieces)-1]
		n, err := r.Read((*last)[len(*last):cap(*last)])
		*last = (*last)[:len(*last)+n]
		if size += int64(n); size > limit {
			return nil, nil
		}
		full := len(*last) == cap(*last)
		if full || err == io.EOF {
			if err := admit(size); err != nil {
				return nil, err
			}
		}
		switch {
		case err == io.EOF && len(pieces) == 1:
			return *last, nil
		case err == io.EOF:
			return slices.Concat(pieces...), nil
		case err != nil:
			return nil, err
		case full && size < announced && announced <= 8*size:
			if err := admit(announced); err != nil {
				return nil, err
			}
			whole := make([]byte, 0, announced+1)
			for _, piece := range pieces {
				whole = append(whole, piece...)
			}
			pieces = [][]byte{whole}
		case full:
			pieces = append(pieces, make([]byte, 0, min(max(size, leastPiece), mostPiece)))
		}
	}
}

// The sizes of the pieces in which a body is read.
const leastPiece, mostPiece = 4 << 10, 1 << 20

// bodyError returns the client's error for a body that could not be read. ctx is the context of the request.
func bodyError(ctx context.Context, err error) error {
	var (
		large *http.MaxBytesError
		own   *failure
	)
	switch {
	case errors.As(err, &own): // the gate has no room for it
		return err
	// Check this before the context: net/http also ends the context, as if the client had left.
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &failure{status: http.StatusRequestTimeout, typ: messages.ErrorTimeout, message: "the body of the request took too long to arrive"}
	case ctx.Err() != nil:
		return causeOr(ctx, err)
	case errors.As(err, &large):
		return bodyTooLarge(large.Limit)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return unreadableBody("the body is not gzip, although its Content-Encoding says so")
	}
	return unreadableBody("the body of the request could not be read to its end")
}

// byteCounter counts the bytes that are read through it.
type byteCounter struct {
	r io.Reader
	n int64
}

func (c *byteCounter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
