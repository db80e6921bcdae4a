package proxy

import (
	"dragoman/proxy/bedrock"
	"dragoman/translate"
)

// read reads the request, in the client's dialect, until it is known who is to
// answer it.
func (x *exchange) read(opt translate.DecodeOptions) (*translate.Body, Model, error) {
	data, err := x.body()
	if err != nil {
		return nil, Model{}, err
	}
	opt.Strict = x.s.strict
	began := x.elapsed()
	body, err := x.understand(data, opt)
	x.record.Decode = x.elapsed() - began
	if err != nil {
		return nil, Model{}, reason(x.r.Context(), x.own.Error(err))
	}
	x.record.Model, x.record.Stream = body.Model, body.Stream && !opt.Count
	model, err := x.s.models.find(body.Model)
	if err != nil {
		return nil, Model{}, err
	}
	x.record.Pattern, x.record.Upstream, x.record.UpstreamModel = model.Name, model.Upstream, model.Model
	return body, model, nil
}

// understand reads the body of a request.
func (x *exchange) understand(data []byte, opt translate.DecodeOptions) (body *translate.Body, err error) {
	if x.dialect.convert != nil {
		if x.own, err = x.dialect.convert(x.r.Context(), data); err != nil {
			return nil, err
		}
		if opt.Strict && len(x.own.Dropped) > 0 {
			return nil, &translate.InvalidRequestError{Path: x.own.Dropped[0], Message: "Not supported here. Remove the field."}
		}
		data = x.own.Body
	}
	if !opt.Count { // a count has no answer that would have to pass a guardrail
		if x.guardrail, data, err = bedrock.TakeGuardrail(x.r.Context(), x.r.Header, data); err != nil {
			return nil, err
		}
		if x.own != nil && x.own.Guardrail != nil {
			x.guardrail = x.own.Guardrail
		}
		x.unheeded = x.dialect.leftOut(x.r.Header)
	}
	if opt.Strict && len(x.unheeded) > 0 {
		return nil, &translate.InvalidRequestError{Path: x.unheeded[0], Message: "Not supported here. Remove the field."}
	}
	return x.dialect.decode(x.r, data, opt)
}

// decode validates the request. What it leaves out is named.
func (x *exchange) decode(body *translate.Body) (*translate.Request, error) {
	began := x.elapsed()
	req, err := body.Request(x.r.Context())
	x.record.Decode += x.elapsed() - began
	if err != nil {
		return nil, reason(x.r.Context(), x.own.Error(err))
	}
	req.ID = newID("msg_")
	x.leftOut(req.Dropped)
	return req, nil
}
