package messages

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file reads the members of a request, in the order of the API's errors.

// unsupported are members of a request that the API knows but a text model cannot use.
var unsupported = []string{
	"metadata", "service_tier", "speed", "cache_control", "container",
	"inference_geo", "diagnostics", "user_profile_id", "context_management", "compaction", "fallbacks",
	"fallback_credit_token", "billing_policy",
}

// requestMembers are the members that a request may have. Some clients write the headers
// anthropic-version and anthropic-beta into the body (docs/reference/wire.md, finding 16).
// output_format is the older name of output_config.format.
var requestMembers = slices.Concat([]string{
	"model", "max_tokens", "messages", "system", "tools", "tool_choice", "stop_sequences", "stream",
	"temperature", "top_p", "top_k", "mcp_servers", "thread", "thinking", "output_config", "output_format",
	"anthropic_version", "anthropic_beta",
}, unsupported)

// threadUnsupported is the "details" of the error for a thread. The tool runners of the official
// SDKs try a thread first, and go on without one if they get this error.
const threadUnsupported = `{"error_code":"thread_unsupported_request","unsupported":["thread"]}`

// request reads all members of a request.
func (d *decoder) request(o *rawjson.Object) *Request {
	r := &Request{Model: d.model(o)}
	for _, name := range []string{"model", "anthropic_version", "anthropic_beta"} {
		o.Take(name)
	}
	if n := o.Take("max_tokens"); !d.opt.Count || n != nil {
		r.MaxTokens = d.integer(member("max_tokens"), n, 0)
	}
	r.Thinking = d.thinking(o.Take("thinking"))
	r.OutputSchema = d.outputFormat(o)
	d.thinks = d.thinks || r.Thinking != ThinkingOff
	d.messages(r, o.Take("messages"))
	r.System = d.system(o.Take("system"))
	choice := o.Take("tool_choice")
	r.Tools = d.shownTools(d.tools(o.Take("tools")), chosenTool(choice))
	r.ToolChoice = d.toolChoice(choice, r.Tools)
	r.StopSequences = d.stopSequences(o.Take("stop_sequences"))
	r.Stream = d.stream(o)
	d.sampling(r, o)
	d.mcpServers(o.Take("mcp_servers"))
	if r.Thinking != ThinkingOff && r.MustCall() && d.err == nil { // docs/reference/messages-api.md §6
		d.err = &InvalidRequestError{Message: "Thinking may not be enabled when tool_choice forces tool use."}
	}
	if thread := o.Take("thread"); !absent(thread) && d.err == nil {
		d.err = &InvalidRequestError{
			Fault:   FaultUnsupported,
			Path:    "thread",
			Message: "Threads are not kept here: send the whole conversation in `messages`.",
			Details: jsontext.Value(threadUnsupported),
		}
	}
	d.dropRest(nil, o, unsupported)
	return r
}

// model returns the model that the request names.
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

// stream reports whether the client asks for a stream.
func (d *decoder) stream(o *rawjson.Object) bool {
	v := o.Take("stream")
	if d.opt.Stream != nil {
		return *d.opt.Stream
	}
	return d.boolean(member("stream"), v)
}

// system reads the system prompt: a string or a list of text blocks.
func (d *decoder) system(v jsontext.Value) []BlockParam {
	if absent(v) {
		return nil
	}
	return d.withoutBillingHeader(d.content(member("system"), v, &inSystem))
}

// billingHeader is the start of a line that an agent writes for the API's own servers. It names the
// program and the conversation. The API's servers remove the line, and so does Dragoman: it differs
// in each conversation, so prompts with it would never be in a cache (docs/reference/routes.md).
const billingHeader = "x-anthropic-billing-header:"

// withoutBillingHeader removes this line from the start of the system prompt's texts. Strict mode
// removes it too, because the line does not change the answer.
func (d *decoder) withoutBillingHeader(system []BlockParam) []BlockParam {
	at, left := member("system"), system[:0]
	for _, b := range system {
		if rest, ok := afterBillingHeader(b.Text); ok {
			d.drop(at.member("billing_header"))
			if b.Text = rest; rest == "" {
				continue
			}
		}
		left = append(left, b)
	}
	return left
}

// afterBillingHeader returns the text after the line. It returns false if the text does not start
// with the line.
func afterBillingHeader(text string) (rest string, ok bool) {
	if !strings.HasPrefix(text, billingHeader) {
		return "", false
	}
	_, rest, _ = strings.Cut(text, "\n")
	return strings.TrimLeft(rest, "\r\n"), true
}

// stopSequences reads the client's stop sequences.
func (d *decoder) stopSequences(v jsontext.Value) []string {
	at := member("stop_sequences")
	if !d.list(at, v) {
		return nil
	}
	sequences, size := []string{}, 0
	for e := range d.elements(at, v, MaxStopSequences) {
		s := d.text(e.at, e.value())
		if s == "" || strings.TrimSpace(s) == "" && !d.opt.WideValues {
			d.fail(at, "each stop sequence must contain non-whitespace")
		}
		sequences = append(sequences, s)
		if size += len(s); size > maxStopBytes {
			d.failBy(FaultLimit, at, "the stop sequences have more than %d bytes in all", maxStopBytes)
			return sequences
		}
	}
	return sequences
}

// sampling reads the sampling parameters. API version 2026-10-21 no longer has them.
func (d *decoder) sampling(r *Request, o *rawjson.Object) {
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		if !absent(o.Member(name)) && d.opt.Version == Version20261021 {
			d.failBy(FaultUnsupported, member(name), "Not accepted under API version %s. Remove the field, or send an earlier version.", Version20261021)
		}
	}
	hottest := 1.0
	if d.opt.WideValues {
		hottest = 2
	}
	r.Temperature = d.upTo(hottest, member("temperature"), o.Take("temperature"))
	r.TopP = d.upTo(1, member("top_p"), o.Take("top_p"))
	if v := o.Take("top_k"); !absent(v) {
		k := d.integer(member("top_k"), v, 0)
		r.TopK = &k
	}
}
