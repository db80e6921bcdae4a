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
	// The name that clients ask for. `*` stands for any text.
	Name string `yaml:"name" required:"true" example:"claude-2.1" see:"reference/configuration.md#models"`

	UpstreamModel

	// Models that Dragoman asks in their order when the upstream fails. Each has the keys of an entry of `models`,
	// without `name` and `fallbacks`. A fallback takes `format`, `template` and `language` from its entry.
	Fallbacks []UpstreamModel `yaml:"fallbacks" example:"[{upstream: relay, model: claude-3-haiku-20240307}]" see:"reference/upstream-errors.md"`
}

// UpstreamModel has the keys that entries and fallbacks share: which model is asked, and how.
type UpstreamModel struct {
	// The name of an entry of `upstreams`.
	Upstream string `yaml:"upstream" required:"true" example:"east" see:"reference/upstreams.md#kinds"`

	// The id that the upstream knows.
	Model string `yaml:"model" usually:"the name that the client asks for" example:"anthropic.claude-v2:1" see:"reference/configuration.md#models"`

	// The API over which Dragoman asks the upstream.
	Wire string `yaml:"wire" words:"messages text converse chat prompt" usually:"by the upstream and the id" example:"text" see:"reference/upstreams.md#wires"`

	// How the model is given tools. `xml`: in the prompt. `native`: over a tools API of the upstream, the Messages API
	// or that of chat completions. `auto`: native, until the upstream says that the model has no tools.
	Tools string `yaml:"tools" default:"xml" words:"xml native auto" example:"auto" see:"how-to/native-tools.md"`

	// How tools are put into the prompt. `auto`: `legacy` for Claude, the format of the model's family if servers pass
	// it on, else the format that measured best. With a `template`, the default is `legacy`.
	Format string `yaml:"format" default:"auto" list:"formats" example:"json" see:"reference/call-formats.md"`

	// The family of the model, such as `qwen2.5` or `claude`, where an ARN or a name of your own hides it. Format,
	// thinking and special tokens follow from it.
	Family string `yaml:"family" usually:"by the id of the model" example:"qwen2.5" see:"reference/call-formats.md"`

	// On the wire `prompt`: the template of turns.
	ChatTemplate string `yaml:"chat_template" list:"chat templates" usually:"by the family of the model" example:"chatml" see:"explanation/raw-prompts.md"`

	// On the wire `prompt`: the body of a request. `llama`: `prompt` and `max_gen_len`. `completions`: `prompt` and
	// `max_tokens`. `chat`: messages, which the server puts into its own template. `ollama`: Ollama's own API.
	// `predict`: that of Vertex AI, which does not say whether an answer was cut.
	Body string `yaml:"body" words:"llama completions chat ollama predict" usually:"by what the upstream tells" example:"completions" see:"how-to/text-models.md"`

	// Whether the prompt shows an example call of an offered tool. `auto`: yes, but not for Claude in `legacy`, with a
	// `template`, and for tools with `input_examples`.
	ExampleCall string `yaml:"example_call" default:"auto" words:"auto on off" example:"off" see:"reference/call-formats.md#example-call"`

	// Formats in which Dragoman reads calls besides `format`, `legacy`, `attribute` and `json`: a list of names, or
	// `all`.
	Accept []string `yaml:"accept" list:"accepted" all:"all" usually:"the format of the model's family" example:"[glm, kimi]" see:"reference/call-formats.md"`

	// The language of all that Dragoman says to the model. `auto` follows the first message.
	Language string `yaml:"language" default:"en" list:"languages" example:"fr" see:"explanation/prompts.md#languages-and-templates"`

	// A text in place of the preamble; `file:/path` reads it. `{{tools}}` stands in it once, and a call as the format
	// writes it.
	Template string `yaml:"template" usually:"the preamble of the format" example:"file:/etc/dragoman/preamble.txt" see:"explanation/prompts.md#languages-and-templates"`

	// 1: if a call cannot be read, or its parameters do not fit the tool (`invalid`), Dragoman shows the model what it
	// wrote and what is wrong with it, once. The second answer of the model counts. Dragoman then sends calls when
	// they are whole; text that was sent stays.
	Repair int64 `yaml:"repair" default:"0" min:"0" max:"1" example:"1" see:"reference/metrics.md#outcomes-of-calls"`

	// When Dragoman sends a parameter of a call. `whole`: when it is whole, as the API does. `flow`: a string as the
	// model writes it.
	Values string `yaml:"stream_values" default:"whole" words:"whole flow" example:"flow" see:"reference/configuration.md#stream_values"`

	// What a call in a code fence beside prose is. `text`: text. `read`: a call, if it is whole.
	Quoted string `yaml:"quoted_calls" default:"text" words:"text read" example:"read" see:"reference/configuration.md#quoted_calls"`

	// Whether completions begin in thinking that the chat template opened. `marked`: no. `maybe`: perhaps. `open`: yes.
	Thinking string `yaml:"thinking" words:"marked maybe open" usually:"by the family of the model" example:"open" see:"explanation/thinking.md#the-key-thinking"`

	// Whether Dragoman escapes special tokens of the model's chat template in what clients write, on the wire `chat`.
	// Set `false` for a server that escapes them itself.
	LeaveSpecialTokens bool `yaml:"escape_special_tokens" default:"true" example:"false" see:"explanation/client-text.md#special-tokens"`

	// What becomes of thinking that the client has not asked for. `block`: thinking blocks. `text`: text. `hide`:
	// nothing.
	UnaskedThinking string `yaml:"unasked_thinking" words:"block text hide" usually:"text for Claude and models of no known family, else block" example:"hide" see:"explanation/thinking.md#the-key-unasked_thinking"`

	// The most tokens that the model gives.
	MaxTokens int64 `yaml:"max_tokens" min:"1" max:"1073741824" usually:"by the family of the model" example:"4096" see:"reference/configuration.md#max_tokens"`

	// With native tools: whether Dragoman reads calls that the model writes as text (`<invoke name=…>`), and gives them
	// as `tool_use`.
	Rescue bool `yaml:"rescue" default:"false" usually:"true over chat completions, false over the Messages API" example:"true" see:"how-to/native-tools.md"`

	// Whether the server holds the model to a grammar while it writes, where a call is forced or the answer has to be
	// JSON. `off`: no. `try`: yes; a server that refuses the grammar or ignores it is asked without it. `require`: yes;
	// otherwise the client gets an error.
	Constrain string `yaml:"constrain" default:"off" words:"off try require" example:"try" see:"explanation/guided-decoding.md"`

	// With `constrain`: whether the grammar holds as well where the model may choose to call nothing, from the
	// beginning of a call on. Text that holds such a beginning becomes a call.
	ConstrainAuto bool `yaml:"constrain_auto" default:"false" example:"true" see:"explanation/guided-decoding.md#free-choice"`

	// How the server takes grammars, on the wire `chat`.
	Guided string `yaml:"guided" words:"vllm sglang llama.cpp json_schema bedrock-import fireworks none" usually:"what the server says of itself" example:"llama.cpp" see:"explanation/guided-decoding.md#servers"`

	Features `usually:"by the family of the model" example:"false" see:"reference/configuration.md#what-a-model-can-be-asked"`
}

// Features are what a model supports, if its family does not tell. The names are in [upstream.FeatureNames].
type Features struct {
	// Whether the model continues a last assistant message.
	Prefill *bool `yaml:"prefill"`

	// Whether the model takes a system prompt, on the wires `converse` and `chat`.
	System *bool `yaml:"system"`

	// Whether the model streams its answers, on the wires `converse` and `chat`.
	Streaming *bool `yaml:"streaming"`

	// Whether the model takes stop sequences, on the wires `converse` and `chat`.
	StopSequences *bool `yaml:"stop_sequences"`

	// Whether the model takes images.
	Images *bool `yaml:"images"`

	// Whether the model takes documents.
	Documents *bool `yaml:"documents"`

	// Whether the model takes parameters of sampling, such as `temperature`.
	Sampling *bool `yaml:"sampling"`

	// Whether the model takes `top_k`.
	TopK *bool `yaml:"top_k"`

	// Whether the model takes marks of caching.
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

// proxy returns the model in the proxy's form. The kind of the upstream decides some of it: without a family, a model
// behind anthropic counts as Claude, openai may try a prefill, and vertex chooses the wire by the id.
func (m *UpstreamModel) proxy(kinds map[string]string) proxy.UpstreamModel {
	kind := kinds[m.Upstream]
	p := proxy.UpstreamModel{
		Upstream: m.Upstream, Model: m.Model, Wire: m.Wire, Tools: m.Tools, Format: m.Format, Family: m.Family,
		ChatTemplate: m.ChatTemplate, Body: m.Body,
		ExampleCall: m.ExampleCall, Accept: strings.Join(m.Accept, ","), Language: m.Language, Template: m.Template,
		Repair: m.Repair, Values: m.Values, Quoted: m.Quoted, Thinking: m.Thinking, UnaskedThinking: m.UnaskedThinking,
		LeaveSpecialTokens: m.LeaveSpecialTokens, MaxTokens: m.MaxTokens, Rescue: m.Rescue,
		Constrain: m.Constrain, ConstrainAuto: m.ConstrainAuto, Guided: m.Guided,
		TryPrefill: kind == OpenAI, OpenOverChat: kind == Vertex,
	}
	if slices.Contains(m.Accept, translate.AcceptAll) {
		p.Accept = translate.AcceptAll
	}
	if kind == Anthropic {
		p.Assumed = translate.FamilyClaude
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
