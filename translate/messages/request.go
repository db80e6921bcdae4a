package messages

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Request is a Messages-API request (docs/reference/messages-api.md §2), with the parts that matter
// to a model that completes text. [Decode] reads it from JSON.
type Request struct {
	// ID is the base for the ids of the answer's message and its tool_use blocks. It is not part of
	// the API's body: the server sets a new one for each request.
	ID string

	Model         string
	MaxTokens     int
	Messages      []MessageParam
	System        []BlockParam // text blocks
	Tools         []Tool       // client tools that the model is shown, including tools that the API defines
	OtherTools    bool         // the body also has tools of unknown types; only set by [Body.Native]
	ToolChoice    ToolChoice
	StopSequences []string
	Stream        bool
	Thinking      Thinking
	OutputSchema  jsontext.Value // the JSON schema that the answer has to fit; nil: any text
	Temperature   *float64
	TopP          *float64
	TopK          *int

	// Dropped lists the fields that were left out, sorted, each once. Names have dots and no
	// indexes: "thinking", "tools.cache_control".
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
	Skipped int // how many messages directly before this one were left out, because nothing in them was left
	// Correction: Dragoman wrote the message, to tell the model what is wrong with its answer.
	Correction bool
}

// The types of a [BlockParam], in addition to BlockText, BlockToolUse and BlockThinking. Decode
// leaves out blocks of other types.
const (
	BlockImage         = "image"
	BlockDocument      = "document"
	BlockSearchResult  = "search_result"
	BlockToolResult    = "tool_result"
	BlockToolReference = "tool_reference"
)

// Thinking is whether the client asks the model to think before it answers, and wants to read the
// thinking.
type Thinking uint8

// The values of Thinking.
const (
	ThinkingOff     Thinking = iota
	ThinkingShown            // the model thinks; the client gets the text
	ThinkingOmitted          // the model thinks; the client gets a thinking block without text
)

// BlockParam is one content block of a request (docs/reference/messages-api.md §4). The comment of
// each field names the types of blocks that set it.
type BlockParam struct {
	Type string

	Text string // text; thinking, if the client asks for thinking

	Source *Source // image, document, search_result

	ID    string         // tool_use
	Name  string         // tool_use; tool_reference: the tool_name
	Input jsontext.Value // tool_use: a valid JSON object without duplicate names

	ToolUseID string // tool_result
	IsError   bool   // tool_result

	// Skipped is how many blocks directly before this one were left out.
	Skipped int32

	// Content is the blocks of a tool_result, a search_result (text only), or a document with
	// source "content".
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

// Source is the origin of an image, a document or a search_result, and its title.
type Source struct {
	Type string         // of an image or document; "" for a search_result
	Text string         // SourceText: the document; search_result: the origin
	JSON jsontext.Value // SourceBase64, SourceURL, SourceFile: the source object as the client sent it

	Title   string // document, search_result
	Context string // document
}

// Tool is a tool that the client runs.
type Tool struct {
	// Type is the type of a tool that the API defines, such as "bash_20250124"; "" if the client
	// defines the tool.
	Type        string
	Name        string
	Description string
	InputSchema jsontext.Value // a valid JSON object without duplicate names
	// InputExamples are example inputs that the model is shown: valid JSON objects without
	// duplicate names.
	InputExamples []jsontext.Value
	// Index is the tool's index in the client's list, including tools that were left out.
	Index int
	// DefinedAt is the path of the message block that defines the tool; "" if the tool is in the
	// list.
	DefinedAt string
	// Late: a message in the conversation added the tool. Such tools come after all others.
	Late bool
	// Strict: the client wants only inputs that fit the schema.
	Strict bool
	// Streaming is when the input of a call is streamed (eager_input_streaming).
	Streaming InputStreaming
}

// Path returns the path of the tool in the request, for an [InvalidRequestError].
func (t *Tool) Path() string {
	if t.DefinedAt != "" {
		return t.DefinedAt
	}
	return fmt.Sprintf("tools.%d", t.Index)
}

// InputStreaming is when Dragoman sends the parameters of a call.
type InputStreaming uint8

// The values of InputStreaming.
const (
	StreamAsTargeted InputStreaming = iota // as stream_values in the model's configuration says
	StreamEagerly                          // a string is sent while the model writes it
	StreamWhole                            // a parameter is sent when it is complete
)

// StreamValues reports whether Dragoman sends a string in a call's input while the model writes it.
// Otherwise it sends each parameter when it is complete, as the API does
// (docs/reference/streaming.md §4). target is the setting of the model's configuration.
func (t *Tool) StreamValues(target bool) bool {
	return t.Streaming == StreamEagerly || target && t.Streaming != StreamWhole
}

// The types of a [ToolChoice].
const (
	ChoiceAuto = "auto"
	ChoiceAny  = "any"
	ChoiceTool = "tool"
	ChoiceNone = "none"
)

// ToolChoice is the request's tool_choice (docs/reference/messages-api.md §6). If it is missing,
// Type is ChoiceAuto.
type ToolChoice struct {
	Type                   string
	Name                   string // ChoiceTool
	DisableParallelToolUse bool
}

// ShowsTools reports whether the prompt has the tools. It has them even with ChoiceNone: the choice
// must not change the start of the prompt, or prompt caches would miss.
func (r *Request) ShowsTools() bool { return len(r.Tools) > 0 }

// AnswersResults reports whether the answer is to results: the last turn has some.
func (r *Request) AnswersResults() bool {
	for i := len(r.Messages) - 1; i >= 0 && r.Messages[i].Role != RoleAssistant; i-- {
		for j := range r.Messages[i].Content {
			if r.Messages[i].Content[j].Type == BlockToolResult {
				return true
			}
		}
	}
	return false
}

// MayCall reports whether the model may call a tool in its answer.
func (r *Request) MayCall() bool { return r.ShowsTools() && r.ToolChoice.Type != ChoiceNone }

// MustCall reports whether the answer has to be a call.
func (r *Request) MustCall() bool {
	return r.ShowsTools() && (r.ToolChoice.Type == ChoiceAny || r.ToolChoice.Type == ChoiceTool)
}

// MeetsChoice reports whether a call of the named tool is what a forced tool_choice asks for. The
// name comes from the model, so it may be any text.
func (r *Request) MeetsChoice(name string) bool {
	if r.ToolChoice.Type == ChoiceTool {
		return name == r.ToolChoice.Name
	}
	return hasTool(r.Tools, name)
}
