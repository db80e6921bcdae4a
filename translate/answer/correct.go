package answer

import (
	"dragoman/translate/language"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
	"iter"
)

// Corrected is [Events] for an answer that has to pass checks. The first block that a check may find
// wrong is held back, with all after it, until the answer is complete; an answer that tool_choice
// forces to begin with a call is held back until it does (hold.go). If it is wrong, the model
// is told why and asked once more ([ReasonUncontinued], [ReasonUnread], [ReasonUnmet], [ReasonInvalid]):
// render makes the prompt for the request that tells the model, given the reason. The second answer takes the place of what was held
// back, whether it passes the checks or not. If render or the second answer fails, the first answer
// stands. The usage is the sum.
//
// What stands before a call that is forced is left out: [messages.Message.LeftOut] names it. An
// answer that still has no such call is as the model wrote it, and [messages.Message.Unmet] says so.
func Corrected(req *messages.Request, asked *prompt.Prompt, ask Ask, checks *Checks, render func(*messages.Request, prompt.Reason) (*prompt.Prompt, error)) iter.Seq2[messages.Event, error] {
	spoken := asked.Language
	c := &corrector{
		correction: correction{
			Checks: checks, req: req, language: func() *language.Language { return prompt.LanguageOf(spoken, req, nil) },
			invented: asked.Invented, tries: asked.Tries && asked.Opening != "", limit: asked.MaxTokens,
		},
		prompt: asked, ask: ask, render: render,
	}
	return c.yieldEvents
}

// corrector yields the events of one answer, and has the model correct it once.
type corrector struct {
	correction
	prompt *prompt.Prompt // until it is asked
	ask    Ask
	render func(*messages.Request, prompt.Reason) (*prompt.Prompt, error)
	again  budget
}

// yieldEvents yields the events of the answer before the first block that is held back, and then
// those of what the held blocks have become.
func (c *corrector) yieldEvents(yield func(messages.Event, error) bool) {
	h := hold{correction: &c.correction, prefilled: c.prompt.Opening != "" && !c.tries, yield: yield}
	prompt := *c.prompt
	prompt.FlowsValues = prompt.FlowsValues || c.Readable // calls are held back, and a model has to see a value that it left open
	events := eventsWithin(c.req, &prompt, c.ask, &c.again)
	c.prompt = nil // the model is asked again with another one
	m, err := messages.Collect(func(collect func(messages.Event, error) bool) { h.read(events, collect) })
	switch {
	case h.over:
		return
	case err != nil:
		yield(messages.Event{}, err)
		return
	}
	if yield(messages.Event{Type: messages.Pause}, nil) { // the model may be asked again
		h.sendHeld(c.correct(m, h.from))
	}
}

// correct returns m without the blocks before held, which have been yielded, if m passes the checks.
// Otherwise it returns the second answer of the model, or m again if there is none.
func (c *corrector) correct(m *messages.Message, held int) *messages.Message {
	why, corrected := prompt.ReasonUncontinued, c.tellUncontinued(m)
	if corrected == nil {
		why, corrected = prompt.ReasonUnread, c.tellUnread(m)
	}
	m.Continued = corrected == nil && c.hasContinued(m)
	m.Content = m.Content[held:]
	if corrected == nil {
		c.keepJSON(m)
		why, corrected = prompt.ReasonUnmet, c.tellUnmet(m)
	}
	if corrected == nil {
		why, corrected = prompt.ReasonInvalid, c.tellInvalid(m)
	}
	if corrected == nil {
		return m
	}
	second := c.askAgain(corrected, why)
	if second == nil {
		return m
	}
	if why != prompt.ReasonUncontinued { // else the model had begun no call itself
		second.Outcomes = append(keptOutcomes(m.Outcomes), second.Outcomes...)
	}
	second.Usage, second.UsageEstimated = m.Usage.Plus(second.Usage), m.UsageEstimated || second.UsageEstimated
	c.keepJSON(second)
	return second
}

// askAgain returns the answer of the model to the request that tells it what is wrong. It returns nil
// if the budget is spent, and if the model cannot be asked or fails.
func (c *corrector) askAgain(corrected *messages.Request, why prompt.Reason) *messages.Message {
	if !c.again.spend(why) {
		return nil
	}
	prompt, err := c.render(corrected, why)
	if err != nil {
		return nil
	}
	prompt.Why = why
	second, err := messages.Collect(eventsWithin(corrected, prompt, c.ask, &c.again))
	if err != nil {
		return nil
	}
	return second
}

// keptOutcomes returns the outcomes of a first answer that count after a second one: each call that
// could not be read counts as repaired, and what tool_choice did not let come as leaked. The others
// do not count, since the client never gets them.
func keptOutcomes(outcomes []messages.Outcome) []messages.Outcome {
	var kept []messages.Outcome
	for _, o := range outcomes {
		switch {
		case o.Unread:
			kept = append(kept, messages.Outcome{Kind: messages.OutcomeRepaired, Tool: o.Tool, Reason: "asked_again"})
		case o.Reason == reasonChoice:
			kept = append(kept, o)
		}
	}
	return kept
}
