package prompt

import (
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// What goes to an upstream (Prompt), what Render has to know of it (Target), and what
// comes back (Chunk).

// Prompt is what a model is asked: one without a tool API, or one over the tools API of its server. Its JSON form is the output of
// `dragoman render`.
//
// [Render] makes one. A Prompt that is made by hand is asked in the default format. It is
// not changed once it is made: several goroutines may read it, and [Events] asks a model
// to go on with a changed copy.
type Prompt struct {
	// System holds, each if there is any: the preamble with the tool descriptions; the
	// client's system blocks, which in some formats come first; the instructions that follow from tool_choice (none, or
	// disable_parallel_tool_use), from thinking and from output_config.format. What stands
	// before the instructions is the same bytes for the same tools and system blocks,
	// whatever else the request says, so that prompt caches hit.
	System []Text `json:"system"`
	// Turns alternate between RoleUser and RoleAssistant, beginning with RoleUser. The first has no
	// parts if the assistant speaks first. A last assistant turn is a prefill: the completion continues
	// its text.
	Turns []Turn `json:"turns"`
	// StopSequences are the stop sequence of the format, if the model is shown tools and none
	// of them has a parameter with that closing tag, and then those of the client. None is
	// there twice.
	StopSequences []string `json:"stop_sequences"`
	// MaxTokens is how many tokens the answer may have: what the client asks for, or
	// [Target.MaxTokens] if that is less.
	MaxTokens int `json:"max_tokens"`
	// The client's sampling parameters; nil where it sent none.
	Temperature *float64 `json:"temperature,omitzero"`
	TopP        *float64 `json:"top_p,omitzero"`
	TopK        *int     `json:"top_k,omitzero"`

	// ToolAPI is what the server's tools API is told; nil for a model whose tools stand in the prompt.
	ToolAPI *ToolAPI `json:"tool_api,omitzero"`

	// Constraint is what the server holds the answer to; nil for nothing.
	Constraint *Constraint `json:"constraint,omitzero"`

	// Format is the name of the format, unless it is the default, and Variant that of the variant in which
	// the model is asked: see [VariantFor]. They say how the prompt was made.
	Format  string `json:"format,omitzero"`
	Variant string `json:"variant,omitzero"`

	// cached is the last entry of System that is the same for the same tools and system blocks and worth a
	// cache point.
	cached int
	// stopsAtCalls says that the first of StopSequences is that of the format.
	stopsAtCalls bool
	// textWire is [Target.TextWire].
	textWire bool
	// chat is how the prompt is written as one string; nil without [Target.ChatTemplate].
	chat   *chat
	Asking `json:"-"`
}

// Asking is how the model was asked, as far as whoever reads its answer has to know. It is empty in a prompt that
// was made by hand.
type Asking struct {
	// Declared is the format of the prompt; nil for the default.
	Declared *format.Format
	// Reads is what calls are found by in the answer; nil for the format alone.
	Reads *format.Reads
	// Example is the example call that the prompt shows; nil for none. invented are the values that only
	// it has in all of the prompt.
	Example  *ExampleCall
	Invented []string
	// Source is what the prompt was made of.
	Source *messages.Request
	// pastCalls is how many calls the conversation has had before.
	pastCalls int
	// Opening is the beginning of a forced call, at the end of the prefill. The parser
	// reads it before the completion; the client never sees it.
	Opening string
	// Escaped is what the escape policy had to escape in this prompt. The parser takes
	// these escapes off: any other entity is the model's own.
	Escaped markup.Escapes
	// Tries says that the model may not go on with opening.
	Tries bool
	// Continues says that the model goes on from a prefill.
	Continues bool
	// FlowsValues is [Target.FlowValues].
	FlowsValues bool
	// ReadsQuoted is [Target.QuotedCalls].
	ReadsQuoted bool
	// Thinking is [Target.Thinking], UnaskedThinking is [Target.UnaskedThinking].
	Thinking, UnaskedThinking string
	// Rescues is [Target.Rescue].
	Rescues bool
	// Why says why the model is asked again; "" in the first prompt for an answer.
	Why Reason
	// Language is [Target.Language].
	Language string
	// Schemas are those of the request's tools.
	Schemas *ToolSchemas
	// Tools are those of the request as outliving has them, if the memo keeps them; nil if they have
	// to be made.
	Tools []messages.Tool
}

// ClientStops returns the client's stop sequences. If an upstream cannot stop at them, the
// code that asks it has to: the parser finds the end of the calls by itself, but not these.
func (p *Prompt) ClientStops() []string {
	if p.stopsAtCalls {
		return p.StopSequences[1:]
	}
	return p.StopSequences
}

// CachePoint returns the index of the entry of System behind which a cache point stands: that of the tools.
// What comes up to there is the same for the same tools or, where the tools stand behind them, for the
// same tools and system blocks.
func (p *Prompt) CachePoint() int { return p.cached }

// Again returns why the model is asked again, for an answer that an earlier prompt has asked for; ""
// for the first prompt of an answer.
func (p *Prompt) Again() Reason { return p.Why }

// Target is what [Render] has to know of the model that will read the prompt, and of the
// upstream that takes it there. The zero value is a model that takes no prefill, asked in
// the default format and language.
type Target struct {
	// Format is the prompting convention, one of [format.Names], or [format.Auto]; "" is the first.
	Format string
	// Model is the id of the model, as any vendor writes it, or the name of its family. It decides what
	// FormatAuto stands for, and some families were trained on a variant of a format, in which their models
	// are then asked.
	Model string
	// Accept are the formats in which calls are read, besides Format, legacy, attribute and json:
	// names of [format.Names] with commas between, or [AcceptAll].
	Accept string
	// Language is that of the sentences that are said to the model, one of [language.Names].
	// "" and unknown names are the first.
	Language string
	// Template stands in place of the preamble, if it is not "". Render takes it as it
	// is: see [CheckTemplate].
	Template string
	// ExampleCall says whether the prompt shows an example call of an offered tool behind the tools, and
	// sentences on when to call: [ExampleOff], which "" is as well, [ExampleOn], or [ExampleAuto]: unless the
	// client gave input_examples of its own. They are what a model needs that was not trained on the format.
	ExampleCall string
	// Prefill says that the model continues a last assistant turn.
	Prefill bool
	// TryPrefill says that the model may continue one. A prefill then begins a call that is forced, and
	// [Corrected] asks for the call in words if the model does not go on with it.
	TryPrefill bool
	// FlowValues has a string in the input of a call sent while the model writes it. Without it, each
	// parameter is sent when it is whole, so that the client never gets half a value. A tool may ask for
	// either: see [messages.Tool.FlowsValues].
	FlowValues bool
	// QuotedCalls says that the model means a call that it writes in a Markdown code fence, if
	// that holds nothing else: the call is read if it is whole, its tool is offered, and it has
	// all that the tool requires. Otherwise, and without QuotedCalls, it is text.
	QuotedCalls bool
	// Thinking says whether the template of the model's server opens thinking, so that the
	// completion begins in it and shows only where it ends: [ThinkingMarked], which "" is as
	// well, [ThinkingMaybe] or [ThinkingOpen]. With the last two, a call before the end of
	// thinking is text; it is held until thinking has ended or the text, and is a call if it
	// never has. Thinking becomes a block with ThinkingOpen alone.
	Thinking string
	// UnaskedThinking says what becomes of thinking that the request does not ask for: [UnaskedBlock],
	// [UnaskedHide] or [UnaskedText], which "" is as well.
	UnaskedThinking string
	// MaxTokens is how many tokens an answer of the model can have at most; 0 if that is
	// not known. The prompt asks for no more.
	MaxTokens int
	// TextWire says that the upstream joins all turns into one text with "\n\nHuman:" and
	// "\n\nAssistant:", as [Prompt.Text] does (docs/reference/legacy-format.md §9). Text
	// of the client is then escaped where it spells these markers.
	TextWire bool
	// SpecialTokens says that the upstream reads special tokens out of the text of messages, as servers of chat
	// completions do. Text of the client is then escaped where it spells a special token or a turn marker of the
	// chat template of Model, or of any template that is known if the family of Model is not.
	SpecialTokens bool
	// ChatTemplate is the name of a chat template, one of [format.ChatTemplateNames]: the upstream completes text, and
	// [Prompt.Raw] is what it is asked. Special tokens of the template are escaped as with SpecialTokens, and the
	// template says where a completion begins: Thinking says nothing. "" has the prompt be turns.
	ChatTemplate string
	// Date is the day that some chat templates tell the model, as 2006-01-02; "" for the date that a template has of its
	// own, if any.
	Date string
	// ToolAPI gives the model the tools over the tools API of its server. Format, Template and ExampleCall then
	// say nothing. Rescue has calls read all the same that come in the text of the answer.
	ToolAPI, Rescue bool
	// Memo keeps what is made of the tools; nil makes it anew. The prompt is the same either way.
	Memo *Memo
}

// Chunk is a piece of an upstream's answer. An upstream yields its first chunk, empty if
// need be, as soon as it knows that the request was accepted.
type Chunk struct {
	// Calls are calls that the upstream has read itself, before Text. The Input of each is the JSON that the upstream
	// gives, which may be none, or cut where the answer is.
	Calls []Call
	// Text continues the completion. It may be cut anywhere, even within a character.
	Text string
	// Thinking continues reasoning that the upstream itself tells apart from text.
	Thinking string
	// Stop says why the answer ended. It is set once, on the last chunk. [messages.StopToolUse] is an end like
	// [messages.StopEndTurn], of which the upstream says that it is for a call.
	Stop messages.Stop
	// StopSequence is the sequence that ended the completion, if the upstream says which;
	// Text does not hold it. If Stop is [messages.StopSequence] and this is "", one of the format may have
	// ended it, and so may the model.
	StopSequence string
	// UnknownStop is the upstream's word for why the answer ended, if it is not known what the word means.
	// Then Stop is [messages.StopEndTurn].
	UnknownStop string
	// Usage holds totals so far; a zero in it says nothing new.
	Usage messages.Usage
	// RequestID is the upstream's own id of the request, on the first chunk.
	RequestID string
	// Repeats says that the text began with that of the prefill, in more than one piece: a model that has
	// begun a new answer writes so. Text holds none of it.
	Repeats bool
	// Left says that the upstream was left with this chunk, the last one, before it could count the tokens
	// of the output.
	Left bool
	// More says that the next chunk is at hand: nothing is waited for before it.
	More bool
}

// Reason says why a model is asked again.
type Reason string

// The reasons.
const (
	// ReasonStopped says that the upstream stopped at our stop sequence where the model had written
	// it as text. The model is asked to go on after the tag, and what it writes is more of the same
	// answer (reader.go).
	ReasonStopped Reason = "stopped"
	// ReasonUncontinued says that the model has not gone on with the prefill that begins a forced call. The
	// model is asked for the call in words ([Target.TryPrefill]).
	ReasonUncontinued Reason = "uncontinued"
	// ReasonUnread says that a call of the answer could not be read. The model is told which, and
	// why, and makes its calls again (correct.go).
	ReasonUnread Reason = "unread"
	// ReasonUnmet says that the answer does not do what tool_choice asks: it has to begin with a call
	// and does not, or with one of another tool; or it is a call, and none may come. The model is told
	// so and answers again.
	ReasonUnmet Reason = "unmet"
	// ReasonInvalid says that the answer is not what the schema of a strict tool, or of
	// output_config.format, asks for. The model is told what is wrong and answers again.
	ReasonInvalid Reason = "invalid"
)
