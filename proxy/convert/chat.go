package convert

import (
	"context"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// The request of Chat Completions without messages and tools (docs/reference/clients.md §8). As for Converse, plain
// values are copied without checks, and the rules of the Messages API validate them later, with WideValues: OpenAI's
// API accepts more values.

// chatNames are the fields of a request that are read, and those that are known and dropped.
var chatNames = []string{
	"model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "tools", "tool_choice", "parallel_tool_calls",
	"stop", "temperature", "top_p", "top_k", "response_format", "reasoning_effort", "n", "modalities",
	"seed", "frequency_penalty", "presence_penalty", "logit_bias", "logprobs", "top_logprobs", "audio", "functions", "function_call",
	"web_search_options", "verbosity", "user", "metadata", "store", "service_tier", "prediction", "safety_identifier",
	"prompt_cache_key", "prompt_cache_retention",
}

// isChatHint reports whether a field changes no answer: it says who asks, how fast the answer comes, or what is stored.
func isChatHint(at *memberPath) bool {
	hints := []string{
		"user", "metadata", "store", "service_tier", "prediction", "safety_identifier", "prompt_cache_key", "prompt_cache_retention",
	}
	if at.up == nil {
		return slices.Contains(hints, at.name)
	}
	return at.name == "include_obfuscation" || at.name == "detail"
}

// chatConverter is the converter of Chat Completions.
type chatConverter struct {
	converter
	chatPlaces
	open         string // the role of the client's message whose blocks are written; "" for none
	begin        int    // where this message begins
	calls        map[string]callUse
	includeUsage bool
	jsonAnswer   bool
}

// callUse tells of the calls with one id.
type callUse struct {
	message int // index of the last message with such a call
	earlier int // number of messages with such calls before it
}

// FromChat converts a request of Chat Completions. The error is the cause of ctx, or a *messages.InvalidRequestError
// with paths in the client's own request.
func FromChat(ctx context.Context, data []byte) (*Conversion, error) {
	if err := messages.CheckJSON(ctx, data); err != nil {
		return nil, err
	}
	c := chatConverter{converter: newConverter(ctx, len(data), isChatHint), calls: map[string]callUse{}}
	c.request(data)
	if c.err != nil {
		return nil, c.err
	}
	return &Conversion{
		Body: c.out, Dropped: c.droppedFields(), Refusable: c.refusable, lengthOpen: c.lengthOpen, IncludeUsage: c.includeUsage, JSONAnswer: c.jsonAnswer,
		path: c.chatPlaces.path, words: chatWords,
	}, nil
}

// request writes the body.
func (c *chatConverter) request(data jsontext.Value) {
	from := c.object(nil, data, chatNames)
	var top *memberPath
	c.write("{")
	c.writeMember("model", from.Take("model"))
	c.writeMember("stream", from.Take("stream"))
	c.maxTokens(&from)
	c.messages(from.Take("messages"))
	c.tools(top.member("tools"), from.Take("tools"))
	forced := c.toolChoice(from.Take("tool_choice"), from.Take("parallel_tool_calls"))
	c.stop(from.Take("stop"))
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		c.writeMember(name, from.Take(name))
	}
	c.output(from.Take("response_format"), from.Take("reasoning_effort"), forced)
	c.close('}')

	options := top.member("stream_options")
	stream := c.object(options, from.Take("stream_options"), []string{"include_usage", "include_obfuscation"})
	c.includeUsage = stream.Take("include_usage").Kind() == 't'
	c.dropUsed(options, &stream)
	c.choices(top.member("n"), from.Take("n"))
	for at, v := range c.items(top.member("modalities"), from.Take("modalities"), messages.MaxStopSequences) {
		if c.stringValue(at, v) != "text" {
			c.drop(at)
		}
	}
	for _, name := range []string{"seed", "web_search_options"} { // 0 is a seed, and {} asks for a search
		if nonNull(from.Take(name)) != nil {
			c.drop(top.member(name))
		}
	}
	c.dropUsed(nil, &from)
}

// maxTokens writes the limit of the answer. max_completion_tokens replaces the older max_tokens.
func (c *chatConverter) maxTokens(from *rawjson.Object) {
	older, newer := nonNull(from.Take("max_tokens")), nonNull(from.Take("max_completion_tokens"))
	c.limit = "max_tokens"
	if newer != nil {
		c.limit, older = "max_completion_tokens", newer
	}
	if c.lengthOpen = older == nil; c.lengthOpen {
		older = jsontext.Value(defaultMaxTokens)
	}
	c.writeMember("max_tokens", older)
}

// stop writes the stop sequences: a string or a list.
func (c *chatConverter) stop(v jsontext.Value) {
	if v.Kind() == '"' {
		v = slices.Concat(jsontext.Value("["), v, jsontext.Value("]"))
	}
	c.writeMember("stop_sequences", v)
}

// choices reads how many answers the client wants. There is always one.
func (c *chatConverter) choices(at *memberPath, n jsontext.Value) {
	if n = nonNull(n); n == nil {
		return
	}
	most, err := strconv.ParseFloat(string(n), 64)
	switch {
	case err != nil || most < 1 || most != float64(int(most)):
		c.fail(at, "This should be a whole number of at least 1.")
	case most > 1:
		c.drop(at)
	}
}

// output writes the format of the answer, and how much the model should think before it. A model that has to call a
// tool cannot think first: forced says that it has to.
func (c *chatConverter) output(format, effort jsontext.Value, forced bool) {
	var top *memberPath
	level := c.stringValue(top.member("reasoning_effort"), effort)
	if thinks := level != "" && level != "none"; thinks && !forced {
		c.write(`"thinking":{"type":"adaptive"},`)
	}
	begin := len(c.out)
	c.write(`"output_config":{`)
	switch level {
	case "", "none":
	case "minimal": // the Messages API has no less than low
		c.writeMember("effort", jsontext.Value(`"low"`))
	default:
		c.writeMember("effort", effort)
	}
	c.format(top.member("response_format"), format)
	if c.out[len(c.out)-1] == '{' {
		c.out = c.out[:begin]
		return
	}
	c.close('}')
	c.write(",")
}

// format writes the schema of the answer. json_object, and a json_schema without a schema, are any object.
func (c *chatConverter) format(at *memberPath, v jsontext.Value) {
	from := c.object(at, v, []string{"type", "json_schema"})
	if len(from.Members) == 0 {
		return
	}
	schema := jsontext.Value(`{"type":"object"}`)
	switch typ := c.stringValue(at.member("type"), from.Take("type")); typ {
	case "text":
		return
	case "json_object":
	case "json_schema":
		at := at.member("json_schema")
		inner := c.object(at, from.Take("json_schema"), []string{"name", "description", "schema", "strict"})
		for _, name := range []string{"name", "description", "strict"} { // the answer fits the schema in any case
			inner.Take(name)
		}
		if given := nonNull(inner.Take("schema")); given != nil {
			schema = given
		}
		c.dropUsed(at, &inner)
	default:
		c.fail(at.member("type"), "This should be text, json_object or json_schema.")
	}
	c.jsonAnswer = true
	c.write(`"format":{"type":"json_schema",`)
	c.writeMember("schema", schema)
	c.close('}')
	c.write(",")
	c.dropUsed(at, &from)
}

// dropUsed drops the fields that were not taken out of an object, unless a field asks for nothing: clients send the
// defaults of fields, and the fields of an answer that are empty.
func (c *chatConverter) dropUsed(at *memberPath, o *rawjson.Object) {
	for i := range o.Members {
		switch string(o.Members[i].Value) {
		case "false", "[]", "{}", `""`, "0", "0.0":
			o.Members[i].Value = nil
		}
	}
	c.dropRest(at, o)
}
