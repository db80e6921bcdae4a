package proxy

import (
	"iter"

	"dragoman/translate"
)

// Servers with a fixed context, Ollama first of all, cut the front of a prompt that is too long, and with
// it the tools. They do not say so; only the usage shows it.

// warnOfCut yields the chunks of the answer to p. If the upstream counts fewer tokens in the prompt than
// its text has at least, warnOfCut says so in the log.
func (x *exchange) warnOfCut(m UpstreamModel, p *translate.Prompt, chunks iter.Seq2[translate.Chunk, error]) iter.Seq2[translate.Chunk, error] {
	if m.Wire != WireChat {
		return chunks // the other APIs refuse a prompt that is too long
	}
	least, estimate := p.LeastTokens(), p.EstimateTokens()
	return func(yield func(translate.Chunk, error) bool) {
		for c, err := range chunks {
			if counted := c.Usage.PromptTokens(); c.Stop != "" && counted > 0 && counted < least {
				x.s.log.Warn().Str("request_id", x.record.RequestID).Str("upstream", m.Upstream).Str("upstream_model", clip(m.Model)).
					Int("counted_tokens", counted).Int("estimated_tokens", estimate).
					Str("msg", "the upstream has read only a part of the prompt, perhaps without the tools: its context is too small. "+
						"Raise num_ctx or OLLAMA_CONTEXT_LENGTH of Ollama, -c of llama.cpp, --max-model-len of vLLM").Send()
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
