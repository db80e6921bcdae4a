package proxy

import (
	"dragoman/proxy/bedrock"
	"dragoman/translate"
)

// read reads the request, in the client's dialect, until it is known who is to
// answer it.
func (x *exchange) readRequest(opt translate.DecodeOptions) (*translate.Body, Route, error) {
	data, err := x.readBody()
	if err != nil {
		return nil, Route{}, err
	}
	opt.Strict = x.s.strict
	began := x.elapsed()
	body, err := x.parseBody(data, opt)
	x.record.Decode = x.elapsed() - began
	if err != nil {
		return nil, Route{}, causeOr(x.r.Context(), x.conversion.Error(err))
	}
	x.record.Model, x.record.Stream = body.Model, body.Stream && !opt.Count
	model, err := x.s.routes.find(body.Model)
	if err != nil {
		return nil, Route{}, err
	}
	x.record.Pattern, x.record.Upstream, x.record.UpstreamModel = model.Name, model.Upstream, model.Model
	return body, model, nil
}

// understand reads the body of a request.
func (x *exchange) parseBody(data []byte, opt translate.DecodeOptions) (body *translate.Body, err error) {
	if x.dialect.convert != nil {
		if x.conversion, err = x.dialect.convert(x.r.Context(), data); err != nil {
			return nil, err
		}
		if opt.Strict && len(x.conversion.Dropped) > 0 {
			return nil, &translate.InvalidRequestError{Path: x.conversion.Dropped[0], Message: "Not supported here. Remove the field."}
		}
		data = x.conversion.Body
	}
	if !opt.Count { // a count has no answer that would have to pass a guardrail
		if x.guardrail, data, err = bedrock.TakeGuardrail(x.r.Context(), x.r.Header, data); err != nil {
			return nil, err
		}
		if x.conversion != nil && x.conversion.Guardrail != nil {
			x.guardrail = x.conversion.Guardrail
		}
		x.ignored = x.dialect.ignoredIn(x.r.Header)
	}
	if opt.Strict && len(x.ignored) > 0 {
		return nil, &translate.InvalidRequestError{Path: x.ignored[0], Message: "Not supported here. Remove the field."}
	}
	return x.dialect.read(x.r, data, opt)
}

// decode validates the request. What it leaves out is named.
func (x *exchange) decode(body *translate.Body) (*translate.Request, error) {
	began := x.elapsed()
	req, err := body.Request(x.r.Context())
	x.record.Decode += x.elapsed() - began
	if err != nil {
		return nil, causeOr(x.r.Context(), x.conversion.Error(err))
	}
	req.ID = newID("msg_")
	x.setDropped(req.Dropped)
	return req, nil
}
