package proxy

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/upstream/converse"
)

// A request of Converse is written as a body of the Messages API, which has a place
// for nearly all of it (reference/bedrock.md §5, messages-api.md §2 to §6). What is
// said in both APIs by a plain value is not looked at here.

// converseNames are the members of a request. Those that are not read here are known
// to the service.
var converseNames = []string{
	"messages", "system", "inferenceConfig", "toolConfig", "outputConfig", "additionalModelRequestFields",
	"additionalModelResponseFieldPaths", "guardrailConfig", "performanceConfig", "promptVariables", "requestMetadata", "serviceTier",
}

// mostConverseTokens is the max_tokens of a request that has none. The service's own
// default is what the model can do, which is not known of all models; each can do
// this much, and an answer that it cuts says so.
const mostConverseTokens = "4096"

// convertConverse writes a request of Converse as one of the Messages API. The error
// is a *messages.InvalidRequestError that names places in the request as it came, or
// the cause of ctx.
func convertConverse(ctx context.Context, data []byte) (*conversion, error) {
	if err := messages.CheckJSON(ctx, data); err != nil {
		return nil, err
	}
	return convertChecked(ctx, rawjson.TrimSeparators(data))
}

// convertChecked is convertConverse for an object that is JSON as it should be.
func convertChecked(ctx context.Context, data jsontext.Value) (*conversion, error) {
	if data.Kind() != '{' {
		return nil, &messages.InvalidRequestError{Message: "Input should be a valid dictionary"}
	}
	c := converter{ctx: ctx, out: make([]byte, 0, len(data)+len(data)/8+64), dropped: map[string]bool{}}
	c.request(data)
	if c.err != nil {
		return nil, c.err
	}
	return &conversion{
		body: c.out, place: c.place, words: converseWords, dropped: c.left(), open: c.unbounded, guardrail: c.guardrail,
	}, nil
}

func (c *converter) request(data jsontext.Value) {
	from := c.open(nil, data, converseNames)
	var (
		top       *spot
		inference = c.open(top.member("inferenceConfig"), from.Take("inferenceConfig"), []string{"maxTokens", "temperature", "topP", "stopSequences"})
		tools     = c.open(top.member("toolConfig"), from.Take("toolConfig"), []string{"tools", "toolChoice"})
		output    = c.open(top.member("outputConfig"), from.Take("outputConfig"), []string{"effort", "textFormat"})
	)
	c.write("{")
	if most := given(inference.Take("maxTokens")); most != nil {
		c.member("max_tokens", most)
	} else {
		c.unbounded = true
		c.write(`"max_tokens":` + mostConverseTokens + ",")
	}
	c.messages(from.Take("messages"))
	if system := given(from.Take("system")); system != nil {
		c.write(`"system":`)
		c.content(top.member("system"), system, inSystem, systemList)
		c.write(",")
	}
	at := top.member("toolConfig")
	c.tools(at.member("tools"), tools.Take("tools"))
	c.choice(at.member("toolChoice"), tools.Take("toolChoice"))
	c.member("stop_sequences", inference.Take("stopSequences"))
	c.member("temperature", inference.Take("temperature"))
	c.member("top_p", inference.Take("topP"))
	c.output(top.member("outputConfig"), &output)
	c.additional(top.member("additionalModelRequestFields"), from.Take("additionalModelRequestFields"))
	c.close('}')
	paths := top.member("additionalModelResponseFieldPaths")
	for at, v := range c.items(paths, from.Take("additionalModelResponseFieldPaths"), messages.MaxStopSequences) {
		if path := c.word(at, v); path != converse.StopSequencePointer && path != "/delta/stop_sequence" { // which are always told
			c.drop(paths)
		}
	}
	c.guard(top.member("guardrailConfig"), from.Take("guardrailConfig"))
	c.leave(top.member("inferenceConfig"), &inference)
	c.leave(top.member("toolConfig"), &tools)
	c.leave(top.member("outputConfig"), &output)
	c.leave(nil, &from)
}

func (c *converter) messages(list jsontext.Value) {
	if list = given(list); list == nil {
		return
	}
	c.write(`"messages":[`)
	var top *spot
	for at, v := range c.items(top.member("messages"), list, messages.MaxMessages) {
		m := c.open(at, v, []string{"role", "content"})
		c.write("{")
		c.member("role", m.Take("role"))
		if content := given(m.Take("content")); content != nil {
			c.write(`"content":`)
			c.content(at.member("content"), content, inMessage, at.index)
		}
		c.close('}')
		c.write(",")
		c.leave(at, &m)
	}
	c.close(']')
	c.write(",")
}

// additionalFields are members of the Messages API that Converse has no other place
// for (reference/messages-api.md §2).
var additionalFields = []string{
	"top_k", "thinking", "output_format", "metadata", "service_tier", "speed", "cache_control",
	"container", "inference_geo", "context_management", "compaction", "mcp_servers", "anthropic_beta", "anthropic_version",
}

// additional writes the fields that are for the model itself, in the order of their
// names.
func (c *converter) additional(at *spot, v jsontext.Value) {
	from := c.open(at, v, additionalFields)
	var known []rawjson.Member
	for i := range from.Members {
		if m := &from.Members[i]; slices.Contains(additionalFields, m.Name) {
			known = append(known, *m)
			m.Value = nil
		}
	}
	slices.SortFunc(known, func(a, b rawjson.Member) int { return cmp.Compare(a.Name, b.Name) })
	for _, m := range known {
		c.write(`"` + m.Name + `":`)
		c.out = append(append(c.out, m.Value...), ',')
	}
	c.leave(at, &from)
}

// output writes what the answer is to be.
func (c *converter) output(at *spot, from *rawjson.Object) {
	effort, format := given(from.Take("effort")), given(from.Take("textFormat"))
	if effort == nil && format == nil {
		return
	}
	c.write(`"output_config":{`)
	c.member("effort", effort)
	if format != nil {
		c.format(at.member("textFormat"), format)
	}
	c.close('}')
	c.write(",")
}

func (c *converter) format(at *spot, v jsontext.Value) {
	from := c.open(at, v, []string{"type", "structure"})
	typ := c.text(at.member("type"), from.Take("type"))
	inner := at.member("structure")
	structure := c.open(inner, from.Take("structure"), []string{"jsonSchema"})
	c.leave(at, &from)
	c.union(inner, &structure, []string{"jsonSchema"})
	at = inner.member("jsonSchema")
	schema := c.open(at, structure.Take("jsonSchema"), []string{"name", "description", "schema"})
	text := c.word(at.member("schema"), schema.Take("schema"))
	c.leave(at, &schema)
	if c.err != nil {
		return
	}
	if err := messages.CheckJSON(c.ctx, []byte(text)); err != nil {
		c.fail(at.member("schema"), "This should be JSON. "+err.Error())
	}
	c.write(`"format":{`)
	c.member("type", typ)
	c.member("schema", jsontext.Value(text))
	c.close('}')
}

// mark writes what the block before a cache point gets.
func (c *converter) mark(at *spot, v jsontext.Value) {
	at = at.member("cachePoint")
	p := c.open(at, v, []string{"type", "ttl"})
	if c.word(at.member("type"), p.Take("type")) != "default" {
		c.fail(at.member("type"), "A cache point is of the type 'default'.")
	}
	c.write(`"cache_control":{"type":"ephemeral",`)
	c.member("ttl", p.Take("ttl"))
	c.close('}')
	c.leave(at, &p)
}
