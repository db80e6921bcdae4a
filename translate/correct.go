package translate

import (
	"iter"

	"dragoman/translate/messages"
)

// Corrected is [Events] for an answer that has to pass checks. The first block that a check may find
// wrong is held back, with all after it, until the answer is complete. If it is wrong, the model is
// told why and asked once more ([ReasonUnread], [ReasonInvalid]): render makes the prompt for the
// request that tells the model. The second answer takes the place of what was held back, whether it
// passes the checks or not. If render or the second answer fails, the first answer stands. The usage
// is the sum.
func Corrected(req *messages.Request, prompt *Prompt, ask Ask, checks *Checks, render func(*messages.Request) (*Prompt, error)) iter.Seq2[messages.Event, error] {
	c := &corrector{
		correction: correction{Checks: checks, req: req, language: func() *language { return languageOf(prompt.language, req) }},
		prompt:     prompt, ask: ask, render: render,
	}
	return c.yieldEvents
}

// corrector yields the events of one answer, and has the model correct it once.
type corrector struct {
	correction
	prompt *Prompt
	ask    Ask
	render func(*messages.Request) (*Prompt, error)
	again  budget
}

// yieldEvents yields the events of the answer before the first block that is held back, and then
// those of what the held blocks have become.
func (c *corrector) yieldEvents(yield func(messages.Event, error) bool) {
	blocks, left := 0, false
	held := -1 // the index of the first block that is held back, -1 for none
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

// mayBeWrong reports whether events have to be held back from e on: e starts a block that a check may
// find wrong, or tells that a call could not be read.
func (c *corrector) mayBeWrong(e messages.Event) bool {
	switch e.Type {
	case messages.ContentBlockStart:
		return e.Block.Type == messages.BlockToolUse && (len(c.Inputs) > 0 || c.Readable) || e.Block.Type == messages.BlockText && c.req.Format != nil
	case messages.MessageDelta:
		return c.hasUnread(e.Message.Outcomes)
	}
	return false
}

// correct returns m without the blocks before held, which have been yielded, if m passes the checks.
// Otherwise it returns the second answer of the model, or m again if there is none.
func (c *corrector) correct(m *messages.Message, held int) *messages.Message {
	var corrected *messages.Request
	why := ReasonInvalid
	if c.hasUnread(m.Outcomes) {
		why, corrected = ReasonUnread, c.tellUnread(m)
		m.Content = m.Content[held:]
	} else {
		m.Content = m.Content[held:]
		c.keepJSON(m)
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
	c.keepJSON(second)
	return second
}

// askAgain returns the answer of the model to the request that tells it what is wrong. It returns nil
// if the budget is spent, and if the model cannot be asked or fails.
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

// repairedOutcomes returns the outcomes of a first answer that count after a second one: each call
// that could not be read counts as repaired, and the others do not count, since the client never
// gets them.
func repairedOutcomes(outcomes []messages.Outcome) []messages.Outcome {
	var repaired []messages.Outcome
	for _, o := range outcomes {
		if o.Unread {
			repaired = append(repaired, messages.Outcome{Kind: messages.OutcomeRepaired, Tool: o.Tool, Reason: "asked_again"})
		}
	}
	return repaired
}
