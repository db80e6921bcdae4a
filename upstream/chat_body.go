package upstream

import (
	"dragoman/translate"
	"dragoman/translate/messages"
)

// chatBody is a request body of chat completions (docs/reference/wire.md).
type chatBody struct {
	Model    string        `json:"model"`
	Messages []chatMessage `json:"messages"`
	chatTools
	// The limit is in one of the two. Newer models of OpenAI take only the second.
	MaxTokens           *int     `json:"max_tokens,omitzero"`
	MaxCompletionTokens *int     `json:"max_completion_tokens,omitzero"`
	sampling                     // top_k is not in OpenAI's API, but vLLM, Ollama, llama.cpp and OpenRouter have it
	Stop                []string `json:"stop,omitempty"`
	Stream              bool     `json:"stream"`
	// StreamOptions makes a stream count tokens.
	StreamOptions *streamOptions `json:"stream_options,omitzero"`
	// vLLM continues a last assistant message only if both of these say so. Ollama always continues it, and
	// ignores them. llama.cpp continues it too, but repeats the prefill. With these members it does not
	// repeat it in a stream.
	ContinueFinalMessage bool  `json:"continue_final_message,omitzero"`
	AddGenerationPrompt  *bool `json:"add_generation_prompt,omitzero"`
	guidedFields
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// chatMessage is a message of a chat. Its content is a string or a list of [chatPart].
type chatMessage struct {
	Role    string `json:"role"`
	CallID  string `json:"tool_call_id,omitzero"` // of a result: the id of its call
	Content any    `json:"content"`
	// Reasoning is the assistant's past thinking. Servers that write thinking in this member also read it
	// there.
	Reasoning string     `json:"reasoning_content,omitzero"`
	Calls     []chatTool `json:"tool_calls,omitempty"`
}

// encodeChat returns the body for the prompt as JSON, with these stop sequences. options is false for
// Mistral's own API, which rejects stream_options and has another word to force a call.
func encodeChat(m Model, p *translate.Prompt, stop []string, options bool) ([]byte, error) {
	b := chatBody{Model: m.ID, MaxTokens: &p.MaxTokens, sampling: samplingOf(p), Stop: stop, Stream: m.Can.Has(Streaming)}
	if m.Lacks.Has(MaxTokensMember) {
		b.MaxTokens, b.MaxCompletionTokens = nil, &p.MaxTokens
	}
	turns := p.Turns
	if !m.Can.Has(System) {
		turns = foldSystem(p)
	} else if system := systemText(p); system != "" {
		b.Messages = append(b.Messages, chatMessage{Role: messages.RoleSystem, Content: system})
	}
	for i, turn := range turns {
		list, err := chatMessages(m, turn, i)
		if err != nil {
			return nil, err
		}
		b.Messages = append(b.Messages, list...)
	}
	required := "required"
	if !options {
		required = "any"
	}
	b.chatTools = chatToolsOf(p.ToolAPI, required, m.Lacks)
	if b.Stream && options && !m.Lacks.Has(UsageMember) {
		b.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if (m.Can | m.Tries).Has(Prefill) && prefilled(p) {
		b.ContinueFinalMessage, b.AddGenerationPrompt = true, new(bool)
	}
	b.guidedFields = guidedBy(m, false, p.Constraint)
	return encodeBody(b)
}
