package translate

import (
	"context"
	"errors"
	"slices"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Our stop sequence may be text that the model means: print("</function_calls>") in a value, or
// the tag in a code span of prose. The upstream stops there all the same. Where the model takes a
// prefill it is then asked to go on behind the tag, and what it writes is read as more of the same
// text.
//
// In a call that is done where the value would go on if the tag were text of it: not behind a
// closing tag that could end the value, nor in a value that is whole without one (a number, a JSON
// object). There, and between parameters, the model has but left out what closes the call. Whether
// it has in a value as well, it decides: if it has nothing more to write than white space, or if
// the upstream fails, the call is read as if nobody had asked.

const (
	// maxContinuations bounds what one message may cost.
	maxContinuations = 2
	// maxContinued bounds the completion that is kept to be a prefill, in bytes: more than any of
	// these models writes in one answer.
	maxContinued = 1 << 20
)

// continuation is what it takes to have the model go on with its answer.
type continuation struct {
	prompt *Prompt         // that was asked first; nil if the model cannot go on
	said   strings.Builder // the completion so far, with the tags it was stopped at
	unread int             // bytes at the end of said that may not be part of it: the tag, and white space
	asked  int             // how often the model was asked to go on
	left   int             // of the prompt's MaxTokens
	spent  messages.Usage  // of the answers before this one
}

// readCompletion reads text of the completion, and keeps it as long as it may be needed.
func (r *reader) readCompletion(s string) {
	if r.prompt != nil {
		r.said.WriteString(s)
	}
	if r.unread == 0 {
		r.feed(s)
	} else {
		r.unread += len(s)
		if markup.SkipBlanks(s, 0, len(s)) == len(s) && r.unread <= maxBlank {
			return
		}
		r.resume()
	}
	if r.said.Len() > maxContinued {
		r.prompt = nil
		r.said.Reset()
	}
}

// resume reads what was kept from the parser, now that the model has gone on.
func (r *reader) resume() {
	said := r.said.String()
	text := said[len(said)-r.unread:]
	r.unread = 0
	r.call.continued = true
	r.feed(text)
}

// stop ends the message, unless it returns what the model is to be asked to go on.
func (r *reader) stop(stop messages.Stop, sequence string) *Prompt {
	if r.unread > 0 {
		if sequence != r.format.stop {
			r.giveUp()
			return nil
		}
		r.resume() // it has written the tag once more
	}
	if r.isStoppedInText(stop, sequence) {
		if next := r.goOn(); next != nil {
			return next
		}
	}
	r.finish(stop, sequence)
	r.stopMessage(stop, sequence)
	return nil
}

// fail returns the error of an upstream, unless it failed to go on: its answer before, which had an
// end, stands then.
func (r *reader) fail(err error) error {
	if r.unread == 0 || errors.Is(err, context.Canceled) {
		return err
	}
	r.giveUp()
	return nil
}

// giveUp ends the message as if the model had not been asked to go on.
func (r *reader) giveUp() {
	r.unread = 0
	r.finish(messages.StopSequence, r.format.stop)
	r.stopMessage(messages.StopSequence, r.format.stop)
}

// isStoppedInText reports whether the upstream took text for the end of the calls. In prose, where
// a stop without a name may be that of the answer, it has to say that it met the tag.
func (r *reader) isStoppedInText(stop messages.Stop, sequence string) bool {
	switch {
	case !r.format.isOurs(stop, sequence):
		return false
	case r.call.begun:
		return r.goesOn(r.format.stop)
	}
	return sequence == r.format.stop && r.text.code.isOpen()
}

// goOn returns the prompt that has the model go on behind the tag, or nil if it must not be asked.
func (r *reader) goOn() *Prompt {
	written := r.usage.OutputTokens
	if written == 0 {
		written = EstimateTokens(r.size)
	}
	if r.prompt == nil || r.asked == maxContinuations || written >= r.left {
		return nil
	}
	r.asked++
	r.left -= written
	r.spent, r.usage, r.size = r.spent.Plus(r.usage), messages.Usage{}, 0
	r.said.WriteString(r.format.stop)
	r.unread = len(r.format.stop)
	return r.prompt.goingOn(r.said.String(), r.left)
}

// goingOn returns the prompt for a model that has already said so much.
func (p *Prompt) goingOn(said string, maxTokens int) *Prompt {
	next := *p
	next.MaxTokens = maxTokens
	next.Turns = slices.Clone(p.Turns)
	if n := len(next.Turns); n == 0 || next.Turns[n-1].Role != messages.RoleAssistant {
		next.Turns = append(next.Turns, Turn{Role: messages.RoleAssistant})
	}
	last := &next.Turns[len(next.Turns)-1]
	last.Parts = slices.Clone(last.Parts)
	// Between two parts, an upstream may write a newline.
	if n := len(last.Parts); n > 0 && last.Parts[n-1].Type == PartText {
		last.Parts[n-1].Text += said
	} else {
		last.Parts = append(last.Parts, Part{Type: PartText, Text: said})
	}
	return &next
}
