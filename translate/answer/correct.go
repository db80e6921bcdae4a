package answer

import (
	"iter"
	"slices"

	"dragoman/translate/language"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// Render makes the prompt that asks a model again: from the request, corrected if the reason needs it.
type Render func(*messages.Request, prompt.Reason) (*prompt.Prompt, error)

// Corrected is [Events] for a model that may be asked again, once. It is asked again if it is stuck ([ReasonEmpty],
// [ReasonRepeated]; see remind.go), or if its answer does not pass checks ([ReasonUncontinued], [ReasonUnread],
// [ReasonUnmet], [ReasonInvalid]). checks may be nil.
//
// Corrected holds back the first block that a check may reject, and all later blocks, until the answer is complete.
// If tool_choice forces a call, it holds the answer back until that call begins (hold.go). If a check rejects the
// answer, Corrected tells the model why. The second answer replaces the blocks that were held back, even if it fails
// the checks too. If render or the second answer fails, the client gets the first answer. The usage is the sum of
// both.
//
// If tool_choice forces a call, Corrected omits the blocks before that call and lists them in
// [messages.Message.LeftOut]. If the final answer still lacks the call, the client gets the answer as the model
// wrote it, and [messages.Message.Unmet] says so.
func Corrected(req *messages.Request, asked *prompt.Prompt, ask Ask, checks *Checks, render Render) iter.Seq2[messages.Event, error] {
	if checks == nil {
		return reminded(req, asked, ask, new(budget), render)
	}
	spoken := asked.Target.Language
	c := &corrector{
		correction: correction{
			Checks: checks, req: req, language: func() *language.Language { return prompt.LanguageOf(spoken, req, nil) },
			invented: asked.Invented, tries: asked.Tries && asked.Opening != "", limit: asked.MaxTokens,
		},
		prompt: asked, ask: ask, render: render,
	}
	return c.yieldEvents
}

// corrector yields the events of one answer, and asks the model to correct it at most once.
type corrector struct {
	correction
	prompt *prompt.Prompt // nil once the model was asked
	ask    Ask
	render Render
	again  budget
}

// yieldEvents yields the events before the first block that is held back. Then it yields the held blocks, corrected
// if necessary.
func (c *corrector) yieldEvents(yield func(messages.Event, error) bool) {
	h := hold{correction: &c.correction, prefilled: c.prompt.Opening != "" && !c.tries, yield: yield}
	asked := *c.prompt
	if c.Readable { // show the model a value that it left open
		asked.Target.StreamValues = prompt.ValuesFlow
	}
	events := reminded(c.req, &asked, c.ask, &c.again, c.render)
	c.prompt = nil // release it: a correction has a prompt of its own
	m, err := messages.Collect(func(collect func(messages.Event, error) bool) { h.read(events, collect) })
	switch {
	case h.over:
		return
	case err != nil:
		yield(messages.Event{}, err)
		return
	}
	if yield(messages.Event{Type: messages.Pause}, nil) { // next, the model may be asked again
		h.sendHeld(c.correct(m, h.from))
	}
}

// correct checks m. If m passes, it returns m without the first held blocks, which the client already has.
// Otherwise it returns the second answer of the model, or m if the second request fails.
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
		if slices.ContainsFunc(m.Outcomes, func(o messages.Outcome) bool { return o.Reason == messages.ReasonEcho }) {
			why = prompt.ReasonEchoed
		}
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
	m.Outcomes = keptOutcomes(m.Outcomes)
	if why == prompt.ReasonUncontinued { // the model itself began no call
		m.Outcomes = nil
	}
	second = followed(m, second)
	c.keepJSON(second)
	return second
}

// followed returns the end of an answer that took the place of an earlier one. It sums up the usage and the outcomes
// of both.
func followed(first, second *messages.Message) *messages.Message {
	both := *second
	both.Outcomes = slices.Concat(first.Outcomes, second.Outcomes)
	both.Usage, both.UsageEstimated = first.Usage.Plus(second.Usage), first.UsageEstimated || second.UsageEstimated
	return &both
}

// askAgain sends the corrected request to the model and returns the answer. It returns nil if the budget is spent,
// or if the prompt or the answer fails.
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

// keptOutcomes returns the outcomes of a first answer that still count if a second answer follows. A call that
// could not be read counts as repaired. A call that tool_choice did not allow still counts as leaked. The other
// outcomes do not count, because the client never gets those calls.
func keptOutcomes(outcomes []messages.Outcome) []messages.Outcome {
	var kept []messages.Outcome
	for _, o := range outcomes {
		switch {
		case o.Unread:
			kept = append(kept, messages.Outcome{Kind: messages.OutcomeRepaired, Tool: o.Tool, Reason: messages.ReasonAskedAgain})
		case o.Reason == messages.ReasonToolChoice:
			kept = append(kept, o)
		}
	}
	return kept
}
