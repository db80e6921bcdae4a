package translate

import (
	"errors"
	"iter"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// errNoStop is the error of an upstream that ended without saying why: its answer may be cut and
// must not look whole.
var errNoStop = errors.New("the upstream ended its answer without a stop reason")

// Ask asks an upstream, once the chunks of its answer are ranged over.
type Ask func(*Prompt) iter.Seq2[Chunk, error]

// Events asks for an answer to the prompt, when it is ranged over, and reads it as a Messages-API
// stream (docs/reference/streaming.md). The first event comes with the first chunk. An error of the
// chunks, or their end without a Stop, ends the sequence with that error, after whole events. Once
// the answer is known to have ended (a call where one alone was asked for, text after the calls) no
// further chunk is taken, which cancels the upstream.
//
// If CallsEnd was the upstream's stop sequence in the middle of a value or of quoted code, and the
// prompt was rendered for a [Target] with Prefill, Events asks for more: with the prompt that goes
// on behind the tag, at most twice and within its MaxTokens. The usage is then the sum. An error
// before the model has gone on, unless it is [context.Canceled], leaves the answer as it was: its
// call is incomplete, which the stop_reason says. An error after that is the answer's.
func Events(req *messages.Request, prompt *Prompt, ask Ask) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		r := newReader(req, prompt, func(e messages.Event) bool { return yield(e, nil) })
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

// reader reads the chunks of one answer, and of those that go on with it.
type reader struct {
	*parser
	continuation
	started bool
	size    int            // bytes of completion since the model was asked last
	usage   messages.Usage // likewise
}

func newReader(req *messages.Request, prompt *Prompt, yield func(messages.Event) bool) *reader {
	r := &reader{parser: newParser(req, prompt, yield)}
	if prompt.continues && r.mayCall {
		r.prompt, r.left = prompt, prompt.MaxTokens
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
	if c.Thinking != "" && r.asked == 0 { // a model that goes on with its answer has thought before
		r.writeThinking(c.Thinking)
	}
	if c.Text != "" {
		r.size += len(c.Text)
		r.readCompletion(c.Text)
	}
	switch {
	case r.out.gone:
	case r.over:
		// The upstream was left before it told how much it wrote.
		r.usage.OutputTokens = max(r.usage.OutputTokens, EstimateTokens(r.size))
		r.stopMessage(messages.StopEndTurn, "")
	case c.Stop != "":
		return r.stop(c.Stop, c.StopSequence)
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

// noteQuotes takes down what the client's prefill leaves open: code, or thinking.
func (p *parser) noteQuotes(prefill string) {
	for prefill != "" && p.mayCall {
		text := prefill
		if i := strings.IndexByte(prefill, '<'); i >= 0 {
			text = prefill[:max(i, 1)]
		}
		if prefill[0] == '<' {
			if t, v := markup.MatchTextTag([]byte(prefill), true); v == markup.Match && t.Kind == markup.KindThinking && !p.text.code.isOpen() {
				p.noteThinking(t)
			}
		}
		p.text.code.advance([]byte(text))
		prefill = prefill[len(text):]
	}
}

// stopMessage closes the message. stop and sequence are the upstream's.
func (r *reader) stopMessage(stop messages.Stop, sequence string) {
	stop, sequence = r.calls.stopReason(stop, sequence, r.format.isOurs(stop, sequence))
	r.out.stopMessage(&messages.Message{
		StopReason: stop, StopSequence: sequence, Usage: r.spent.Plus(r.usage), Outcomes: r.outcomes,
	})
}
