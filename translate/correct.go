package translate

import (
	"iter"

	"dragoman/translate/messages"
)

// Corrected is [Events] for an answer that has to pass checks. A block that may turn out wrong is
// held back until the answer is complete. If it is wrong, the model is told why and asked once more
// ([ReasonUnread], [ReasonInvalid]), and its second answer follows what has been yielded already,
// right or wrong. render makes the prompt for the request that tells it. An error of the second
// answer, or of render, leaves the first one as it was. The usage is the sum.
func Corrected(req *messages.Request, prompt *Prompt, ask Ask, checks *Checks, render func(*messages.Request) (*Prompt, error)) iter.Seq2[messages.Event, error] {
	c := &corrector{
		correction: correction{Checks: checks, req: req, language: func() *language { return languageOf(prompt.language, req) }},
		prompt:     prompt, ask: ask, render: render,
	}
	return c.yieldEvents
}

// corrector has one answer corrected.
type corrector struct {
	correction
	prompt *Prompt
	ask    Ask
	render func(*messages.Request) (*Prompt, error)
	again  budget
}

// events yields the events of the answer, corrected where they have to be.
func (c *corrector) yieldEvents(yield func(messages.Event, error) bool) {
	blocks, left := 0, false
	held := -1 // the index of the first block that is held back
	m, err := messages.Collect(func(collect func(messages.Event, error) bool) {
		for e, err := range eventsWithin(c.req, c.prompt, c.ask, &c.again) {
			if held < 0 && err == nil && c.mayBeWrong(e) {
				held = blocks
			}
			if e.Type == messages.ContentBlockStart {
				blocks++
			}
			if held < 0 && err == nil && !yield(e, nil) {
				left = true
				return
			}
			if !collect(e, err) {
				return
			}
		}
	})
	switch {
	case left || err == nil && held < 0:
		return
	case err != nil:
		yield(messages.Event{}, err)
		return
	}
	for e, err := range messages.Replay(c.correct(m, held), held) {
		if !yield(e, err) {
			return
		}
	}
}

// mayBeWrong reports whether an event begins a block that may turn out wrong, or says of a call
// that it could not be read.
func (c *corrector) mayBeWrong(e messages.Event) bool {
	switch e.Type {
	case messages.ContentBlockStart:
		return e.Block.Type == messages.BlockToolUse && (len(c.Inputs) > 0 || c.Readable) || e.Block.Type == messages.BlockText && c.req.Format != nil
	case messages.MessageDelta:
		return c.hasUnread(e.Message.Outcomes)
	}
	return false
}

// correct returns the message from its first held block on if it is as it should be, and else the
// one that the model gives when it is asked once more.
func (c *corrector) correct(m *messages.Message, held int) *messages.Message {
	var corrected *messages.Request
	why := ReasonInvalid
	if c.hasUnread(m.Outcomes) {
		why, corrected = ReasonUnread, c.tellUnread(m)
		m.Content = m.Content[held:]
	} else {
		m.Content = m.Content[held:]
		if corrected = c.tellInvalid(m); corrected == nil {
			return m
		}
	}
	second := c.askAgain(corrected, why)
	if second == nil {
		return m
	}
	second.Outcomes = append(repairedOutcomes(m.Outcomes), second.Outcomes...)
	second.Usage = m.Usage.Plus(second.Usage)
	_ = c.tellInvalid(second) // takes away the text around JSON; the model is not asked a third time
	return second
}

// askAgain returns the answer to a corrected request; nil if there is none.
func (c *corrector) askAgain(corrected *messages.Request, why Reason) *messages.Message {
	if !c.again.spend(why) {
		return nil
	}
	prompt, err := c.render(corrected)
	if err != nil {
		return nil
	}
	prompt.again = why
	second, err := messages.Collect(eventsWithin(corrected, prompt, c.ask, &c.again))
	if err != nil {
		return nil
	}
	return second
}

// repairedOutcomes returns the outcomes of a first answer as they count after the second one: a
// call that could not be read is repaired, and all others were not run.
func repairedOutcomes(outcomes []messages.Outcome) []messages.Outcome {
	var repaired []messages.Outcome
	for _, o := range outcomes {
		if o.Unread {
			repaired = append(repaired, messages.Outcome{Kind: messages.OutcomeRepaired, Tool: o.Tool, Reason: "asked_again"})
		}
	}
	return repaired
}
