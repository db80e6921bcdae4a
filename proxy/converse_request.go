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
	Additional    others   `json:"additionalModelRequestFields"`
	ResponsePaths []string `json:"additionalModelResponseFieldPaths"`
	Rest          others   `json:",embed"`
}

// others are members that are not read.
type others map[string]jsontext.Value

type converseMessage struct {
	Role    jsontext.Value  `json:"role"`
	Content []converseBlock `json:"content"`
	Rest    others          `json:",embed"`
}

// converseTool is a union, like all that has a cachePoint: one member is set.
type converseTool struct {
	Spec       *converseSpec `json:"toolSpec"`
	CachePoint *cachePoint   `json:"cachePoint"`
	Rest       others        `json:",embed"`
}

type converseSpec struct {
	Name        jsontext.Value `json:"name"`
	Description jsontext.Value `json:"description"`
	InputSchema struct {
		JSON jsontext.Value `json:"json"`
		Rest others         `json:",embed"`
	} `json:"inputSchema"`
	Strict jsontext.Value `json:"strict"`
	Rest   others         `json:",embed"`
}

type converseChoice struct {
	Auto *struct{} `json:"auto"`
	Any  *struct{} `json:"any"`
	Tool *struct {
		Name jsontext.Value `json:"name"`
		Rest others         `json:",embed"`
	} `json:"tool"`
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
	Additional    others          `json:",embed"`
}

type messagesTurn struct {
	Role    jsontext.Value  `json:"role,omitzero"`
	Content []messagesBlock `json:"content,omitzero"`
}

type messagesTool struct {
	Name         jsontext.Value `json:"name,omitzero"`
	Description  jsontext.Value `json:"description,omitzero"`
	InputSchema  jsontext.Value `json:"input_schema,omitzero"`
	Strict       jsontext.Value `json:"strict,omitzero"`
	CacheControl *cacheControl  `json:"cache_control,omitzero"`
}

type messagesChoice struct {
	Type string         `json:"type"`
	Name jsontext.Value `json:"name,omitzero"`
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
	if c.err != nil {
		return nil, c.err
	}
	body, err := json.Marshal(to, json.Deterministic(true))
	if err != nil {
		return nil, converseError(data, err) // nested deeper than the package writes
	}
	return &conversion{body: body, place: c.place, dropped: slices.Sorted(maps.Keys(c.dropped))}, nil
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
	to.Additional = c.additional(from.Additional)
	for _, path := range from.ResponsePaths {
		if path != "/stop_sequence" { // which is always told
			c.drop("additionalModelResponseFieldPaths")
		}
	}
	c.leave("inferenceConfig", from.Inference.Rest)
	c.leave("toolConfig", from.ToolConfig.Rest)
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

func (c *converter) tools(to *messagesRequest, from []converseTool) {
	const tools = "toolConfig.tools"
	for i, t := range from {
		at := element(tools, i)
		c.union(at, t.Rest, t.Spec != nil, t.CachePoint != nil)
		switch {
		case t.CachePoint != nil && len(to.Tools) > 0:
			to.Tools[len(to.Tools)-1].CacheControl = c.cache(at, t.CachePoint)
		case t.CachePoint != nil:
			c.drop(at + ".cachePoint")
		case t.Spec != nil:
			c.moved("tools", len(to.Tools), tools, i)
			to.Tools = append(to.Tools, messagesTool{
				Name:        value(t.Spec.Name),
				Description: value(t.Spec.Description),
				InputSchema: value(t.Spec.InputSchema.JSON),
				Strict:      value(t.Spec.Strict),
			})
			c.leave(at+".toolSpec", t.Spec.Rest)
			c.leave(at+".toolSpec.inputSchema", t.Spec.InputSchema.Rest)
		}
	}
}

func (c *converter) choice(at string, from *converseChoice) *messagesChoice {
	if from == nil {
		return nil
	}
	c.union(at, from.Rest, from.Auto != nil, from.Any != nil, from.Tool != nil)
	switch {
	case from.Any != nil:
		return &messagesChoice{Type: translate.ChoiceAny}
	case from.Tool != nil:
		c.leave(at+".tool", from.Tool.Rest)
		return &messagesChoice{Type: translate.ChoiceTool, Name: value(from.Tool.Name)}
	}
	return &messagesChoice{Type: translate.ChoiceAuto}
}

// additionalFields are members of the Messages API that Converse has no other place
// for (reference/messages-api.md §2).
var additionalFields = []string{
	"top_k", "thinking", "output_config", "output_format", "metadata", "service_tier", "speed", "cache_control",
	"container", "inference_geo", "context_management", "compaction", "mcp_servers", "anthropic_beta", "anthropic_version",
}

// additional returns the fields that are for the model itself.
func (c *converter) additional(from others) others {
	to := others{}
	for name, v := range from {
		if slices.Contains(additionalFields, name) {
			to[name] = v
		} else if v.Kind() != 'n' {
			c.drop("additionalModelRequestFields." + name)
		}
	}
	return to
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
