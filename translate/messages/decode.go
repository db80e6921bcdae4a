package messages

import (
	"context"
	"maps"
	"slices"

	"dragoman/translate/rawjson"
)

// This file is the entry point of decoding: it turns a body into a Request, in one step or two.

// Decode reads and validates the body of a Messages-API request, by the rules of
// docs/reference/messages-api.md §2 to §9. The body has to be one JSON object; see [CheckJSON].
//
// The raw values in the Request (inputs, schemas, sources) point into body: the caller must not
// change body while it uses the Request.
//
// Decode leaves out blocks that need an upstream with tools of its own. It also leaves out messages
// that hold nothing else, and a final assistant message without content. The rules apply to the
// rest. Request.Dropped lists what was left out.
//
// The error is an *InvalidRequestError in the API's wording. If a request has several errors,
// Decode returns the first, in the order of the API's fields.
func Decode(body []byte, opt DecodeOptions) (*Request, error) {
	ctx := context.Background()
	b, err := ReadBody(ctx, body, opt)
	if err != nil {
		return nil, err
	}
	return b.Request(ctx)
}

// Body is a request that is only read far enough to know which model the client asks for.
type Body struct {
	Model  string
	Stream bool // the client asks for a stream, in the body or by [DecodeOptions]
	// KeepsThinking: keep the thinking of past turns, although the client does not ask for
	// thinking. It is set for models that think unasked, because then the thinking is the model's
	// own.
	KeepsThinking bool

	raw            []byte
	opt            DecodeOptions
	members        []rawjson.Member
	streamsEagerly bool // a beta asks to stream values; see betaFineGrained
}

// ReadBody reads a body as [Decode] does, but checks only that it is JSON and names a model. If ctx
// has ended, it returns the cause of ctx.
func ReadBody(ctx context.Context, body []byte, opt DecodeOptions) (*Body, error) {
	members, err := scanBody(ctx, body, requestMembers)
	if err != nil {
		return nil, err
	}
	b := &Body{raw: body, opt: opt, members: members}
	d, o := b.decoder(ctx), &rawjson.Object{Members: members}
	b.streamsEagerly = slices.Contains(opt.Betas, betaFineGrained) || listsBeta(o.Member("anthropic_beta"), betaFineGrained)
	if !d.checkCount(nil, o) {
		return nil, d.err
	}
	if version := d.optionalText(member("anthropic_version"), o.Member("anthropic_version")); b.opt.Version == "" && d.err == nil {
		b.opt.Version = version
	}
	d.err = nil // the upstream reports all other errors
	b.Model = d.model(o)
	b.Stream = o.Member("stream").Kind() == 't'
	if opt.Stream != nil {
		b.Stream = *opt.Stream
	}
	if d.err != nil {
		return nil, d.err
	}
	return b, nil
}

func (b *Body) decoder(ctx context.Context) *decoder {
	return &decoder{ctx: ctx, opt: b.opt, size: len(b.raw), streamsEagerly: b.streamsEagerly}
}

// object returns the members of the body, cloned, because each caller takes members out.
func (b *Body) object() *rawjson.Object { return &rawjson.Object{Members: slices.Clone(b.members)} }

// Request validates the request and returns it; see [Decode]. If ctx has ended, it returns the
// cause of ctx.
func (b *Body) Request(ctx context.Context) (*Request, error) {
	const largest = 4 << 10 // bytes of memory that short texts share
	d := b.decoder(ctx)
	d.shared, d.thinks = min(largest, d.size/4), b.KeepsThinking
	d.members = make([]rawjson.Member, 0, 16)
	r := d.request(b.object())
	if d.err != nil {
		return nil, d.err
	}
	r.Dropped = slices.Sorted(maps.Keys(d.dropped))
	return r, nil
}

// Native returns the parts of a request that the proxy needs if the model has a tool API of its
// own. These are the model, whether to stream, and the client tools of known types. The model's own
// server validates the rest of the body.
func (b *Body) Native(ctx context.Context) (*Request, error) {
	o, d := b.object(), b.decoder(ctx)
	r := &Request{Model: b.Model, Stream: d.stream(o)}
	for e := range d.elements(member("tools"), o.Take("tools"), MaxTools) {
		lenient := b.decoder(ctx)
		lenient.opt.Strict = false
		if t, ok := lenient.tool(e); ok && lenient.err == nil {
			r.Tools = append(r.Tools, t)
		} else {
			r.OtherTools = true
		}
	}
	if d.err != nil {
		return nil, d.err
	}
	choice := b.decoder(ctx)
	if c := choice.toolChoice(o.Take("tool_choice"), r.Tools); choice.err == nil {
		r.ToolChoice = c
	}
	return r, nil
}

// Has reports whether the body has a member with this name.
func (b *Body) Has(name string) bool {
	return slices.ContainsFunc(b.members, func(m rawjson.Member) bool { return m.Name == name })
}

// WantsNoAnswer reports whether max_tokens is 0. The client then only wants to warm a prompt cache
// (docs/reference/messages-api.md §2).
func (b *Body) WantsNoAnswer() bool {
	most, ok := new(decoder).number((&rawjson.Object{Members: b.members}).Member("max_tokens"))
	return ok && most == 0
}

// JSON returns the body as the client sent it. The caller must not change it.
func (b *Body) JSON() []byte { return b.raw }
