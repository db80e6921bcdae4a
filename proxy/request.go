package proxy

import (
	"cmp"
	"slices"
	"strings"

	"dragoman/proxy/bedrock"
	"dragoman/translate/messages"
)

// readRequest reads the request in the client's dialect so far that the model is known,
// and returns the route for it. The rest of the body is decoded when a model needs it:
// see decode.
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
	route, err := x.s.routes.find(body.Model)
	if err != nil {
		return nil, Route{}, err
	}
	route = x.s.told(route)
	if x.replay != nil {
		route = x.replay.of(route)
	}
	x.record.Pattern, x.record.Upstream, x.record.UpstreamModel = route.Name, route.Upstream, route.Model
	return body, route, nil
}

// parseBody turns the body into one of the Messages API and takes the guardrail out of
// it. What has no place in it is remembered, or refused if compat is strict.
func (x *exchange) parseBody(data []byte, opt messages.DecodeOptions) (body *messages.Body, err error) {
	if x.dialect.convert != nil {
		if x.record.conversion, err = x.dialect.convert(x.r.Context(), data); err != nil {
			return nil, err
		}
		if at := x.record.conversion.Refusable; opt.Strict && at != "" {
			return nil, &messages.InvalidRequestError{Fault: messages.FaultUnsupported, Path: at, Message: "Not supported here. Remove the field."}
		}
		data, x.record.conversion.Body = x.record.conversion.Body, nil // what is read of it keeps it as long as it has to
	}
	if !opt.Count { // a count has no answer that would have to pass a guardrail
		if x.guardrail, data, err = bedrock.TakeGuardrail(x.r.Context(), x.r.Header, data); err != nil {
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

// readNative reads what has to be known of a request that goes through as it is. The model gets all of it.
func (x *exchange) readNative(body *messages.Body) (*messages.Request, error) {
	req, err := body.Native(x.r.Context())
	if err != nil {
		return nil, causeOr(x.r.Context(), err)
	}
	req.ID = newID("msg_")
	x.record.setDropped(nil)
	return req, nil
}

// decode validates all of the request, for a model that is asked with a prompt. The
// fields that it drops go into the answer's header.
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
