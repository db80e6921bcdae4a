package upstream

import (
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// encodeChat returns the body for the prompt as JSON, with these stop sequences. options
// says whether the server takes stream_options, by which a stream is asked to count
// tokens.
func encodeChat(m Model, p *translate.Prompt, stop []string, options bool) ([]byte, error) {
	turns := p.Turns
	var system []rawjson.Text
	if m.Can.Has(System) {
		system = systemText(p)
	} else {
		turns = foldSystem(p)
	}
	b := newBody(p)
	b.open("", '{')
	b.text("model", m.ID)
	b.open("messages", '[')
	if len(system) > 0 {
		b.open("", '{')
		b.text("role", messages.RoleSystem)
		b.joined("content", system...)
		b.close('}')
	}
	for i, turn := range turns {
		b.open("", '{')
		b.text("role", turn.Role)
		if err := b.chatContent(m.Can, turn, i); err != nil {
			return nil, err
		}
		b.close('}')
	}
	b.close(']')
	b.number("max_tokens", p.MaxTokens)
	b.sampling(p) // top_k is not OpenAI's, but of vLLM, Ollama, llama.cpp, OpenRouter
	b.texts("stop", stop)
	b.flag("stream", m.Can.Has(Streaming))
	if m.Can.Has(Streaming) && options {
		b.open("stream_options", '{')
		b.flag("include_usage", true)
		b.close('}')
	}
	// vLLM goes on with a last assistant message only if it is told to, by both of these.
	// llama.cpp and Ollama do so by themselves, and heed neither.
	if m.Can.Has(Prefill) && prefilled(p) {
		b.flag("continue_final_message", true)
		b.flag("add_generation_prompt", false)
	}
	return b.end()
}
