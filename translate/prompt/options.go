package prompt

// ModelOptions are how to ask a model and how to read its answers. They are keys of the model's entry in the
// configuration: the tag yaml has the name of the key, and the comment documents it. In an entry, an empty field has the
// key's default. In a [Target], the default depends on nothing: "" and nil mean the first format, no example call, no
// other formats, English, the preamble of the format, whole values, quoted calls as text, no result note, marked
// thinking, thinking that stays text, an unknown limit, no escapes of special tokens and no rescue.
//
// Body is for package upstream, and Repair for package proxy/check. This package reads all others.
type ModelOptions struct {
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
	StreamValues string `yaml:"stream_values" default:"whole" words:"whole flow" example:"flow" see:"reference/configuration.md#stream_values"`

	// How Dragoman reads a call in a code fence beside prose. `text`: as text. `read`: as a call, if it is whole.
	QuotedCalls string `yaml:"quoted_calls" default:"text" words:"text read" example:"read" see:"reference/configuration.md#quoted_calls"`

	// A sentence after the results of every turn, for a model that does not go on by itself. `on`: Dragoman's own
	// sentence. Any other text is the sentence. Without the key, Dragoman only reminds a model that is stuck.
	ResultNote string `yaml:"result_note" default:"off" example:"on" see:"reference/configuration.md#result_note"`

	// Whether the chat template opens thinking, so that completions begin inside it. `marked`: no. `maybe`: perhaps.
	// `open`: yes.
	Thinking string `yaml:"thinking" words:"marked maybe open" usually:"depends on the family of the model" example:"open" see:"explanation/thinking.md#the-key-thinking"`

	// Whether Dragoman escapes the special tokens of the model's chat template in client text, for the wire `chat`. Set
	// `false` if the server escapes them itself.
	EscapeSpecialTokens *bool `yaml:"escape_special_tokens" default:"true" example:"false" see:"explanation/client-text.md#special-tokens"`

	// How the client gets thinking that it did not ask for. `block`: as thinking blocks. `text`: as text. `hide`: not
	// at all.
	UnaskedThinking string `yaml:"unasked_thinking" words:"block text hide" usually:"text for Claude and models of no known family, else block" example:"hide" see:"explanation/thinking.md#the-key-unasked_thinking"`

	// The most tokens that the model can write.
	MaxTokens int64 `yaml:"max_tokens" min:"1" max:"1073741824" usually:"depends on the family of the model" example:"4096" see:"reference/configuration.md#max_tokens"`

	// Whether Dragoman also reads calls that the model writes as text (`<invoke name=…>`), with native tools over chat
	// completions. The client gets them as `tool_use`. Over the Messages API, `true` is refused.
	Rescue *bool `yaml:"rescue" usually:"true over chat completions" example:"true" see:"how-to/native-tools.md"`
}

// When a parameter of a call is sent: see [ModelOptions.StreamValues]. A tool may choose for itself: see
// [messages.Tool.StreamValues].
const (
	ValuesWhole = "whole" // when it is complete, so that the client never gets half a value
	ValuesFlow  = "flow"  // strings as they come, other values when they are complete
)

// How to read a call that fills a Markdown code fence: see [ModelOptions.QuotedCalls].
const (
	QuotedText = "text" // as text, because it is quoted
	QuotedRead = "read" // as a call, if it is complete, its tool is offered, and it has all required parameters
)

// NoteOn is the [ModelOptions.ResultNote] for Dragoman's own sentence.
const NoteOn = "on"

// isOn reports whether an option is set, and is true.
func isOn(option *bool) bool { return option != nil && *option }

// Rescues reports whether calls in the text of the answer of a tools API are read.
func (o *ModelOptions) Rescues() bool { return isOn(o.Rescue) }
