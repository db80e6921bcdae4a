package answer

import (
	"iter"

	"dragoman/translate/answer/emit"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// Ask asks an upstream to complete a prompt. It sends the request when the caller ranges over the chunks.
type Ask func(*prompt.Prompt) iter.Seq2[prompt.Chunk, error]

// Events returns the answer to the prompt as a stream of the Messages API (docs/reference/streaming.md §2). prompt
// must come from [Render] of req. Events asks the upstream when the caller ranges over the sequence. The first
// event comes with the first chunk.
//
// A [messages.Pause] follows the events of each chunk without More.
//
// If the chunks end with an error, or without a Stop, the sequence ends with an error. The events before the error
// are whole. Events stops reading chunks as soon as it knows that the answer has ended, and so cancels the
// upstream. An answer ends after one call if the client allows only one. It also ends before a call that
// tool_choice does not allow, and at text after the calls.
//
// An upstream may stop at [CallsEnd] although the model meant it as text, in a value or in Markdown code. If the
// prompt was rendered for a [Target] with Prefill, Events then asks the model to continue after the tag
// ([ReasonStopped]). It does so at most twice, within the MaxTokens of the prompt, and sums up the usage. If the
// upstream fails before the model has continued, Events keeps the answer, and its stop_reason marks its call as
// incomplete. [context.Canceled] and any later error end the sequence.
func Events(req *messages.Request, prompt *prompt.Prompt, ask Ask) iter.Seq2[messages.Event, error] {
	return eventsWithin(req, prompt, ask, new(budget))
}

// Unasked returns the answer to a request with max_tokens 0. It asks no model: the message has no content, and its
// input tokens are an estimate.
func Unasked(req *messages.Request, prompt *prompt.Prompt) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		out := emit.Emitter{Yield: yield, Seed: req.ID}
		usage := messages.Usage{InputTokens: prompt.EstimateTokens()}
		out.StartMessage(req.Model, usage, true)
		out.StopMessage(&messages.Message{StopReason: messages.StopMaxTokens, Usage: usage, UsageEstimated: true})
	}
}

// eventsWithin is [Events] with a budget that it shares with a second answer to the same request: see [Corrected].
func eventsWithin(req *messages.Request, prompt *prompt.Prompt, ask Ask, again *budget) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		r := newReader(req, prompt, again, yield)
		next := prompt
		var err error
		for next != nil && err == nil {
			next, err = r.read(next, ask)
		}
		if err != nil {
			r.out.Flush()
			if !r.out.Gone {
				yield(messages.Event{}, err)
			}
		}
	}
}
