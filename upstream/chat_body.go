package upstream

import (
	"dragoman/translate"
	"dragoman/translate/messages"
)

// chatBody is the request body of chat completions, as far as a prompt needs it.
type chatBody struct {
	Model         string         `json:"model"`
	Messages      []chatMessage  `json:"messages"`
	MaxTokens     int            `json:"max_tokens"`
	Temperature   *float64       `json:"temperature,omitzero"`
	TopP          *float64       `json:"top_p,omitzero"`
	TopK          *int           `json:"top_k,omitzero"` // not OpenAI's: of vLLM, Ollama, llama.cpp, OpenRouter
	Stop          []string       `json:"stop,omitempty"`
	Stream        bool           `json:"stream"`
	StreamOptions *streamOptions `json:"stream_options,omitzero"`
	// vLLM goes on with a last assistant message only if it is told to, by both of these.
	// llama.cpp and Ollama do so by themselves, and heed neither.
	Continue         bool  `json:"continue_final_message,omitzero"`
	GenerationPrompt *bool `json:"add_generation_prompt,omitzero"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// chatMessage is one message. Its content is a string, or []chatPart where it is more
// than text: many chat templates take nothing but strings.
type chatMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// encodeChat returns the body for the prompt as JSON, with these stop sequences. options
// says whether the server takes stream_options, by which a stream is asked to count
// tokens.
func encodeChat(m Model, p *translate.Prompt, stop []string, options bool) ([]byte, error) {
	b := chatBody{
		Model: m.ID, MaxTokens: p.MaxTokens, Temperature: p.Temperature, TopP: p.TopP, TopK: p.TopK, Stop: stop,
	}
	b.Stream = m.Can.Has(Streaming)
	if b.Stream && options {
		b.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if m.Can.Has(Prefill) && prefilled(p) {
		b.Continue, b.GenerationPrompt = true, new(bool)
	}
	turns := p.Turns
	if !m.Can.Has(System) {
		turns = foldSystem(p)
	} else if system := systemText(p); system != "" {
		b.Messages = append(b.Messages, chatMessage{messages.RoleSystem, system})
	}
	for i, turn := range turns {
		content, err := chatContent(m.Can, turn, i)
		if err != nil {
			return nil, err
		}
		b.Messages = append(b.Messages, chatMessage{turn.Role, content})
	}
	return encodeJSON(p, b)
}
