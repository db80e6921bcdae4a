package answer

import (
	"iter"

	"dragoman/translate/answer/emit"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// Ask asks an upstream to complete a prompt. The request goes out when the chunks are ranged over.
type Ask func(*prompt.Prompt) iter.Seq2[prompt.Chunk, error]

// Events returns the answer to the prompt as a stream of the Messages API
// (docs/reference/streaming.md §2). prompt is what [Render] made of req. The upstream is asked when the
// sequence is ranged over, and the first event comes with its first chunk.
//
// A [messages.Pause] follows the events of each chunk without More.
//
// An error of the chunks ends the sequence with that error, and so does their end without a Stop; the
// events before it are whole. When the answer is known to have ended, no further chunk is taken,
// which cancels the upstream: after one call if the client allows one alone, before a call that
// tool_choice does not let come, and at text after the calls.
//
// An upstream may stop at [CallsEnd] where the model meant it as text, in a value or in Markdown
// code. If the prompt was rendered for a [Target] with Prefill, Events then asks the model to go on
// after the tag ([ReasonStopped]), at most twice and within the MaxTokens of the prompt. The usage is
// the sum. If the upstream fails before the model has gone on, the answer ends as it was, and its
// stop_reason says that its call is incomplete; but [context.Canceled] and a later error end the
// sequence.
func Events(req *messages.Request, prompt *prompt.Prompt, ask Ask) iter.Seq2[messages.Event, error] {
	return eventsWithin(req, prompt, ask, new(budget))
}

// Unasked returns the answer to a request whose max_tokens is 0, which asks no model: a message without content. The
// tokens of the prompt are an estimate.
func Unasked(req *messages.Request, prompt *prompt.Prompt) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		out := emit.Emitter{Yield: yield, Seed: req.ID}
		usage := messages.Usage{InputTokens: prompt.EstimateTokens()}
		out.StartMessage(req.Model, usage, true)
		out.StopMessage(&messages.Message{StopReason: messages.StopMaxTokens, Usage: usage, UsageEstimated: true})
	}
}

// eventsWithin is [Events] with a budget that a second answer to the same request shares: see
// [Corrected].
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
