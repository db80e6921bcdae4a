package proxy

import (
	"dragoman/translate"
	"dragoman/translate/messages"
)

// Servers with a fixed context, Ollama first of all, cut the front of a prompt that is too long, and with
// it the tools. They do not say so; only the usage shows it.

// warnerOfCut returns a function that is given the usage at the end of the answer to p. If the upstream counts
// fewer tokens in the prompt than its text has at least, the function says so in the log.
func (x *exchange) warnerOfCut(m UpstreamModel, p *translate.Prompt) func(messages.Usage) {
	if m.Wire != WireChat {
		return func(messages.Usage) {} // the other APIs refuse a prompt that is too long
	}
	least, estimate := p.LeastTokens(), p.EstimateTokens()
	return func(u messages.Usage) {
		if counted := u.PromptTokens(); counted > 0 && counted < least {
			x.s.log.Warn().Str("request_id", x.record.RequestID).Str("upstream", m.Upstream).Str("upstream_model", clip(m.Model)).
				Int("counted_tokens", counted).Int("estimated_tokens", estimate).
				Str("msg", "the upstream has read only a part of the prompt, perhaps without the tools: its context is too small. "+
					"Raise num_ctx or OLLAMA_CONTEXT_LENGTH of Ollama, -c of llama.cpp, --max-model-len of vLLM").Send()
		}
	}
}
