package config

import (
	"slices"
	"strings"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/upstream"
)

// Route is an entry of models.
type Route struct {
	// The name that clients ask for. `*` matches any text.
	Name string `yaml:"name" required:"true" example:"claude-2.1" see:"reference/configuration.md#models"`

	UpstreamModel

	// Models to ask in this order when the upstream fails. Each has the keys of an entry of `models` except `name` and
	// `fallbacks`. A fallback inherits `format`, `template` and `language` from its entry.
	Fallbacks []UpstreamModel `yaml:"fallbacks" example:"[{upstream: relay, model: claude-3-haiku-20240307}]" see:"reference/upstream-errors.md"`
}

// UpstreamModel has the keys that entries and fallbacks share: which model is asked, and how.
type UpstreamModel struct {
	// The name of an entry of `upstreams`.
	Upstream string `yaml:"upstream" required:"true" example:"east" see:"reference/upstreams.md#kinds"`

	// The id of the model at the upstream.
	Model string `yaml:"model" usually:"the name that the client asks for" example:"anthropic.claude-v2:1" see:"reference/configuration.md#models"`

	// The API that Dragoman uses for the model.
	Wire string `yaml:"wire" words:"messages text converse chat prompt" usually:"depends on the upstream and the id" example:"text" see:"reference/upstreams.md#wires"`

	// How the model gets tools. `xml`: in the prompt. `native`: over the upstream's tools API, of the Messages API or
	// of chat completions. `auto`: native until the upstream says that the model has no tools, then in the prompt.
	Tools string `yaml:"tools" default:"xml" words:"xml native auto" example:"auto" see:"how-to/native-tools.md"`

	// The format of calls in the prompt. `auto`: `legacy` for Claude; for other models the format of the family, if
	// servers pass it on, else the format that measured best. With a `template`, the default is `legacy`.
	Format string `yaml:"format" default:"auto" list:"formats" example:"json" see:"reference/call-formats.md"`

	// The family of the model, such as `qwen2.5` or `claude`. Set it if an ARN or a name of your own hides it. Format,
	// thinking and special tokens follow from it.
	Family string `yaml:"family" usually:"read from the id of the model" example:"qwen2.5" see:"reference/call-formats.md"`

	// The chat template that writes the turns, for the wire `prompt`.
	ChatTemplate string `yaml:"chat_template" list:"chat templates" usually:"depends on the family of the model" example:"chatml" see:"explanation/raw-prompts.md"`

	// The body of a request, for the wire `prompt`. `llama`: `prompt` and `max_gen_len`. `completions`: `prompt` and
	// `max_tokens`. `chat`: messages, which the server puts into its own template. `ollama`: Ollama's own API.
	// `predict`: the API of Vertex AI that does not say whether an answer was cut.
	Body string `yaml:"body" words:"llama completions chat ollama predict" usually:"what the upstream reports" example:"completions" see:"how-to/text-models.md"`

	// Whether the prompt shows an example call of an offered tool. `auto`: yes, except for Claude in `legacy`, with a
	// `template`, and for tools with `input_examples`.
	ExampleCall string `yaml:"example_call" default:"auto" words:"auto on off" example:"off" see:"reference/call-formats.md#example-call"`

	// More formats in which Dragoman reads calls, in addition to `format`, `legacy`, `attribute` and `json`. Either a
	// list of names, or `all`.
	Accept []string `yaml:"accept" list:"accepted" all:"all" usually:"the format of the model's family" example:"[glm, kimi]" see:"reference/call-formats.md"`

	// The language of Dragoman's own sentences in the prompt. `auto` takes the language of the first message.
	Language string `yaml:"language" default:"en" list:"languages" example:"fr" see:"explanation/prompts.md#languages-and-templates"`

	// A text to use instead of the preamble, which introduces the tools; `file:/path` reads it. It must have
	// `{{tools}}` once, and a call in the model's format.
	Template string `yaml:"template" usually:"the preamble of the format" example:"file:/etc/dragoman/preamble.txt" see:"explanation/prompts.md#languages-and-templates"`

	// 1: if Dragoman cannot read a call, or its parameters do not fit the tool (`invalid`), it shows the model once
	// what it wrote and what is wrong with it. The second answer counts. With 1, the client gets each call only when
	// it is whole. Text that the client already has stays.
	Repair int64 `yaml:"repair" default:"0" min:"0" max:"1" example:"1" see:"reference/metrics.md#outcomes-of-calls"`

	// When Dragoman sends a parameter of a call. `whole`: when it is whole, as the API does. `flow`: a string as the
	// model writes it.
	Values string `yaml:"stream_values" default:"whole" words:"whole flow" example:"flow" see:"reference/configuration.md#stream_values"`

	// How Dragoman reads a call in a code fence beside prose. `text`: as text. `read`: as a call, if it is whole.
	Quoted string `yaml:"quoted_calls" default:"text" words:"text read" example:"read" see:"reference/configuration.md#quoted_calls"`

	// A sentence after the results of every turn, for a model that does not go on by itself. `on`: Dragoman's own
	// sentence. Any other text is the sentence. Without the key, Dragoman only reminds a model that is stuck.
	ResultNote string `yaml:"result_note" default:"off" example:"on" see:"reference/configuration.md#result_note"`

	// Whether the chat template opens thinking, so that completions begin inside it. `marked`: no. `maybe`: perhaps.
	// `open`: yes.
	Thinking string `yaml:"thinking" words:"marked maybe open" usually:"depends on the family of the model" example:"open" see:"explanation/thinking.md#the-key-thinking"`

	// Whether Dragoman escapes the special tokens of the model's chat template in client text, for the wire `chat`. Set
	// `false` if the server escapes them itself.
	LeaveSpecialTokens bool `yaml:"escape_special_tokens" default:"true" example:"false" see:"explanation/client-text.md#special-tokens"`

	// How the client gets thinking that it did not ask for. `block`: as thinking blocks. `text`: as text. `hide`: not
	// at all.
	UnaskedThinking string `yaml:"unasked_thinking" words:"block text hide" usually:"text for Claude and models of no known family, else block" example:"hide" see:"explanation/thinking.md#the-key-unasked_thinking"`

	// The most tokens that the model can write.
	MaxTokens int64 `yaml:"max_tokens" min:"1" max:"1073741824" usually:"depends on the family of the model" example:"4096" see:"reference/configuration.md#max_tokens"`

	// Whether Dragoman also reads calls that the model writes as text (`<invoke name=…>`), with native tools over chat
	// completions. The client gets them as `tool_use`. Over the Messages API, `true` is refused.
	Rescue *bool `yaml:"rescue" usually:"true over chat completions" example:"true" see:"how-to/native-tools.md"`

	// Whether Dragoman asks the server to constrain the model with a grammar, if a call is forced or the answer must be
	// JSON. `off`: no. `try`: yes; if the server refuses or ignores the grammar, Dragoman asks without it. `require`:
	// yes; otherwise the client gets an error.
	Constrain string `yaml:"constrain" default:"off" words:"off try require" example:"try" see:"explanation/guided-decoding.md"`

	// Whether `constrain` also applies if the model may choose not to call. The grammar then applies from the
	// beginning of a call. Text that contains such a beginning becomes a call.
	ConstrainAuto bool `yaml:"constrain_auto" default:"false" example:"true" see:"explanation/guided-decoding.md#free-choice"`

	// How the server takes grammars, for the wire `chat`.
	Guided string `yaml:"guided" words:"vllm sglang llama.cpp json_schema bedrock-import fireworks none" usually:"what the server reports" example:"llama.cpp" see:"explanation/guided-decoding.md#servers"`

	Features `usually:"depends on the family of the model" example:"false" see:"reference/configuration.md#what-a-model-can-be-asked"`
}

// Features are what a model supports, if its family does not tell. The names are in [upstream.FeatureNames].
type Features struct {
	// Whether the model continues a last assistant message.
	Prefill *bool `yaml:"prefill"`

	// Whether the model accepts a system prompt, on the wires `converse` and `chat`.
	System *bool `yaml:"system"`

	// Whether the model streams its answers, on the wires `converse` and `chat`.
	Streaming *bool `yaml:"streaming"`

	// Whether the model accepts stop sequences, on the wires `converse` and `chat`.
	StopSequences *bool `yaml:"stop_sequences"`

	// Whether the model accepts images.
	Images *bool `yaml:"images"`

	// Whether the model accepts documents.
	Documents *bool `yaml:"documents"`

	// Whether the model accepts sampling parameters, such as `temperature`.
	Sampling *bool `yaml:"sampling"`

	// Whether the model accepts `top_k`.
	TopK *bool `yaml:"top_k"`

	// Whether the model accepts caching marks.
	Caching *bool `yaml:"caching"`
}

// proxy returns the entry in the proxy's form.
func (r *Route) proxy(kinds map[string]string) proxy.Route {
	route := proxy.Route{Name: r.Name, UpstreamModel: r.UpstreamModel.proxy(kinds)}
	for _, m := range r.Fallbacks {
		route.Fallbacks = append(route.Fallbacks, m.proxy(kinds))
	}
	return route
}

// noteOff is the result_note for no sentence.
const noteOff = "off"

// proxy returns the model in the proxy's form.
func (m *UpstreamModel) proxy(kinds map[string]string) proxy.UpstreamModel {
	p := proxy.UpstreamModel{
		Upstream: m.Upstream, Kind: upstream.Kind(kinds[m.Upstream]), Model: m.Model, Wire: m.Wire, Tools: m.Tools, Format: m.Format, Family: m.Family,
		ChatTemplate: m.ChatTemplate, Body: m.Body,
		ExampleCall: m.ExampleCall, Accept: strings.Join(m.Accept, ","), Language: m.Language, Template: m.Template,
		Repair: m.Repair, Values: m.Values, Quoted: m.Quoted, Thinking: m.Thinking, UnaskedThinking: m.UnaskedThinking,
		LeaveSpecialTokens: m.LeaveSpecialTokens, MaxTokens: m.MaxTokens, Rescue: m.Rescue,
		Constrain: m.Constrain, ConstrainAuto: m.ConstrainAuto, Guided: m.Guided, ResultNote: m.ResultNote,
	}
	if slices.Contains(m.Accept, translate.AcceptAll) {
		p.Accept = translate.AcceptAll
	}
	if m.ResultNote == noteOff {
		p.ResultNote = ""
	}
	for _, k := range keysOf(&m.Features) {
		if f := upstream.FeatureOf(k.name); k.text() == "true" {
			p.Features.With |= f
		} else if k.text() == "false" {
			p.Features.Without |= f
		}
	}
	return p
}
