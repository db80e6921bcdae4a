package prompt

import (
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file has what goes to an upstream (Prompt), what Render needs to know about it (Target), and
// what comes back (Chunk).

// Prompt is what Dragoman asks a model: one without a tool API, or one with a tools API on its
// server. Its JSON form is the output of `dragoman render`.
//
// [Render] makes a Prompt. A Prompt made by hand is asked in the default format. A Prompt does not
// change after it is made, so several goroutines may read it. To ask a model to continue, [Events]
// uses a changed copy.
type Prompt struct {
	// System has, in this order: the preamble with the tool descriptions; the client's system
	// blocks, which come first in some formats; the instructions that follow from tool_choice
	// (none, or disable_parallel_tool_use), from thinking and from output_config.format. Everything
	// before the instructions is the same bytes for the same tools and system blocks, so that
	// prompt caches hit.
	System []Text `json:"system"`
	// Turns alternate between RoleUser and RoleAssistant, beginning with RoleUser. If the assistant
	// speaks first, the first turn has no parts. A last assistant turn is a prefill: the completion
	// continues its text.
	Turns []Turn `json:"turns"`
	// StopSequences are the format's stop sequence and then the client's, each once. The format's
	// is left out if the model is shown no tools, or if a tool has a parameter with that closing
	// tag.
	StopSequences []string `json:"stop_sequences"`
	// MaxTokens is the most tokens of the answer: the client's limit or [Target.MaxTokens],
	// whichever is less.
	MaxTokens int `json:"max_tokens"`
	// The client's sampling parameters; nil if the client sent none.
	Temperature *float64 `json:"temperature,omitzero"`
	TopP        *float64 `json:"top_p,omitzero"`
	TopK        *int     `json:"top_k,omitzero"`

	// ToolAPI is what the server's tools API gets; nil if the tools are in the prompt's text.
	ToolAPI *ToolAPI `json:"tool_api,omitzero"`

	// Constraint is what the server enforces for the answer; nil if nothing.
	Constraint *Constraint `json:"constraint,omitzero"`

	// Format is the name of the format; "" means the default. Variant is the name of the variant:
	// see [VariantFor]. Both say how the prompt was made.
	Format  string `json:"format,omitzero"`
	Variant string `json:"variant,omitzero"`

	// cached is the index in System of the last text that stays the same for the same tools and
	// system blocks, and that is worth a cache point.
	cached int
	// stopsAtCalls: the first of StopSequences is the format's.
	stopsAtCalls bool
	// textWire is [Target.TextWire].
	textWire bool
	// chat is how to write the prompt as one string; nil without [Target.ChatTemplate].
	chat   *chat
	Asking `json:"-"`
}

// Asking is what the reader of an answer needs to know about the prompt. In a prompt made by hand
// it is empty.
type Asking struct {
	// Declared is the format of the prompt; nil means the default.
	Declared *format.Format
	// Reads is how the parser finds calls in the answer; nil means only those of the format.
	Reads *format.Reads
	// Example is the example call in the prompt; nil if there is none. invented are the values that
	// only the example has in the prompt.
	Example  *ExampleCall
	Invented []string
	// Source is the request that the prompt was made from.
	Source *messages.Request
	// pastCalls is the number of earlier calls in the conversation.
	pastCalls int
	// Opening is the start of a forced call, at the end of the prefill. The parser reads it before
	// the completion. The client never sees it.
	Opening string
	// Escaped is what had to be escaped in this prompt. The parser removes these escapes. All other
	// entities are the model's own.
	Escaped markup.Escapes
	// Tries: the model may not continue Opening.
	Tries bool
	// Continues: the model continues a prefill.
	Continues bool
	// Target is what the prompt was made for. A chat template of its own decides Thinking.
	Target Target
	// Why is why the model is asked again; "" in the first prompt for an answer.
	Why Reason
	// Schemas are the schemas of the request's tools.
	Schemas *ToolSchemas
	// Tools are the request's tools as Outliving returns them, if the memo has them; otherwise nil.
	Tools []messages.Tool
}

// ClientStops returns the client's stop sequences. If an upstream cannot stop at them, the code
// that calls it must do so: the parser finds the end of calls, but not these.
func (p *Prompt) ClientStops() []string {
	if p.stopsAtCalls {
		return p.StopSequences[1:]
	}
	return p.StopSequences
}

// CachePoint returns the index in System after which a cache point belongs: the index of the tools.
// Everything up to there is the same for the same tools. If the tools come after the client's
// system blocks, these must be the same too.
func (p *Prompt) CachePoint() int { return p.cached }

// Again returns why the model is asked again; "" in the first prompt for an answer.
func (p *Prompt) Again() Reason { return p.Why }

// Target is what [Render] needs to know about the model and its upstream. The zero value is a model
// that takes no prefill, asked in the default format and language.
type Target struct {
	// ModelOptions are the options of the model, with its defaults. Family may be the id of the model,
	// as any vendor writes it. It decides what [format.Auto] means, and the variant of a format: some
	// families were trained on one. Template is not checked: see [CheckTemplate]. ChatTemplate is only
	// for an upstream that completes text: it gets [Prompt.Raw]. EscapeSpecialTokens also covers the turn
	// markers. If the family is unknown, Render escapes those of all templates. With a ChatTemplate, Render
	// always escapes the template's, and the template decides Thinking.
	ModelOptions
	// Prefill: the model continues a last assistant turn.
	Prefill bool
	// TryPrefill: the model may or may not continue a last assistant turn. Render begins a forced
	// call in a prefill. If the model does not continue it, [Corrected] asks for the call in words.
	TryPrefill bool
	// TextWire: the upstream joins all turns into one text with "\n\nHuman:" and "\n\nAssistant:",
	// as [Prompt.Text] does (docs/reference/legacy-format.md §9). Render then escapes these markers
	// in the client's text.
	TextWire bool
	// Date is today's date for chat templates that have one, such as 2006-01-02; "" means the
	// template's own date, if it has one.
	Date string
	// ToolAPI: give the model the tools over the tools API of its server. Format, Template and
	// ExampleCall are then ignored.
	ToolAPI bool
	// Remind adds Dragoman's own sentence after the results of the last turn ([ReasonEmpty],
	// [ReasonRepeated]).
	Remind bool
	// Memo caches what is made from the tools; nil means no cache. It does not change the prompt.
	Memo *Memo
}

// Chunk is a piece of an upstream's answer. An upstream yields its first chunk, even if it is
// empty, as soon as it knows that the request is accepted.
type Chunk struct {
	// Calls are calls that the upstream has read itself. They come before Text. Input is the JSON
	// that the upstream gives; it may be empty, or cut if the answer is cut.
	Calls []ToolUse
	// Text continues the completion. It may end anywhere, even inside a character.
	Text string
	// Thinking continues reasoning that the upstream separates from text.
	Thinking string
	// Stop is why the answer ended. It is set once, on the last chunk. [messages.StopToolUse] is
	// like [messages.StopEndTurn], but the upstream says that it stopped for a call.
	Stop messages.Stop
	// StopSequence is the sequence that ended the completion, if the upstream names it. Text does
	// not contain it. If Stop is [messages.StopSequence] and StopSequence is "", the format's
	// sequence or the model itself may have ended the completion.
	StopSequence string
	// StopWord is the upstream's own word for the end; "" if it is Stop, or not known.
	StopWord string
	// UnknownStop is the upstream's reason for the end, if Dragoman does not know it. Stop is then
	// [messages.StopEndTurn].
	UnknownStop string
	// Usage has the totals so far. A zero says nothing new.
	Usage messages.Usage
	// RequestID is the upstream's own id of the request, on the first chunk.
	RequestID string
	// Repeats: the answer began with the text of the prefill, in more than one piece, because the
	// model began a new answer. Text does not contain it.
	Repeats bool
	// Left: Dragoman disconnected from the upstream after this chunk, the last one, before the
	// upstream could count the output tokens.
	Left bool
	// More: the next chunk is available without waiting.
	More bool
}

// Reason is why a model is asked again.
type Reason string

// The reasons.
const (
	// ReasonStopped: the upstream stopped at the format's stop sequence, but the model had written
	// it as text. The model is asked to continue after the tag. What it writes belongs to the same
	// answer (reader.go).
	ReasonStopped Reason = "stopped"
	// ReasonUncontinued: the model has not continued the prefill of a forced call. It is asked for
	// the call in words ([Target.TryPrefill]).
	ReasonUncontinued Reason = "uncontinued"
	// ReasonUnread: a call of the answer could not be read. The model is told which one and why,
	// and makes its calls again (correct.go).
	ReasonUnread Reason = "unread"
	// ReasonUnmet: the answer does not do what tool_choice asks. It has to begin with a call but
	// does not, it calls another tool, or it is a call although none is allowed. The model is told
	// so and answers again.
	ReasonUnmet Reason = "unmet"
	// ReasonEchoed is ReasonUnmet for an answer that copies the example call.
	ReasonEchoed Reason = "echoed"
	// ReasonInvalid: the answer does not fit the schema of a strict tool, or of
	// output_config.format. The model is told what is wrong and answers again.
	ReasonInvalid Reason = "invalid"
	// ReasonEmpty: the model has answered results with neither text nor a call. ReasonRepeated: it has
	// made the same calls again. The prompt is the first one with a reminder after the results
	// ([Target.Remind]).
	ReasonEmpty    Reason = "empty"
	ReasonRepeated Reason = "repeated"
)
