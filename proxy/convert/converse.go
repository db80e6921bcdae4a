package convert

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/upstream/converse"
)

// The request of Converse (docs/reference/bedrock.md §5) without messages and tools. Nearly all of it has a counterpart
// in the Messages API (docs/reference/messages-api.md §2 to §6). Plain values are copied without checks: when the body
// is decoded, the rules of the Messages API validate them, and Conversion.Error translates the errors into the client's
// terms.

// converseNames are the fields of a request, including the dropped ones.
var converseNames = []string{
	"messages", "system", "inferenceConfig", "toolConfig", "outputConfig", "additionalModelRequestFields",
	"additionalModelResponseFieldPaths", "guardrailConfig", "performanceConfig", "promptVariables", "requestMetadata", "serviceTier",
}

// FromConverse converts a request of Converse. The error is the cause of ctx, or a *messages.InvalidRequestError with
// paths in the client's own request.
func FromConverse(ctx context.Context, data []byte) (*Conversion, error) {
	if err := messages.CheckJSON(ctx, data); err != nil {
		return nil, err
	}
	return fromObject(ctx, data)
}

// fromObject is FromConverse for JSON that has been checked.
func fromObject(ctx context.Context, data jsontext.Value) (*Conversion, error) {
	if data.Kind() != '{' {
		return nil, &messages.InvalidRequestError{Fault: messages.FaultJSON, Message: "Input should be a valid dictionary"}
	}
	c := converseConverter{converter: newConverter(ctx, len(data), isConverseHint), origins: origins{}}
	guardrail := c.request(data)
	if c.err != nil {
		return nil, c.err
	}
	left, from := c.gaps, c.origins
	return &Conversion{
		Body: c.out, Dropped: c.droppedFields(), Refusable: c.refusable, lengthOpen: c.lengthOpen, Guardrail: guardrail,
		path: func(path string) string { return conversePath(path, left, from) }, words: converseWords,
	}, nil
}

// isConverseHint reports whether a field changes no answer: it says how fast the answer comes, or what is counted or
// stored. A cache point is a hint, too.
func isConverseHint(at *memberPath) bool {
	hints := []string{"performanceConfig", "requestMetadata", "serviceTier"}
	return at.name == "cachePoint" || at.up == nil && slices.Contains(hints, at.name)
}

// request writes the body, and returns the request's guardrail.
func (c *converseConverter) request(data jsontext.Value) *Guardrail {
	from := c.object(nil, data, converseNames)
	var (
		top       *memberPath
		inference = c.object(top.member("inferenceConfig"), from.Take("inferenceConfig"), []string{"maxTokens", "temperature", "topP", "stopSequences"})
		tools     = c.object(top.member("toolConfig"), from.Take("toolConfig"), []string{"tools", "toolChoice"})
		extra     = c.object(top.member("additionalModelRequestFields"), from.Take("additionalModelRequestFields"), additionalFields)
		output    = c.object(top.member("outputConfig"), from.Take("outputConfig"), []string{"effort", "textFormat"})
	)
	c.write("{")
	if most := nonNull(inference.Take("maxTokens")); most != nil {
		c.writeMember("max_tokens", most)
	} else if most = nonNull(extra.Take("max_tokens")); most != nil {
		c.origins["max_tokens"] = 0
		c.writeMember("max_tokens", most)
	} else {
		c.lengthOpen = true
		c.write(`"max_tokens":` + defaultMaxTokens + ",")
	}
	c.messages(from.Take("messages"))
	if system := nonNull(from.Take("system")); system != nil {
		c.write(`"system":`)
		c.content(top.member("system"), system, inSystem, systemList)
		c.write(",")
	}
	at, begin := top.member("toolConfig"), len(c.out)
	c.tools(at.member("tools"), tools.Take("tools"))
	c.toolChoice(at.member("toolChoice"), tools.Take("toolChoice"))
	c.writeMember("stop_sequences", inference.Take("stopSequences"))
	c.writeMember("temperature", inference.Take("temperature"))
	c.writeMember("top_p", inference.Take("topP"))
	c.outputConfig(top.member("outputConfig"), &output)
	c.additional(top.member("additionalModelRequestFields"), &extra, begin)
	c.close('}')
	paths := top.member("additionalModelResponseFieldPaths")
	for at, v := range c.items(paths, from.Take("additionalModelResponseFieldPaths"), messages.MaxStopSequences) {
		// The two paths that every answer has.
		if path := c.stringValue(at, v); path != converse.StopSequencePointer && path != "/delta/stop_sequence" {
			c.drop(paths)
		}
	}
	guardrail := c.guardrail(top.member("guardrailConfig"), from.Take("guardrailConfig"))
	c.dropRest(top.member("inferenceConfig"), &inference)
	c.dropRest(top.member("toolConfig"), &tools)
	c.dropRest(top.member("outputConfig"), &output)
	c.dropRest(nil, &from)
	return guardrail
}

// messages writes the conversation.
func (c *converseConverter) messages(list jsontext.Value) {
	if list = nonNull(list); list == nil {
		return
	}
	c.write(`"messages":[`)
	var top *memberPath
	for at, v := range c.items(top.member("messages"), list, messages.MaxMessages) {
		m := c.object(at, v, []string{"role", "content"})
		c.write("{")
		c.writeMember("role", m.Take("role"))
		if content := nonNull(m.Take("content")); content != nil {
			c.write(`"content":`)
			c.content(at.member("content"), content, inMessage, at.index)
		}
		c.close('}')
		c.write(",")
		c.dropRest(at, &m)
	}
	c.close(']')
	c.write(",")
}

// outputConfig writes the demands on the answer.
func (c *converseConverter) outputConfig(at *memberPath, from *rawjson.Object) {
	effort, format := nonNull(from.Take("effort")), nonNull(from.Take("textFormat"))
	if effort == nil && format == nil {
		return
	}
	c.write(`"output_config":{`)
	c.writeMember("effort", effort)
	if format != nil {
		c.outputFormat(at.member("textFormat"), format)
	}
	c.close('}')
	c.write(",")
}

// outputFormat writes the schema of the answer. Converse has it as JSON in a string.
func (c *converseConverter) outputFormat(at *memberPath, v jsontext.Value) {
	from := c.object(at, v, []string{"type", "structure"})
	typ := c.rawString(at.member("type"), from.Take("type"))
	inner := at.member("structure")
	structure := c.object(inner, from.Take("structure"), []string{"jsonSchema"})
	c.dropRest(at, &from)
	c.union(inner, &structure, []string{"jsonSchema"})
	at = inner.member("jsonSchema")
	schema := c.object(at, structure.Take("jsonSchema"), []string{"name", "description", "schema"})
	text := c.stringValue(at.member("schema"), schema.Take("schema"))
	c.dropRest(at, &schema)
	if c.err != nil {
		return
	}
	if err := messages.CheckJSON(c.ctx, []byte(text)); err != nil {
		c.failBy(messages.FaultSchema, at.member("schema"), "This should be JSON. "+err.Error())
	}
	c.write(`"format":{`)
	c.writeMember("type", typ)
	c.writeMember("schema", jsontext.Value(text))
	c.close('}')
}
