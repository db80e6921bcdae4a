package translate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
// of reference/messages-api.md §2 to §9. The body is one JSON object in strict
// I-JSON (RFC 7493): valid UTF-8, no duplicate names at any depth, names
// compared by case, nested at most 200 levels deep, nothing after it.
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
	b, err := ReadBody(body, opt)
	if err != nil {
		return nil, err
	}
	return b.Request()
}

// Body is a request of which so much has been read as it takes to know who is to
// answer it.
type Body struct {
	Model  string
	Stream bool // the client asked for a stream, and for no other thing by that name

	raw  []byte
	opt  DecodeOptions
	wire *wireRequest // nil once it has been used up
}

// ReadBody reads a body as [Decode] does, up to its validation: it is JSON as it
// should be, and names a model.
func ReadBody(body []byte, opt DecodeOptions) (*Body, error) {
	if deeperThan(body, maxDepth) {
		return nil, &InvalidRequestError{Message: fmt.Sprintf("The request body is nested deeper than %d levels.", maxDepth)}
	}
	b := &Body{raw: body, opt: opt, wire: new(wireRequest)}
	if err := json.Unmarshal(body, b.wire); err != nil {
		return nil, jsonError(body, err)
	}
	if jsontext.Value(body).Kind() != '{' { // null is no error of the json package
		return nil, &InvalidRequestError{Message: notObject}
	}
	d := b.decoder()
	if version := d.optional(member("anthropic_version"), b.wire.Version); b.opt.Version == "" && d.err == nil {
		b.opt.Version = version
	}
	d = b.decoder()
	b.Model = d.model(b.wire)
	b.Stream = b.wire.Stream.kind == 't'
	if opt.Stream != nil {
		b.Stream = *opt.Stream
	}
	if d.err != nil {
		return nil, d.err
	}
	return b, nil
}

func (b *Body) decoder() *decoder { return &decoder{body: b.raw, opt: b.opt} }

// use returns the members of the body, which are used up by reading them. Only a
// request that is read in two ways is scanned twice.
func (b *Body) use() *wireRequest {
	w := b.wire
	if b.wire = nil; w == nil {
		w = new(wireRequest)
		_ = json.Unmarshal(b.raw, w) // it was no error the first time
	}
	return w
}

// Request validates the request; see [Decode].
func (b *Body) Request() (*Request, error) {
	d := b.decoder()
	r := d.request(b.use())
	if d.err != nil {
		return nil, d.err
	}
	r.Dropped = slices.Sorted(maps.Keys(d.dropped))
	return r, nil
}

// Native returns the request as far as it concerns us if the model has a tool API
// of its own: the model, whether to stream, and those tools that the client runs
// itself, if we know their kind. The body is for the model to validate.
func (b *Body) Native() (*Request, error) {
	w, d := b.use(), b.decoder()
	r := &Request{Model: b.Model, Stream: d.stream(w)}
	if d.err != nil {
		return nil, d.err
	}
	tools := member("tools")
	for i := range w.Tools.items {
		d := b.decoder()
		d.opt.Strict = false
		at := tools.element(i)
		if t, ok := d.tool(&at, &w.Tools.items[i]); ok && d.err == nil {
			r.Tools = append(r.Tools, t)
		}
	}
	choice := b.decoder()
	if c := choice.toolChoice(w.ToolChoice, r.Tools); choice.err == nil {
		r.ToolChoice = c
	}
	return r, nil
}

// JSON returns the body as it came.
func (b *Body) JSON() []byte { return b.raw }

// decoder turns the wire form of one request into a Request. The first failure
// stays; what is decoded after it is not used.
type decoder struct {
	body    []byte
	opt     DecodeOptions
	err     error
	dropped map[string]bool
	scratch []byte // of the string being unquoted
	thinks  bool   // the model is asked to think
	turns   turns
}

// unusable are members of a request that the API knows and a text model has no
// use for.
var unusable = []string{
	"metadata", "service_tier", "speed", "cache_control", "container",
	"inference_geo", "diagnostics", "user_profile_id", "context_management", "compaction", "fallbacks",
	"fallback_credit_token", "billing_policy",
}

// threadUnsupported tells the tool runners of the official SDKs to go on without
// a thread, which they try first.
const threadUnsupported = `{"error_code":"thread_unsupported_request","unsupported":["thread"]}`

func (d *decoder) request(w *wireRequest) *Request {
	r := &Request{Model: d.model(w)}
	if !d.opt.Count || w.MaxTokens.kind != 0 {
		r.MaxTokens = d.integer(member("max_tokens"), w.MaxTokens, 0)
	}
	r.Thinking = d.thinking(w.Thinking)
	r.Format = d.output(w)
	d.thinks = r.Thinking != ThinkingOff
	d.messages(r, &w.Messages)
	r.System = d.system(&w.System)
	r.Tools = d.tools(&w.Tools)
	r.ToolChoice = d.toolChoice(w.ToolChoice, r.Tools)
	r.StopSequences = d.stopSequences(&w.StopSequences)
	r.Stream = d.stream(w)
	d.sampling(r, w)
	d.refuseServers(&w.MCPServers)
	if d.thinks && r.offers() && (r.ToolChoice.Type == ChoiceAny || r.ToolChoice.Type == ChoiceTool) {
		r.Thinking = ThinkingOff // a call that is asked for at once leaves no room
		d.drop("thinking")
	}
	if !w.Thread.absent() && d.err == nil {
		d.err = &InvalidRequestError{
			Path:    "thread",
			Message: "Threads are not kept here: send the whole conversation in `messages`.",
			Details: jsontext.Value(threadUnsupported),
		}
	}
	d.leave(nil, w.Rest, unusable)
	return r
}

func (d *decoder) model(w *wireRequest) string {
	if d.opt.Model != "" {
		return d.opt.Model
	}
	name := d.text(member("model"), w.Model)
	if name == "" {
		d.fail(member("model"), "String should have at least 1 character")
	}
	return name
}

func (d *decoder) stream(w *wireRequest) bool {
	if d.opt.Stream != nil {
		return *d.opt.Stream
	}
	return d.flag(member("stream"), w.Stream)
}

// thinking reads whether the model is asked to think before it answers
// (reference/messages-api.md §7). How much it may think is for the model.
func (d *decoder) thinking(w *wireThinking) Thinking {
	at := member("thinking")
	if w == nil || w.at.absent() || !d.object(at, w.at) {
		return ThinkingOff
	}
	types := []string{"enabled", "adaptive", "between_tools", "disabled"}
	switch typ := d.text(at.member("type"), w.Type); {
	case d.err != nil || typ == "disabled":
		return ThinkingOff
	case !slices.Contains(types, typ):
		d.failTag(at, typ, types)
	}
	if d.optional(at.member("display"), w.Display) == "omitted" {
		return ThinkingOmitted
	}
	return ThinkingShown
}

// output reads the schema that the answer has to fit (output_config.format), nil for
// none.
func (d *decoder) output(w *wireRequest) jsontext.Value {
	format, at := w.Format, member("output_format")
	if o := w.Output; o != nil && !o.at.absent() {
		config := member("output_config")
		if !d.object(config, o.at) {
			return nil
		}
		if o.Format != nil && !o.Format.at.absent() {
			format, at = o.Format, config.member("format")
		}
		d.leave(&config, o.Rest, []string{"effort", "task_budget"})
	}
	if format == nil || format.at.absent() || !d.object(at, format.at) {
		return nil
	}
	if typ := d.text(at.member("type"), format.Type); d.err == nil && typ != "json_schema" {
		d.failTag(at, typ, []string{"json_schema"})
	}
	if !d.object(at.member("schema"), format.Schema) {
		return nil
	}
	d.leave(&at, format.Rest, nil)
	return d.raw(format.Schema)
}

// system reads the system prompt: text, or blocks of text.
func (d *decoder) system(w *wireList[wireBlock]) []BlockParam {
	at := member("system")
	if w.at.absent() {
		return nil
	}
	return d.blocks(at, w, &inSystem)
}

func (d *decoder) stopSequences(w *wireList[wireValue]) []string {
	at := member("stop_sequences")
	if !d.list(at, w.at) {
		return nil
	}
	sequences := make([]string, 0, len(w.items))
	for i, item := range w.items {
		s := d.text(at.element(i), item)
		if strings.TrimSpace(s) == "" {
			d.fail(at, "each stop sequence must contain non-whitespace")
		}
		sequences = append(sequences, s)
	}
	return sequences
}

// sampling reads the parameters that 2026-10-21 no longer has.
func (d *decoder) sampling(r *Request, w *wireRequest) {
	for _, p := range []wireMember{{"temperature", w.Temperature}, {"top_p", w.TopP}, {"top_k", w.TopK}} {
		if !p.value.absent() && d.opt.Version == version20261021 {
			d.fail(member(p.name), "Not accepted under API version %s. Remove the field, or send an earlier version.", version20261021)
		}
	}
	r.Temperature = d.fraction(member("temperature"), w.Temperature)
	r.TopP = d.fraction(member("top_p"), w.TopP)
	if !w.TopK.absent() {
		k := d.integer(member("top_k"), w.TopK, 0)
		r.TopK = &k
	}
}

// maxDepth is how deep a request may be nested, the body itself being the first
// level. Real requests stay below 30.
const maxDepth = 200

// deeperThan reports whether a JSON text has more than limit arrays and objects
// open at once. A text that is not valid JSON may get either answer.
func deeperThan(body []byte, limit int) bool {
	depth := 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '{', '[':
			if depth++; depth > limit {
				return true
			}
		case '}', ']':
			depth--
		case '"':
			i = stringEnd(body, i)
		}
	}
	return false
}

// stringEnd returns the index of the quote that ends the string beginning at i,
// or the end of the body.
func stringEnd(body []byte, i int) int {
	for {
		n := bytes.IndexByte(body[i+1:], '"')
		if n < 0 {
			return len(body)
		}
		end := i + 1 + n
		escapes := end
		for escapes > i+1 && body[escapes-1] == '\\' {
			escapes--
		}
		if (end-escapes)%2 == 0 {
			return end
		}
		i = end
	}
}

// jsonError says what the json package found wrong with a body.
func jsonError(body []byte, err error) *InvalidRequestError {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return &InvalidRequestError{Message: "The request body is empty: it should be a JSON object."}
	case errors.As(err, &semantic): // the body as a whole: all else is read whatever its kind
		return &InvalidRequestError{Path: dotted(semantic.JSONPointer), Message: notObject}
	case !errors.As(err, &syntax):
		return &InvalidRequestError{Message: "The request body is not valid JSON: " + err.Error()}
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &InvalidRequestError{Path: dotted(syntax.JSONPointer), Message: "The name occurs more than once in its object."}
	}
	what := syntax.Err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		what = "it ends too early"
	}
	return &InvalidRequestError{
		Path:    dotted(syntax.JSONPointer),
		Message: fmt.Sprintf("The request body is not valid JSON: %s (at byte %d).", what, syntax.ByteOffset),
	}
}

// dotted gives a JSON pointer the form of the API's paths.
func dotted(p jsontext.Pointer) string {
	return clip(strings.Join(slices.Collect(p.Tokens()), "."))
}

// clip keeps what a client wrote from filling an error message.
func clip(s string) string {
	const most = 256
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
