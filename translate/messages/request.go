package messages

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Request is a Messages-API request (docs/reference/messages-api.md §2), as far as it concerns a
// model that completes text. [Decode] makes one from JSON.
type Request struct {
	// ID is what the ids of the answer's message and of its tool_use blocks are made of. It is not
	// part of the API's body: the server sets it, a new one for each request.
	ID string

	Model         string
	MaxTokens     int
	Messages      []MessageParam
	System        []BlockParam // text blocks
	Tools         []Tool       // client tools that the model is shown, Anthropic-defined ones included
	OtherTools    bool         // the body has tools besides, whose kind is not known: only of [Body.Native]
	ToolChoice    ToolChoice
	StopSequences []string
	Stream        bool
	Thinking      Thinking
	Format        jsontext.Value // the schema of the JSON that the answer has to be; nil for none
	Temperature   *float64
	TopP          *float64
	TopK          *int

	// Dropped names the fields that were left out: dotted names without indexes ("thinking",
	// "tools.cache_control"), sorted, each once.
	Dropped []string
}

// The roles of a [MessageParam].
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleSystem    = "system" // MessageParam only: a mid-conversation system message
)

// MessageParam is one message of a request. Content given as a string is one text block.
type MessageParam struct {
	Role    string // RoleUser, RoleAssistant or RoleSystem
	Content []BlockParam
	Skipped int // how many messages before it were left out, since nothing of them was left
}

// The types of a [BlockParam], together with BlockText, BlockToolUse and BlockThinking. Blocks of
// other types are left out when a request is decoded.
const (
	BlockImage         = "image"
	BlockDocument      = "document"
	BlockSearchResult  = "search_result"
	BlockToolResult    = "tool_result"
	BlockToolReference = "tool_reference"
)

// Thinking is whether the model is asked to think before it answers, and whether the client wants
// to read that.
type Thinking uint8

// The values of Thinking.
const (
	ThinkingOff     Thinking = iota
	ThinkingShown            // asked to think; the client gets the text
	ThinkingOmitted          // asked to think; the client gets a thinking block without text
)

// BlockParam is one content block of a request (docs/reference/messages-api.md §4). Type decides which
// fields are set.
type BlockParam struct {
	Type string

	Text string // text; thinking, if the request asks the model to think

	Source *Source // image, document, search_result

	ID    string         // tool_use
	Name  string         // tool_use; tool_reference: the tool_name
	Input jsontext.Value // tool_use: a valid JSON object without duplicate names

	ToolUseID string // tool_result
	IsError   bool   // tool_result

	// Skipped is how many blocks before it in its content were left out when the request was decoded.
	Skipped int32

	// Content is the blocks of a tool_result, of a search_result (text), or of a document whose source
	// is "content".
	Content []BlockParam
}

// The types of a [Source].
const (
	SourceBase64  = "base64"
	SourceText    = "text"
	SourceContent = "content"
	SourceURL     = "url"
	SourceFile    = "file"
)

// Source is where an image, a document or a search_result comes from, and its title.
type Source struct {
	Type string         // of an image or document; "" for a search_result
	Text string         // SourceText: the document; search_result: where it was found
	JSON jsontext.Value // the source object as the client sent it, for SourceBase64, SourceURL and SourceFile

	Title   string // document, search_result
	Context string // document
}

// Tool is a tool that the client runs.
type Tool struct {
	// Type is "" for a tool with a schema of the client's, else the type of an Anthropic-defined tool,
	// such as "bash_20250124".
	Type        string
	Name        string
	Description string
	InputSchema jsontext.Value // a valid JSON object without duplicate names
	// InputExamples are inputs that the model is shown as examples of calls: valid JSON objects
	// without duplicate names.
	InputExamples []jsontext.Value
	// Index is the tool's place in the client's list, of which some tools may have been left out.
	Index int
	// DefinedAt is the path of a tool that a message defines; "" for one of the list.
	DefinedAt string
	// Late says that the tool came in the course of the conversation. Such tools stand behind all others.
	Late bool
	// Strict asks that inputs fit the schema.
	Strict bool
	// Streaming is how the input of a call is streamed (eager_input_streaming).
	Streaming InputStreaming
}

// Path returns where the tool stands in the request, as the path of an [InvalidRequestError] says it.
func (t *Tool) Path() string {
	if t.DefinedAt != "" {
		return t.DefinedAt
	}
	return fmt.Sprintf("tools.%d", t.Index)
}

// InputStreaming is when the parameters of a call are sent.
type InputStreaming uint8

// The values of InputStreaming.
const (
	StreamAsTargeted InputStreaming = iota // as the model's entry in the configuration says
	StreamEagerly                          // a string is sent while it is written
	StreamWhole                            // each parameter is sent when it is whole
)

// FlowsValues reports whether a string in the input of a call is sent while the model writes it.
// Otherwise each parameter is sent when it is whole, as the API does (docs/reference/streaming.md §4).
// target is what the model's entry in the configuration says.
func (t *Tool) FlowsValues(target bool) bool {
	return t.Streaming == StreamEagerly || target && t.Streaming != StreamWhole
}

// The types of a [ToolChoice].
const (
	ChoiceAuto = "auto"
	ChoiceAny  = "any"
	ChoiceTool = "tool"
	ChoiceNone = "none"
)

// ToolChoice is the request's tool_choice (docs/reference/messages-api.md §6). Absent, it is
// ChoiceAuto.
type ToolChoice struct {
	Type                   string
	Name                   string // ChoiceTool
	DisableParallelToolUse bool
}

// ShowsTools reports whether the model is shown tools. It is with ChoiceNone, too: what is shown
// before the choice does not change with it, so that prompt caches hold.
func (r *Request) ShowsTools() bool { return len(r.Tools) > 0 }

// MayCall reports whether the model may call a tool in its answer.
func (r *Request) MayCall() bool { return r.ShowsTools() && r.ToolChoice.Type != ChoiceNone }

// MustCall reports whether the answer has to begin with a call.
func (r *Request) MustCall() bool {
	return r.ShowsTools() && (r.ToolChoice.Type == ChoiceAny || r.ToolChoice.Type == ChoiceTool)
}

// MeetsChoice reports whether a call of the named tool is what MustCall asks for: the model may have
// written any name.
func (r *Request) MeetsChoice(name string) bool {
	if r.ToolChoice.Type == ChoiceTool {
		return name == r.ToolChoice.Name
	}
	return hasTool(r.Tools, name)
}
