package translate

import (
	"iter"

	"dragoman/translate/messages"
)

// Ask asks an upstream, once the chunks of its answer are ranged over.
type Ask func(*Prompt) iter.Seq2[Chunk, error]

// Events asks for an answer to the prompt, when it is ranged over, and reads it as a Messages-API
// stream (docs/reference/streaming.md). The first event comes with the first chunk. An error of the
// chunks, or their end without a Stop, ends the sequence with that error, after whole events. Once
// the answer is known to have ended (a call where one alone was asked for, text after the calls) no
// further chunk is taken, which cancels the upstream.
//
// If CallsEnd was the upstream's stop sequence in the middle of a value or of quoted code, and the
// prompt was rendered for a [Target] with Prefill, Events asks again ([ReasonStopped]): with the
// prompt that goes on behind the tag, at most twice and within its MaxTokens. The usage is then the
// sum. An error
// before the model has gone on, unless it is [context.Canceled], leaves the answer as it was: its
// call is incomplete, which the stop_reason says. An error after that is the answer's.
func Events(req *messages.Request, prompt *Prompt, ask Ask) iter.Seq2[messages.Event, error] {
	return eventsWithin(req, prompt, ask, new(budget))
}

// events is [Events] within a budget that other answers to the same request share.
func eventsWithin(req *messages.Request, prompt *Prompt, ask Ask, again *budget) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		r := newReader(req, prompt, again, func(e messages.Event) bool { return yield(e, nil) })
		next := prompt
		var err error
		for next != nil && err == nil {
			next, err = r.read(ask(next))
		}
		if err != nil {
			r.out.flush()
			if !r.out.gone {
				yield(messages.Event{}, err)
			}
		}
	}
}
