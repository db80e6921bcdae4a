package messages

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// DecodeOptions says by which rules [Decode] reads a request.
type DecodeOptions struct {
	// Version is the API version of the client, as in the header
	// anthropic-version; "" for what the body says of it. Versions that are not known
	// are read as 2023-06-01.
	Version string
	// Strict refuses what a text model cannot do and what the API does not know.
	// Otherwise it is left out and named in Request.Dropped.
	Strict bool
	// Model and Stream, if they are set, say in place of the body's members who is
	// asked, and whether to stream: in some APIs the path does.
	Model  string
	Stream *bool
	// Count reads a request that asks for its tokens to be counted: max_tokens may
	// be missing (reference/messages-api.md §11).
	Count bool
	// LooseNames takes tool names outside of the API's pattern.
	LooseNames bool
}

// version20261021 is the API version that took the sampling parameters away
// (reference/messages-api.md §1).
const version20261021 = "2026-10-21"

// Decode reads and validates the body of a Messages-API request, by the rules
// of reference/messages-api.md §2 to §9. The body is one JSON object as
// [CheckJSON] has it.
//
// The raw values of the Request (inputs, schemas, sources) are parts of body:
// the caller must not change it for as long as the Request is in use.
//
// Blocks that only an upstream with tools of its own could read, and messages
// that hold nothing else, are left out; so is a final assistant message without
// content. The validation rules hold for what is left.
//
// The error is an *InvalidRequestError in the API's wording; of several errors
// it is the first in the order of the API's fields.
func Decode(body []byte, opt DecodeOptions) (*Request, error) {
	ctx := context.Background()
	b, err := ReadBody(ctx, body, opt)
	if err != nil {
		return nil, err
	}
	return b.Request(ctx)
}

// Body is a request of which so much has been read as it takes to know who is to
// answer it.
type Body struct {
	Model  string
	Stream bool // the client asked for a stream, and for no other thing by that name

	raw     []byte
	opt     DecodeOptions
	members []rawjson.Member
}

// ReadBody reads a body as [Decode] does, up to its validation: it is JSON as it
// should be, and names a model. It ends with the cause of ctx once that has ended.
func ReadBody(ctx context.Context, body []byte, opt DecodeOptions) (*Body, error) {
	members, err := scan(ctx, body, requestMembers)
	if err != nil {
		return nil, err
	}
	b := &Body{raw: body, opt: opt, members: members}
	d, o := b.decoder(ctx), b.object()
	if !d.checkNames(nil, o, requestMembers) {
		return nil, d.err
	}
	if version := d.optional(member("anthropic_version"), o.Member("anthropic_version")); b.opt.Version == "" && d.err == nil {
		b.opt.Version = version
	}
	d.err = nil // what else it may be is for an upstream to say
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

func (b *Body) decoder(ctx context.Context) *decoder { return &decoder{ctx: ctx, opt: b.opt} }

// object returns the members of the body.
func (b *Body) object() *rawjson.Object { return &rawjson.Object{Members: slices.Clone(b.members)} }

// Request validates the request; see [Decode]. It ends with the cause of ctx once
// that has ended.
func (b *Body) Request(ctx context.Context) (*Request, error) {
	d := b.decoder(ctx)
	r := d.request(b.object())
	if d.err != nil {
		return nil, d.err
	}
	r.Dropped = slices.Sorted(maps.Keys(d.dropped))
	return r, nil
}

// Native returns the request as far as it concerns us if the model has a tool API
// of its own: the model, whether to stream, and those tools that the client runs
// itself, if we know their kind. The body is for the model to validate.
func (b *Body) Native(ctx context.Context) (*Request, error) {
	o, d := b.object(), b.decoder(ctx)
	r := &Request{Model: b.Model, Stream: d.stream(o)}
	for e := range d.elements(member("tools"), o.Take("tools"), MaxTools) {
		lenient := b.decoder(ctx)
		lenient.opt.Strict = false
		if t, ok := lenient.tool(e); ok && lenient.err == nil {
			r.Tools = append(r.Tools, t)
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

// JSON returns the body as it came.
func (b *Body) JSON() []byte { return b.raw }

// decoder turns the JSON of one request into a Request. The first failure
// stays; what is decoded after it is not used.
//
// Lists are read element by element, and nothing is kept of an element but what
// the Request holds, so that what is refused in the end has taken no more memory
// than what was good of it.
type decoder struct {
	ctx     context.Context // of the work for the client, which may leave
	opt     DecodeOptions
	err     error
	dropped map[string]bool
	members []rawjson.Member // of the objects being read
	blocks  int              // so far
	schemas int              // values in the schemas so far
	rest    jsontext.Value   // of the text from the end of the list on that was read last
	scratch []byte           // of a string
	thinks  bool             // the model is asked to think
	turns   turns
}

// unusable are members of a request that the API knows and a text model has no
// use for.
var unusable = []string{
	"metadata", "service_tier", "speed", "cache_control", "container",
	"inference_geo", "diagnostics", "user_profile_id", "context_management", "compaction", "fallbacks",
	"fallback_credit_token", "billing_policy",
}

// requestMembers are those that a request may have. Some clients write the headers
// anthropic-version and anthropic-beta into the body (reference/wire.md, finding
// 16); output_format is where the format stood before output_config.
var requestMembers = slices.Concat([]string{
	"model", "max_tokens", "messages", "system", "tools", "tool_choice", "stop_sequences", "stream",
	"temperature", "top_p", "top_k", "mcp_servers", "thread", "thinking", "output_config", "output_format",
	"anthropic_version", "anthropic_beta",
}, unusable)

// threadUnsupported tells the tool runners of the official SDKs to go on without
// a thread, which they try first.
const threadUnsupported = `{"error_code":"thread_unsupported_request","unsupported":["thread"]}`

func (d *decoder) request(o *rawjson.Object) *Request {
	r := &Request{Model: d.model(o)}
	for _, name := range []string{"model", "anthropic_version", "anthropic_beta"} {
		o.Take(name)
	}
	if n := o.Take("max_tokens"); !d.opt.Count || n != nil {
		r.MaxTokens = d.integer(member("max_tokens"), n, 0)
	}
	r.Thinking = d.thinking(o.Take("thinking"))
	r.Format = d.output(o)
	d.thinks = r.Thinking != ThinkingOff
	d.messages(r, o.Take("messages"))
	r.System = d.system(o.Take("system"))
	r.Tools = d.tools(o.Take("tools"))
	r.ToolChoice = d.toolChoice(o.Take("tool_choice"), r.Tools)
	r.StopSequences = d.stopSequences(o.Take("stop_sequences"))
	r.Stream = d.stream(o)
	d.sampling(r, o)
	d.refuseServers(o.Take("mcp_servers"))
	if d.thinks && r.OffersTools() && (r.ToolChoice.Type == ChoiceAny || r.ToolChoice.Type == ChoiceTool) {
		r.Thinking = ThinkingOff // a call that is asked for at once leaves no room
		d.drop(member("thinking"))
	}
	if thread := o.Take("thread"); !absent(thread) && d.err == nil {
		d.err = &InvalidRequestError{
			Path:    "thread",
			Message: "Threads are not kept here: send the whole conversation in `messages`.",
			Details: jsontext.Value(threadUnsupported),
		}
	}
	d.leave(nil, o, unusable)
	return r
}

func (d *decoder) model(o *rawjson.Object) string {
	if d.opt.Model != "" {
		return d.opt.Model
	}
	name := d.text(member("model"), o.Member("model"))
	if name == "" {
		d.fail(member("model"), "String should have at least 1 character")
	}
	return name
}

func (d *decoder) stream(o *rawjson.Object) bool {
	v := o.Take("stream")
	if d.opt.Stream != nil {
		return *d.opt.Stream
	}
	return d.flag(member("stream"), v)
}

// system reads the system prompt: text, or blocks of text.
func (d *decoder) system(v jsontext.Value) []BlockParam {
	if absent(v) {
		return nil
	}
	return d.content(member("system"), v, &inSystem)
}

// MaxStops is how many stop sequences a request may have. Clients send a handful.
const MaxStops = 10_000

// maxStopBytes is how long they may be together: to look for them takes memory for each
// byte.
const maxStopBytes = 64 << 10

func (d *decoder) stopSequences(v jsontext.Value) []string {
	at := member("stop_sequences")
	if !d.list(at, v) {
		return nil
	}
	sequences, size := []string{}, 0
	for e := range d.elements(at, v, MaxStops) {
		s := d.text(e.at, e.value())
		if strings.TrimSpace(s) == "" {
			d.fail(at, "each stop sequence must contain non-whitespace")
		}
		sequences = append(sequences, s)
		if size += len(s); size > maxStopBytes {
			d.fail(at, "the stop sequences have more than %d bytes in all", maxStopBytes)
			return sequences
		}
	}
	return sequences
}

// sampling reads the parameters that 2026-10-21 no longer has.
func (d *decoder) sampling(r *Request, o *rawjson.Object) {
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		if !absent(o.Member(name)) && d.opt.Version == version20261021 {
			d.fail(member(name), "Not accepted under API version %s. Remove the field, or send an earlier version.", version20261021)
		}
	}
	r.Temperature = d.fraction(member("temperature"), o.Take("temperature"))
	r.TopP = d.fraction(member("top_p"), o.Take("top_p"))
	if v := o.Take("top_k"); !absent(v) {
		k := d.integer(member("top_k"), v, 0)
		r.TopK = &k
	}
}
