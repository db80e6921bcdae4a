package translate

import (
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Prompt is what a model without a tool API is asked. Its JSON form is the
// output of `dragoman render`.
type Prompt struct {
	// System holds the tool preamble first, byte-stable for equal tools so that
	// prompt caches hit, then instructions that follow from tool_choice, then
	// the client's own system blocks.
	System []Text `json:"system"`
	// Turns alternate between RoleUser and RoleAssistant, beginning with
	// RoleUser. A last assistant turn is a prefill: the completion continues it.
	Turns []Turn `json:"turns"`
	// StopSequences are the format's (where a call may come) and the client's.
	StopSequences []string `json:"stop_sequences"`
	MaxTokens     int      `json:"max_tokens"`
	Temperature   *float64 `json:"temperature,omitzero"`
	TopP          *float64 `json:"top_p,omitzero"`
	TopK          *int     `json:"top_k,omitzero"`

	// ours says that the first stop sequence is that of the format, and that the
	// parser finds the end of the calls in the answer as well.
	stopsAtCalls   bool
	format *format // nil for the default
	// opening is the markup at the end of a prefill that already opens a call:
	// the parser has to see it before the completion, the client never does.
	opening string
	// escaped tells which of our names the escape policy had to act on: only
	// those are ever unescaped in the answer.
	escaped markup.TagSet
	// continues says that the model goes on from a prefill.
	continues bool
	// holdsValues is HoldValues of the target.
	holdsValues bool
	// schemas are those of the request's tools; nil in a prompt that was made by hand.
	schemas *toolSchemas
}

// ClientStops returns the stop sequences that only the upstream, or who stands in
// for it, can heed: all but ours, which the parser finds in an answer by itself.
func (p *Prompt) ClientStops() []string {
	if p.stopsAtCalls {
		return p.StopSequences[1:]
	}
	return p.StopSequences
}

// Target is what Render has to know of the model that will read the prompt.
type Target struct {
	// Format is the prompting convention, one of [Formats]; "" is the first.
	Format string
	// Language is that of the preamble, one of [Languages]; "" is the first.
	Language string
	// Template stands in place of the preamble: see [CheckTemplate].
	Template string
	// Prefill says that the model continues a last assistant turn.
	Prefill bool
	// HoldValues has each parameter of a call sent when it is whole, so that nothing half
	// ever reaches the client; see [Tool.Streaming].
	HoldValues bool
	// MaxTokens is how many tokens an answer can have at most; 0 if that is not known.
	// The prompt asks for no more.
	MaxTokens int
	// TextWire says that the upstream joins all turns into one text with
	// "\n\nHuman:" and "\n\nAssistant:" (reference/legacy-format.md §9), so that
	// no untrusted text may spell these markers.
	TextWire bool
}

// Chunk is a piece of an upstream's answer. An upstream yields its first chunk,
// empty if need be, as soon as it knows that the request was accepted.
type Chunk struct {
	Text     string
	Thinking string
	// Stop is set once, on the last chunk.
	Stop messages.Stop
	// StopSequence is the sequence that ended the completion, if the upstream
	// tells; Text does not hold it.
	StopSequence string
	// Usage holds totals so far; a zero says nothing new.
	Usage messages.Usage
	// RequestID is the upstream's own id of the request, on the first chunk.
	RequestID string
}
