package upstream

import (
	"cmp"
	"slices"

	"dragoman/translate"
)

// Wire prompt: the whole prompt is one string, in the chat template of the model (docs/reference/raw-prompts.md). Its
// prompts have to be rendered for a [translate.Target] with a ChatTemplate.

// The bodies that a raw prompt is sent in, as the key body of a model's entry names them.
const (
	BodyLlama       = "llama"       // Bedrock: prompt and max_gen_len, without stop sequences
	BodyCompletions = "completions" // prompt and max_tokens: imported models, Mistral and DeepSeek-R1 on Bedrock; servers
	BodyChat        = "chat"        // messages: then the server applies its own template
	BodyOllama      = "ollama"      // /api/generate of Ollama
	BodyPredict     = "predict"     // :predict of Vertex AI, which does not say whether an answer was cut
)

// mostRawStops is how many stop sequences a body has at most: vLLM and TGI refuse a fifth.
const mostRawStops = 4

// rawPrompt is a prompt that is one string, with its stop sequences by what they mean.
type rawPrompt struct {
	*translate.RawPrompt
	prompt *translate.Prompt
	turns  []string // what ends a turn in the template: the model had no more to say
	ours   []string // the stop sequence of the format, if the prompt has it
}

// newRawPrompt returns the raw form of a prompt. It is an [*Error] if the prompt has none.
func newRawPrompt(p *translate.Prompt) (*rawPrompt, error) {
	raw := p.Raw()
	if raw == nil {
		return nil, internalError.error("the prompt was not made for a chat template, and was not sent")
	}
	r := &rawPrompt{RawPrompt: raw, prompt: p, ours: p.StopSequences[:len(p.StopSequences)-len(p.ClientStops())]}
	for _, stop := range raw.Stops {
		if !slices.Contains(p.StopSequences, stop) {
			r.turns = append(r.turns, stop)
		}
	}
	return r, nil
}

// stops returns the stop sequences that a server is sent: those of the client are not among them, since few
// servers say which one they met. All are looked for here, too: see watchRaw.
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

// completionsBody is the body of completions. On Bedrock it has no model and no stream.
type completionsBody struct {
	Model     string `json:"model,omitzero"`
	Prompt    string `json:"prompt"`
	MaxTokens int    `json:"max_tokens"` // always: vLLM and SGLang give 16 tokens by default
	sampling
	Stop          []string       `json:"stop,omitempty"`
	Stream        bool           `json:"stream,omitzero"`
	StreamOptions *streamOptions `json:"stream_options,omitzero"`
	// vLLM and SGLang erase special tokens from the answer, and vLLM adds BOS to the prompt, unless they are told.
	SkipSpecialTokens *bool `json:"skip_special_tokens,omitzero"`
	AddSpecialTokens  *bool `json:"add_special_tokens,omitzero"`
	guidedFields
}

// completions returns the body of completions for a prompt whose text holds its BOS.
func (r *rawPrompt) completions(m Model) completionsBody {
	return completionsBody{Prompt: r.BOS + r.Text, MaxTokens: r.prompt.MaxTokens, sampling: samplingOf(r.prompt), Stop: r.stops(),
		guidedFields: guidedBy(m, true, r.prompt.Constraint)}
}

// encodeBedrock returns the body of InvokeModel as JSON. Prompts on Bedrock begin with the text of BOS.
func (r *rawPrompt) encodeBedrock(m Model) ([]byte, error) {
	if m.Body == BodyLlama {
		p := r.prompt
		return encodeBody(llamaBody{r.BOS + r.Text, p.MaxTokens, p.Temperature, p.TopP, guidedBy(m, true, p.Constraint)})
	}
	return encodeBody(r.completions(m))
}

// baseBody returns the body that a foundation model on Bedrock takes, and models that were imported before November
// 2025, by a text that names the model; "" if it takes no raw prompt, or if that is not known.
func baseBody(model string) string {
	switch FamilyOf(model) {
	case "llama", "llama4", "llama3-2-11b", "llama3-2-90b", "qwen":
		return BodyLlama
	case "mistral", "mistral-7b", "mixtral-8x7b", "pixtral", "deepseek":
		return BodyCompletions
	}
	return ""
}

// bodyOf returns the body for a model, given what is known of it; other is the one to try if a model refuses it of
// which nothing is known for sure, "" for none.
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
