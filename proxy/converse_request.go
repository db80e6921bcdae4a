package proxy

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// A request of Converse is written as a body of the Messages API, which has a place
// for nearly all of it (reference/bedrock.md §5, messages-api.md §2 to §6). What is
// said in both APIs by a plain value is not looked at here.

// converseRequest is the body of Converse. Members that are null are not there.
type converseRequest struct {
	Messages  []converseMessage `json:"messages"`
	System    []converseBlock   `json:"system"`
	Inference struct {
		MaxTokens     jsontext.Value `json:"maxTokens"`
		Temperature   jsontext.Value `json:"temperature"`
		TopP          jsontext.Value `json:"topP"`
		StopSequences jsontext.Value `json:"stopSequences"`
		Rest          others         `json:",embed"`
	} `json:"inferenceConfig"`
	ToolConfig struct {
		Tools  []converseTool  `json:"tools"`
		Choice *converseChoice `json:"toolChoice"`
		Rest   others          `json:",embed"`
	} `json:"toolConfig"`
	Output struct {
		Effort     jsontext.Value      `json:"effort"`
		TextFormat *converseTextFormat `json:"textFormat"`
		Rest       others              `json:",embed"`
	} `json:"outputConfig"`
	Guardrail     *converseGuardrail `json:"guardrailConfig"`
	Additional    others             `json:"additionalModelRequestFields"`
	ResponsePaths []string           `json:"additionalModelResponseFieldPaths"`
	Rest          others             `json:",embed"`
}

// others are members that are not read.
type others map[string]jsontext.Value

type converseMessage struct {
	Role    jsontext.Value  `json:"role"`
	Content []converseBlock `json:"content"`
	Rest    others          `json:",embed"`
}

// converseTextFormat is the form that an answer is to have.
type converseTextFormat struct {
	Type      string `json:"type"`
	Structure struct {
		JSONSchema *struct {
			Schema string `json:"schema"` // JSON
			Rest   others `json:",embed"`
		} `json:"jsonSchema"`
		Rest others `json:",embed"`
	} `json:"structure"`
	Rest others `json:",embed"`
}

type cachePoint struct {
	Type string         `json:"type"`
	TTL  jsontext.Value `json:"ttl"`
	Rest others         `json:",embed"`
}

// messagesRequest is the body that is written.
type messagesRequest struct {
	MaxTokens     jsontext.Value  `json:"max_tokens"`
	Messages      []messagesTurn  `json:"messages,omitzero"`
	System        []messagesBlock `json:"system,omitzero"`
	Tools         []messagesTool  `json:"tools,omitzero"`
	ToolChoice    *messagesChoice `json:"tool_choice,omitzero"`
	StopSequences jsontext.Value  `json:"stop_sequences,omitzero"`
	Temperature   jsontext.Value  `json:"temperature,omitzero"`
	TopP          jsontext.Value  `json:"top_p,omitzero"`
	Output        messagesOutput  `json:"output_config,omitzero"`
	Additional    others          `json:",embed"`
}

type messagesOutput struct {
	Effort jsontext.Value  `json:"effort,omitzero"`
	Format *messagesFormat `json:"format,omitzero"`
}

type messagesFormat struct {
	Type   string         `json:"type"`
	Schema jsontext.Value `json:"schema"`
}

type messagesTurn struct {
	Role    jsontext.Value  `json:"role,omitzero"`
	Content []messagesBlock `json:"content,omitzero"`
}

type cacheControl struct {
	Type string         `json:"type"`
	TTL  jsontext.Value `json:"ttl,omitzero"`
}

// mostConverseTokens is the max_tokens of a request that has none. The service's own
// default is what the model can do, which is not known of all models; each can do
// this much, and an answer that it cuts says so.
const mostConverseTokens = "4096"

// convertConverse writes a request of Converse as one of the Messages API. The error
// is a *translate.InvalidRequestError that names places in the request as it came.
func convertConverse(data []byte) (*conversion, error) {
	var from converseRequest
	if err := json.Unmarshal(data, &from); err != nil || jsontext.Value(data).Kind() != '{' {
		return nil, converseError(data, err)
	}
	c := converter{places: map[string]string{}, dropped: map[string]bool{}}
	to := c.request(&from)
	guardrail := c.guardrail(from.Guardrail)
	if c.err != nil {
		return nil, c.err
	}
	body, err := json.Marshal(to, json.Deterministic(true))
	if err != nil {
		return nil, converseError(data, err) // nested deeper than the package writes
	}
	return &conversion{
		body: body, place: c.place, words: converseWords, dropped: slices.Sorted(maps.Keys(c.dropped)),
		open: value(from.Inference.MaxTokens) == nil, guardrail: guardrail,
	}, nil
}

// converter writes one request. The first failure stays; what is made after it is
// not used.
type converter struct {
	places  map[string]string // of what is written, where it was not at the same index
	dropped map[string]bool
	err     *translate.InvalidRequestError
}

func (c *converter) request(from *converseRequest) *messagesRequest {
	to := &messagesRequest{
		MaxTokens:     value(from.Inference.MaxTokens),
		StopSequences: value(from.Inference.StopSequences),
		Temperature:   value(from.Inference.Temperature),
		TopP:          value(from.Inference.TopP),
	}
	if to.MaxTokens == nil {
		to.MaxTokens = jsontext.Value(mostConverseTokens)
	}
	c.messages(to, from.Messages)
	to.System = c.blocks("system", from.System, inSystem)
	c.tools(to, from.ToolConfig.Tools)
	to.ToolChoice = c.choice("toolConfig.toolChoice", from.ToolConfig.Choice)
	to.Output = messagesOutput{value(from.Output.Effort), c.format("outputConfig.textFormat", from.Output.TextFormat)}
	to.Additional = c.additional(from.Additional)
	for _, path := range from.ResponsePaths {
		if path != "/stop_sequence" && path != "/delta/stop_sequence" { // which are always told
			c.drop("additionalModelResponseFieldPaths")
		}
	}
	c.leave("inferenceConfig", from.Inference.Rest)
	c.leave("toolConfig", from.ToolConfig.Rest)
	c.leave("outputConfig", from.Output.Rest)
	c.leave("", from.Rest)
	return to
}

func (c *converter) messages(to *messagesRequest, from []converseMessage) {
	if from == nil {
		return
	}
	to.Messages = make([]messagesTurn, len(from))
	for i, m := range from {
		at := element("messages", i)
		to.Messages[i] = messagesTurn{value(m.Role), c.blocks(at+".content", m.Content, inMessage)}
		c.leave(at, m.Rest)
	}
}

// additionalFields are members of the Messages API that Converse has no other place
// for (reference/messages-api.md §2).
var additionalFields = []string{
	"top_k", "thinking", "output_format", "metadata", "service_tier", "speed", "cache_control",
	"container", "inference_geo", "context_management", "compaction", "mcp_servers", "anthropic_beta", "anthropic_version",
}

// additional returns the fields that are for the model itself.
func (c *converter) additional(from others) others {
	to := others{}
	maps.DeleteFunc(from, func(name string, v jsontext.Value) bool {
		known := slices.Contains(additionalFields, name)
		if known {
			to[name] = v
		}
		return known
	})
	c.leave("additionalModelRequestFields", from)
	return to
}

func (c *converter) format(at string, from *converseTextFormat) *messagesFormat {
	if from == nil {
		return nil
	}
	c.leave(at, from.Rest)
	at += ".structure"
	schema := from.Structure.JSONSchema
	c.union(at, from.Structure.Rest, schema != nil)
	if schema == nil {
		return nil
	}
	at += ".jsonSchema"
	c.leave(at, schema.Rest)
	if !jsontext.Value(schema.Schema).IsValid() {
		c.fail(at+".schema", "This should be JSON.")
	}
	return &messagesFormat{from.Type, jsontext.Value(schema.Schema)}
}

// cache returns the mark that the block before a cache point gets.
func (c *converter) cache(at string, p *cachePoint) *cacheControl {
	at += ".cachePoint"
	if p.Type != "default" {
		c.fail(at+".type", "A cache point is of the type 'default'.")
	}
	c.leave(at, p.Rest)
	return &cacheControl{Type: "ephemeral", TTL: value(p.TTL)}
}

// value returns v, or nil if it is null.
func value(v jsontext.Value) jsontext.Value {
	if v.Kind() == 'n' {
		return nil
	}
	return v
}
