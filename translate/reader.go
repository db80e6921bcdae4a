package translate

import (
	"context"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"errors"
	"iter"
	"slices"
	"strings"
)

// The chunks of an answer are read here, and it is decided when a model is asked to go on with it.
//
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

// errNoStop is the error of an upstream that ended without saying why: its answer may be cut and
// must not look whole.
var errNoStop = errors.New("the upstream ended its answer without a stop reason")

// maxContinued bounds the completion that is kept to be a prefill, in bytes: more than any of
// these models writes in one answer.
const maxContinued = 1 << 20

// reader reads the chunks of one answer, and of those that go on with it.
type reader struct {
	*parser
	again   *budget
	started bool
	size    int            // bytes of completion since the model was asked last
	usage   messages.Usage // since then
	spent   messages.Usage // before

	// What it takes to have the model go on.
	prompt     *Prompt         // that was asked first; nil if the model cannot go on
	said       strings.Builder // the completion so far, with the tags it was stopped at
	withheld   int
	continued  bool // the model was asked to go on
	tokensLeft int  // of the prompt's MaxTokens
}

func newReader(req *messages.Request, prompt *Prompt, again *budget, yield func(messages.Event) bool) *reader {
	r := &reader{parser: newParser(req, prompt, yield), again: again}
	if prompt.continues && r.mayCall {
		r.prompt, r.tokensLeft = prompt, prompt.MaxTokens
	}
	return r
}

// read reads one answer. It returns what is to be asked to go on with it, if anything.
func (r *reader) read(chunks iter.Seq2[Chunk, error]) (next *Prompt, err error) {
	for chunk, err := range chunks {
		if err != nil {
			return nil, r.fail(err)
		}
		if next = r.readChunk(&chunk); next != nil || r.out.gone || r.out.stopped {
			return next, nil
		}
	}
	return nil, r.fail(errNoStop)
}

// readChunk reads one chunk, and ends the message with the last one, unless it returns what is to
// be asked to go on.
func (r *reader) readChunk(c *Chunk) (next *Prompt) {
	if c.Usage != (messages.Usage{}) {
		r.usage.Merge(c.Usage)
	}
	if !r.started {
		r.start()
	}
	if c.Thinking != "" && !r.continued { // a model that goes on with its answer has thought before
		r.writeThinking(c.Thinking)
	}
	if c.Text != "" {
		r.size += len(c.Text)
		r.readCompletion(c.Text)
	}
	switch {
	case r.out.gone:
	case r.ended:
		// The upstream was left before it told how much it wrote.
		r.usage.OutputTokens = max(r.usage.OutputTokens, EstimateTokens(r.size))
		r.stopMessage(messages.StopEndTurn, "")
	case c.Stop != "":
		return r.readStop(c.Stop, c.StopSequence)
	}
	return nil
}

// start opens the message and reads what a prefill has already said for the model.
func (r *reader) start() {
	r.started = true
	r.out.startMessage(r.req.Model, r.usage)
	if opening := r.text.opening; opening != "" {
		r.feed(opening)
		r.in.hide(len(opening))
		return
	}
	r.noteQuotes(r.text.prefill)
}

// stopMessage closes the message. stop and sequence are the upstream's.
func (r *reader) stopMessage(stop messages.Stop, sequence string) {
	stop, sequence = r.calls.stopReason(stop, sequence, r.format.isOurs(stop, sequence))
	r.out.stopMessage(&messages.Message{
		StopReason: stop, StopSequence: sequence, Usage: r.spent.Plus(r.usage), Outcomes: r.outcomes,
	})
}

// readCompletion reads text of the completion, and keeps it as long as it may be needed.
func (r *reader) readCompletion(s string) {
	if r.prompt != nil {
		r.said.WriteString(s)
	}
	if r.withheld == 0 {
		r.feed(s)
	} else {
		r.withheld += len(s)
		if markup.SkipBlanks(s, 0, len(s)) == len(s) && r.withheld <= maxBlank {
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
	text := said[len(said)-r.withheld:]
	r.withheld = 0
	r.call.continued = true
	r.feed(text)
}

// stop ends the message, unless it returns what the model is to be asked to go on.
func (r *reader) readStop(stop messages.Stop, sequence string) *Prompt {
	if r.withheld > 0 {
		if sequence != r.format.stopSequence {
			r.giveUp()
			return nil
		}
		r.resume() // it has written the tag once more
	}
	if r.isStoppedInText(stop, sequence) {
		if next := r.continuation(); next != nil {
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
	if r.withheld == 0 || errors.Is(err, context.Canceled) {
		return err
	}
	r.giveUp()
	return nil
}

// giveUp ends the message as if the model had not been asked to go on.
func (r *reader) giveUp() {
	r.withheld = 0
	r.finish(messages.StopSequence, r.format.stopSequence)
	r.stopMessage(messages.StopSequence, r.format.stopSequence)
}

// isStoppedInText reports whether the upstream took text for the end of the calls. In prose, where
// a stop without a name may be that of the answer, it has to say that it met the tag.
func (r *reader) isStoppedInText(stop messages.Stop, sequence string) bool {
	switch {
	case !r.format.isOurs(stop, sequence):
		return false
	case r.call.begun:
		return r.wouldBeText(r.format.stopSequence)
	}
	return sequence == r.format.stopSequence && r.text.code.isOpen()
}

// goOn returns the prompt that has the model go on behind the tag, or nil if it must not be asked.
func (r *reader) continuation() *Prompt {
	written := r.usage.OutputTokens
	if written == 0 {
		written = EstimateTokens(r.size)
	}
	if r.prompt == nil || written >= r.tokensLeft || !r.again.spend(ReasonStopped) {
		return nil
	}
	r.continued = true
	r.tokensLeft -= written
	r.spent, r.usage, r.size = r.spent.Plus(r.usage), messages.Usage{}, 0
	r.said.WriteString(r.format.stopSequence)
	r.withheld = len(r.format.stopSequence)
	return r.prompt.continuedFrom(r.said.String(), r.tokensLeft)
}

// continuedFrom returns the prompt for a model that has already said so much.
func (p *Prompt) continuedFrom(said string, maxTokens int) *Prompt {
	next := *p
	next.again = ReasonStopped
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
