package upstream

import (
	"cmp"
	"slices"

	"dragoman/translate"
)

// Wire prompt: the whole prompt is one string in the model's chat template (docs/reference/raw-prompts.md).
// Such a prompt has to be rendered for a [translate.Target] with a ChatTemplate.

// The bodies for a raw prompt. The names are values of the key body.
const (
	BodyLlama       = "llama"       // Bedrock: prompt and max_gen_len, without stop sequences
	BodyCompletions = "completions" // prompt and max_tokens: imported models, Mistral and DeepSeek-R1 on Bedrock; servers
	BodyChat        = "chat"        // messages: the server applies its own template
	BodyOllama      = "ollama"      // /api/generate of Ollama
	BodyPredict     = "predict"     // :predict of Vertex AI, which does not say whether the answer was cut: see readPrediction
)

// mostRawStops limits the stop sequences in a body: vLLM and TGI reject a fifth.
const mostRawStops = 4

// rawPrompt is a prompt as one string, with its stop sequences by their meaning.
type rawPrompt struct {
	*translate.RawPrompt
	prompt *translate.Prompt
	turns  []string // the texts that end a turn in the template: the model has ended its answer
	ours   []string // the stop sequence of the format, if the prompt has one
}

// newRawPrompt returns the raw form of a prompt. If the prompt has none, the error is an [*Error].
func newRawPrompt(p *translate.Prompt) (*rawPrompt, error) {
	raw := p.Raw()
	if raw == nil {
		return nil, internalError.error("the prompt was not rendered for a chat template, so Dragoman did not send it")
	}
	r := &rawPrompt{RawPrompt: raw, prompt: p, ours: p.StopSequences[:len(p.StopSequences)-len(p.ClientStops())]}
	for _, stop := range raw.Stops {
		if !slices.Contains(p.StopSequences, stop) {
			r.turns = append(r.turns, stop)
		}
	}
	return r, nil
}

// stops returns the stop sequences for the server. The client's are not among them, because few servers say
// which sequence they met. Dragoman looks for all of them itself: see watchRaw.
func (r *rawPrompt) stops() []string {
	all := slices.Concat(r.ours, r.turns)
	return all[:min(len(all), mostRawStops)]
}

// llamaBody is the body of Llama on Bedrock, and the format BedrockCompletion of imported models.
type llamaBody struct {
	Prompt      string   `json:"prompt"`
	MaxTokens   int      `json:"max_gen_len"`
	Temperature *float64 `json:"temperature,omitzero"`
	TopP        *float64 `json:"top_p,omitzero"`
	guidedFields
}

// completionsBody is the body of completions. On Bedrock, it has no model and no stream.
type completionsBody struct {
	Model     string `json:"model,omitzero"`
	Prompt    string `json:"prompt"`
	MaxTokens int    `json:"max_tokens"` // never omitted: the default of vLLM and SGLang is 16
	sampling
	Stop          []string       `json:"stop,omitempty"`
	Stream        bool           `json:"stream,omitzero"`
	StreamOptions *streamOptions `json:"stream_options,omitzero"`
	// Without these, vLLM and SGLang erase special tokens from the answer, and vLLM adds BOS to the prompt.
	SkipSpecialTokens *bool `json:"skip_special_tokens,omitzero"`
	AddSpecialTokens  *bool `json:"add_special_tokens,omitzero"`
	guidedFields
}

// completions returns the body of completions, with BOS in the text of the prompt.
func (r *rawPrompt) completions(m Model) completionsBody {
	return completionsBody{Prompt: r.BOS + r.Text, MaxTokens: r.prompt.MaxTokens, sampling: samplingOf(r.prompt), Stop: r.stops(),
		guidedFields: guidedBy(m, true, r.prompt.Constraint)}
}

// encodeBedrock returns the body of InvokeModel as JSON. On Bedrock, prompts begin with the text of BOS.
func (r *rawPrompt) encodeBedrock(m Model) ([]byte, error) {
	if m.Body == BodyLlama {
		p := r.prompt
		return encodeBody(llamaBody{r.BOS + r.Text, p.MaxTokens, p.Temperature, p.TopP, guidedBy(m, true, p.Constraint)})
	}
	return encodeBody(r.completions(m))
}

// baseBody returns the raw body of a foundation model on Bedrock, or of a model that was imported before
// November 2025. model is a text that names it. baseBody returns "" if the model takes no raw prompt, or is
// unknown.
func baseBody(model string) string {
	switch FamilyOf(model) {
	case "llama", "llama4", "llama3-2-11b", "llama3-2-90b", "qwen":
		return BodyLlama
	case "mistral", "mistral-7b", "mixtral-8x7b", "pixtral", "deepseek":
		return BodyCompletions
	}
	return ""
}

// bodyOf returns the body for a model. If the body is a guess, other is the body to try if the model rejects
// it; otherwise other is "".
func bodyOf(m Model) (body, other string) {
	if m.Body != "" {
		return m.Body, ""
	}
	body = cmp.Or(baseBody(m.ID), baseBody(m.Family), BodyCompletions)
	if !IsImported(m.ID) {
		return body, ""
	}
	if body == BodyLlama {
		return body, BodyCompletions
	}
	return body, BodyLlama
}
