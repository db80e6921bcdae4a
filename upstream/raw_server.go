package upstream

import (
	"context"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// prepareRaw returns the call that sends a raw prompt to the completions of a server. Ollama gets it through
// its own API, because its /v1/completions would apply a template (docs/reference/raw-prompts.md §2).
func (s *Server) prepareRaw(m Model, p *translate.Prompt) (*Call, error) {
	r, err := newRawPrompt(p)
	if err != nil {
		return nil, err
	}
	if m.asksOllama() {
		at := s.base
		at.url = s.root() + "/api/generate"
		return rawCall(at, r, r.ollama(m), lineStream)
	}
	return rawCall(s.at("/completions"), r, r.server(m), sseStream)
}

// asksOllama reports whether raw prompts go to Ollama's own API.
func (m Model) asksOllama() bool {
	return m.Body == BodyOllama || m.Body == "" && m.Server == serverOllama
}

// server returns the body of completions for a server. Servers add BOS as the model's tokenizer says, so the
// prompt has none. vLLM can be told not to add BOS, and then gets the template's own. vLLM and SGLang are
// told to keep special tokens in the answer, because several families mark their calls with such tokens.
func (r *rawPrompt) server(m Model) completionsBody {
	b := r.completions(m)
	b.Model, b.Prompt, b.Stream = m.ID, r.Text, m.Can.Has(Streaming)
	if b.Stream {
		b.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if KeepsSpecialTokens(m) {
		b.SkipSpecialTokens = new(bool)
	}
	if m.Server == serverVLLM {
		b.Prompt, b.AddSpecialTokens = r.BOS+r.Text, new(bool)
	}
	return b
}

// KeepsSpecialTokens reports whether the server can keep special tokens in answers to raw prompts.
func KeepsSpecialTokens(m Model) bool {
	return m.Wire == WirePrompt && (m.Server == serverVLLM || m.Server == serverSGLang)
}

// ollamaBody is the body of Ollama's /api/generate. If Raw is true, Ollama applies no template.
type ollamaBody struct {
	Model   string        `json:"model"`
	Prompt  string        `json:"prompt"`
	Raw     bool          `json:"raw"`
	Stream  bool          `json:"stream"`
	Options ollamaOptions `json:"options"`
	ollamaGuided
}

// ollamaGuided is the member for a JSON Schema as constraint.
type ollamaGuided struct {
	Format jsontext.Value `json:"format,omitzero"`
}

type ollamaOptions struct {
	MaxTokens int `json:"num_predict"`
	sampling
	Stop []string `json:"stop,omitempty"`
}

func (r *rawPrompt) ollama(m Model) ollamaBody {
	b := ollamaBody{m.ID, r.Text, true, m.Can.Has(Streaming), ollamaOptions{r.prompt.MaxTokens, samplingOf(r.prompt), r.stops()}, ollamaGuided{}}
	if c := r.prompt.Constraint; c != nil {
		b.Format = c.Schema
	}
	return b
}

// rawCall returns the call that sends a body with a raw prompt.
func rawCall(e endpoint, r *rawPrompt, body any, stream streamForm) (*Call, error) {
	data, err := encodeBody(body)
	if err != nil {
		return nil, err
	}
	sent := &sentBody{data}
	return &Call{
		Chunks: func(ctx context.Context) iter.Seq2[translate.Chunk, error] {
			d := newCompletionDecoder(r)
			return watchRaw(r, withConstraint(r.prompt, streamChat(ctx, e, sent, readChatError, answerReader{stream, d.decode, d.whole, d.ended})))
		},
		Show: func(ctx context.Context) (Request, error) { return e.show(ctx, WirePrompt, sent.data) },
	}, nil
}
