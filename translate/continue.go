package translate

import (
	"context"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"errors"
	"slices"
	"strings"
)

// Our stop sequence may be text that the model means: print("</function_calls>")
// in a value, or the tag in a code span of prose. The upstream stops there all the
// same. Where the model takes a prefill it is then asked to go on behind the tag,
// and what it writes is read as more of the same text.
//
// In a call that is done where the value would go on if the tag were text of it:
// not behind a closing tag that could end the value, nor in a value that is whole
// without one (a number, a JSON object). There, and between parameters, the model
// has but left out what closes the call. Whether it has in a value as well, it
// decides: if it has nothing more to write than white space, or if the upstream
// fails, the call is read as if nobody had asked.

const (
	// maxContinuations bounds what one message may cost.
	maxContinuations = 2
	// maxContinued bounds the completion that is kept to be a prefill, in bytes:
	// more than any of these models writes in one answer.
	maxContinued = 1 << 20
)

// continuation is what it takes to have the model go on.
type continuation struct {
	prompt *Prompt         // that was asked first; nil if the model cannot go on
	said   strings.Builder // the completion so far, with the tags it was stopped at
	unread int             // bytes at the end of said that may not be part of it: the tag, and white space
	asked  int             // how often the model was asked to go on
	left   int             // of the prompt's MaxTokens
	spent  messages.Usage  // of the answers before this one
}

// takeText reads text of the completion, and keeps it as long as it may be needed.
func (p *parser) takeText(s string) {
	if p.prompt != nil {
		p.said.WriteString(s)
	}
	if p.unread == 0 {
		p.feed(s)
	} else {
		p.unread += len(s)
		if markup.SkipBlanks(s, 0, len(s)) == len(s) && p.unread <= maxBlank {
			return
		}
		p.resume()
	}
	if p.said.Len() > maxContinued {
		p.prompt = nil
		p.said.Reset()
	}
}

// resume reads what was kept from the parser, now that the model has gone on.
func (p *parser) resume() {
	said := p.said.String()
	text := said[len(said)-p.unread:]
	p.unread = 0
	p.continued = true
	p.feed(text)
}

// stop ends the message, unless it returns what the model is to be asked to go on.
func (p *parser) stop(stop messages.Stop, sequence string) *Prompt {
	if p.unread > 0 {
		if sequence != p.format.stop {
			p.giveUp()
			return nil
		}
		p.resume() // it has written the tag once more
	}
	if p.collides(stop, sequence) {
		if next := p.goOn(); next != nil {
			return next
		}
	}
	p.finish(stop, sequence)
	p.end(stop, sequence)
	return nil
}

// fail returns the error of an upstream, unless it failed to go on: its answer
// before, which had an end, stands then.
func (p *parser) fail(err error) error {
	if p.unread == 0 || errors.Is(err, context.Canceled) {
		return err
	}
	p.giveUp()
	return nil
}

// giveUp ends the message as if the model had not been asked to go on.
func (p *parser) giveUp() {
	p.unread = 0
	p.finish(messages.StopSequence, p.format.stop)
	p.end(messages.StopSequence, p.format.stop)
}

// collides tells whether the upstream took text for the end of the calls. In
// prose, where a stop without a name may be that of the answer, it has to say that
// it met the tag.
func (p *parser) collides(stop messages.Stop, sequence string) bool {
	switch {
	case !p.ours(stop, sequence):
		return false
	case p.inCall:
		return p.inValueBefore(p.format.stop)
	}
	return sequence == p.format.stop && p.quote.inside()
}

// inValueBefore tells whether a tag behind the text so far would be text of a value.
func (p *parser) inValueBefore(tag string) bool {
	return p.inValue && p.valueGoesOn(tag) || p.json.inString
}

func (p *parser) valueGoesOn(tag string) bool {
	rest := append(slices.Clip(p.rest()), tag...)
	var ends markup.Verdict
	switch {
	case p.vs == nil && p.json.whole(), p.vs != nil && p.isScalar():
		return false
	case p.cdata && markup.HasPrefix(rest, cdataEnds):
		_, ends = p.matchAfterCDATA(rest)
	default:
		_, _, ends = p.scanValue(rest)
	}
	return ends != markup.Match
}

// goOn returns the prompt that has the model go on behind the tag, or nil if it
// must not be asked.
func (p *parser) goOn() *Prompt {
	written := p.usage.OutputTokens
	if written == 0 {
		written = EstimateTokens(p.read)
	}
	if p.prompt == nil || p.asked == maxContinuations || written >= p.left {
		return nil
	}
	p.asked++
	p.left -= written
	p.spent, p.usage, p.read = p.spent.Plus(p.usage), messages.Usage{}, 0
	p.said.WriteString(p.format.stop)
	p.unread = len(p.format.stop)
	return p.prompt.goingOn(p.said.String(), p.left)
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
