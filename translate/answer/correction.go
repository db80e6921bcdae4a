package answer

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/language"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// This file finds what is wrong with an answer, and writes the turns that tell the model. The assistant turn
// repeats the answer. The user turn has a result for each call, which says why the call was not run. The client did
// not get these calls, so it ran none of them.

// Checks are the checks that an answer must pass. A check returns the problem in words for the model, or "" if the
// value is valid.
type Checks struct {
	// Inputs check the inputs of calls to strict tools, by the name of the tool.
	Inputs map[string]func(input jsontext.Value) (problem string)
	// JSON checks the JSON value that [messages.Request.OutputSchema] requires. Text that is not JSON always fails,
	// without a call to this function.
	JSON func(value jsontext.Value) (problem string)
	// Readable also rejects a call that cannot be read, and a call whose parameter names do not fit its tool.
	// Without Readable, the client gets an unreadable call as an incomplete call or as text, and a call with wrong
	// names unchanged.
	Readable bool
	// Choice rejects an answer that does not follow tool_choice: a forced call is missing or calls the wrong tool,
	// or an answer consists only of calls although tool_choice allows none.
	Choice bool
}

// correction finds what is wrong with the answer to a request, and writes the request that tells the model.
type correction struct {
	*Checks
	req      *messages.Request
	language func() *language.Language // language of the prompt; a function, because most answers do not need it
	invented []string                  // see Prompt.invented
	tries    bool                      // the answer must continue a prefill that begins a call: see Target.TryPrefill
	limit    int                       // the maximum tokens of the answer
}

// withTurns returns a copy of the request with two more turns: what the model said, and the reply.
func (c *correction) withTurns(said, reply []messages.BlockParam) *messages.Request {
	next := *c.req
	next.Messages = append(slices.Clip(next.Messages),
		messages.MessageParam{Role: messages.RoleAssistant, Content: said},
		messages.MessageParam{Role: messages.RoleUser, Content: reply, Correction: true})
	return &next
}

// textParam returns a text block.
func textParam(text string) messages.BlockParam {
	return messages.BlockParam{Type: messages.BlockText, Text: text}
}

// notRun returns a tool_result that says why a call was not run.
func notRun(id, problem string) messages.BlockParam {
	return messages.BlockParam{Type: messages.BlockToolResult, ToolUseID: id, IsError: true, Content: []messages.BlockParam{textParam(problem)}}
}

// tellInvalid checks the inputs of all calls of m. If m has no calls, it checks the JSON that the request requires.
// If a check fails, it returns a request that shows the model its answer and the problem. Otherwise it returns nil.
// It also returns nil for an answer that was cut off, because a second answer would be cut off too.
func (c *correction) tellInvalid(m *messages.Message) *messages.Request {
	if !isComplete(m) {
		return nil
	}
	l := c.language()
	var said, reply []messages.BlockParam
	valid := true
	for _, b := range m.Content {
		if b.Type != messages.BlockToolUse {
			continue
		}
		said = append(said, messages.BlockParam{Type: b.Type, ID: b.ID, Name: b.Name, Input: b.Input})
		problem := l.AskAgainOtherMisfit
		misfit := ""
		if check := c.Inputs[b.Name]; check != nil {
			misfit = check(b.Input)
		} else if c.Readable {
			misfit = c.tellMisfit(b.Name, b.Input)
		}
		if misfit != "" {
			problem, valid = l.AskAgainMisfit+misfit, false
		}
		reply = append(reply, notRun(b.ID, problem+l.AskAgainCalls))
	}
	if len(said) == 0 && c.req.OutputSchema != nil {
		text := allText(m)
		problem := c.checkText(text, l)
		if valid = problem == "" || text == ""; !valid {
			said = append(said, textParam(text))
			reply = append(reply, textParam(l.AskAgainWrongJSON+problem+l.AskAgainJSON))
		}
	}
	if valid {
		return nil
	}
	return c.withTurns(said, reply)
}

// tellUnread returns a request that shows the model its answer m and says which calls could not be read. It returns
// nil if all calls could be read. An unreadable call is either a tool_use block, or text that the parser gave back.
func (c *correction) tellUnread(m *messages.Message) *messages.Request {
	if !c.hasUnread(m.Outcomes) {
		return nil
	}
	l := c.language()
	var said, reply []messages.BlockParam
	// Outcomes are in the order of the calls. The loop below pairs each tool_use block with its outcome. Problems
	// of calls without a block come last.
	var outcomes []messages.Outcome
	var problems []string
	for _, o := range m.Outcomes {
		switch {
		case !o.InText:
			outcomes = append(outcomes, o)
		case o.Unread:
			problems = append(problems, c.unreadProblem(l, o))
		}
	}
	for _, b := range m.Content {
		switch {
		case b.Type == messages.BlockText:
			said = append(said, textParam(b.Text))
			continue
		case b.Type != messages.BlockToolUse || len(outcomes) == 0:
			continue
		}
		o := outcomes[0]
		outcomes = outcomes[1:]
		problem := l.AskAgainOtherUnread
		if o.Unread {
			problem = c.unreadProblem(l, o)
		}
		input := inputAsWritten(&b)
		if o.Unread && string(input) == "{}" { // the parser read nothing of the call: the next block has its text
			problems = append(problems, problem)
			continue
		}
		said = append(said, messages.BlockParam{Type: b.Type, ID: b.ID, Name: b.Name, Input: input})
		reply = append(reply, notRun(b.ID, problem+l.AskAgainForm))
	}
	if len(problems) > 0 {
		reply = append(reply, notRun("", strings.Join(problems, "\n")+l.AskAgainForm))
	}
	return c.withTurns(said, reply)
}

// tellUnmet returns a request that shows the model its answer m and says that it does not follow tool_choice. It
// returns nil if m follows tool_choice, if the model refused, or if the context is full. An answer that max_tokens
// cut off before the call does get a second try: the second answer may begin with the call.
func (c *correction) tellUnmet(m *messages.Message) *messages.Request {
	l := c.language()
	switch {
	case c.saysNothing(m.Content, m): // the model wrote no text that the request could repeat
		next := *c.req
		next.Messages = append(slices.Clip(next.Messages),
			messages.MessageParam{Role: messages.RoleUser, Content: []messages.BlockParam{textParam(l.AskAgainInWords)}})
		return &next
	case !c.forces() || c.isMet(m.Content) || isRefused(m) || m.StopReason == messages.StopContextWindow:
		return nil
	}
	var said, reply []messages.BlockParam
	for _, b := range m.Content {
		switch b.Type {
		case messages.BlockText:
			said = append(said, textParam(b.Text))
		case messages.BlockToolUse:
			problem := l.AskAgainOtherMisfit
			if len(reply) == 0 { // the first call decides whether the choice is met
				problem = l.AskAgainWrongTool
				if c.req.MeetsChoice(b.Name) {
					problem = l.AskAgainMisfit + c.tellMisfit(b.Name, b.Input)
				}
			}
			said = append(said, messages.BlockParam{Type: b.Type, ID: b.ID, Name: b.Name, Input: b.Input})
			reply = append(reply, notRun(b.ID, problem))
		}
	}
	return c.withTurns(said, append(reply, textParam(l.AskAgainUncalled)))
}

// isMet reports whether the first call of an answer is the one that tool_choice forces. If its tool requires
// parameters, the call must have at least one of them.
func (c *correction) isMet(blocks []messages.ContentBlock) bool {
	at := slices.IndexFunc(blocks, isCall)
	if at < 0 || !c.req.MeetsChoice(blocks[at].Name) {
		return false
	}
	call := &blocks[at]
	required := c.required(call.Name)
	return call.Cut != nil || len(required) == 0 ||
		slices.ContainsFunc(rawjson.MemberNames(call.Input), func(name string) bool { return slices.Contains(required, name) })
}

// saysNothing reports whether tool_choice allows no calls, and the model wrote only a call or results after its
// thinking. blocks are the blocks of the answer, and end is its last message.
func (c *correction) saysNothing(blocks []messages.ContentBlock, end *messages.Message) bool {
	text := func(b messages.ContentBlock) bool { return b.Type == messages.BlockText }
	return c.Choice && !c.req.MayCall() && slices.ContainsFunc(end.Outcomes, isForbidden) && !slices.ContainsFunc(blocks, text)
}

// isForbidden reports whether tool_choice did not allow a call.
func isForbidden(o messages.Outcome) bool { return o.Reason == messages.ReasonToolChoice }

// tellUncontinued returns the request unchanged if the model did not continue a prefill that begins a call. The
// model continued it if the answer begins with a whole call, and that call has an argument or its tool requires
// none. tellUncontinued returns nil if the model continued, or if the answer was cut off or refused.
func (c *correction) tellUncontinued(m *messages.Message) *messages.Request {
	switch {
	case !c.tries, isRefused(m), m.StopReason == messages.StopContextWindow,
		m.StopReason == messages.StopMaxTokens && m.Usage.OutputTokens >= c.limit:
		return nil
	case c.isMet(m.Content) && m.Content[slices.IndexFunc(m.Content, isCall)].Cut == nil:
		return nil
	}
	return c.req
}

// required returns the names of the parameters that a tool requires.
func (c *correction) required(name string) []string {
	at := slices.IndexFunc(c.req.Tools, func(t messages.Tool) bool { return t.Name == name })
	if at < 0 {
		return nil
	}
	return schema.Compile(c.req.Tools[at].InputSchema).Required
}

// hasContinued reports whether the answer proves that the model continues such a prefill: it begins with a whole
// call that has arguments, contains no prose, and was not begun a second time.
func (c *correction) hasContinued(m *messages.Message) bool {
	if !m.Continued || len(m.Content) == 0 || !isCall(m.Content[0]) || string(m.Content[0].Input) == "{}" || len(m.Outcomes) == 0 {
		return false
	}
	o := m.Outcomes[0]
	return o.Kind == messages.OutcomeClean || o.Kind == messages.OutcomeRepaired && o.Reason != messages.ReasonStrayText
}

// isCall reports whether a block is a call.
func isCall(b messages.ContentBlock) bool { return b.Type == messages.BlockToolUse }

// isRefused reports whether the model, or a guardrail, refused to answer.
func isRefused(m *messages.Message) bool {
	return m.StopReason == messages.StopRefusal || m.StopReason == messages.StopGuardrail
}

// hasUnread reports whether a call could not be read and c.Readable rejects such calls. If tool_choice allows no
// calls, unreadable calls are plain text.
func (c *correction) hasUnread(outcomes []messages.Outcome) bool {
	return c.Readable && c.req.MayCall() && slices.ContainsFunc(outcomes, func(o messages.Outcome) bool { return o.Unread })
}

// isComplete reports whether the model itself ended the answer.
func isComplete(m *messages.Message) bool {
	return m.StopReason == messages.StopEndTurn || m.StopReason == messages.StopToolUse
}

// keepJSON reduces the text of an answer to its JSON value, if the request requires JSON. It changes nothing if the
// text has no such value, or if the answer has calls.
func (c *correction) keepJSON(m *messages.Message) {
	if c.req.OutputSchema == nil || !isComplete(m) || slices.ContainsFunc(m.Content, isCall) {
		return
	}
	v, ok := rawjson.FindValue(allText(m))
	if !ok {
		return
	}
	m.Content = slices.DeleteFunc(m.Content, func(b messages.ContentBlock) bool { return b.Type == messages.BlockText })
	m.Content = append(m.Content, messages.ContentBlock{Type: messages.BlockText, Text: string(v)})
}

// checkText returns the problem with the text of an answer that must be JSON, or "".
func (c *correction) checkText(text string, l *language.Language) (problem string) {
	v, ok := rawjson.FindValue(text)
	switch {
	case !ok:
		return l.AskAgainNotJSON
	case c.JSON == nil:
		return ""
	}
	return c.JSON(v)
}

// allText returns the text of all blocks of a message.
func allText(m *messages.Message) string {
	var text strings.Builder
	for _, b := range m.Content {
		if b.Type == messages.BlockText {
			text.WriteString(b.Text)
		}
	}
	return text.String()
}

// unreadProblem returns what to tell the model about a call that could not be read. If the call breaks off,
// o.Reason is empty, or names an earlier repair.
func (c *correction) unreadProblem(l *language.Language, o messages.Outcome) string {
	if o.Reason == messages.ReasonNoArgumentsRead {
		return l.AskAgainUnread + c.tellMisfit(o.Tool, jsontext.Value("{}"))
	}
	why, ok := refusal(l, o.Reason)
	if !ok {
		why = l.AskAgainNoEnd
	}
	return l.AskAgainUnread + why
}

// refusal returns what to tell the model about a reason for which the parser rejects a complete call. It returns
// false for any other reason.
func refusal(l *language.Language, reason messages.Reason) (why string, ok bool) {
	switch reason {
	case messages.ReasonAmbiguous:
		return l.AskAgainDoubtfulValue, true
	case messages.ReasonInvalidJSON, messages.ReasonMissingBrace:
		return l.AskAgainInvalidJSON, true
	case messages.ReasonInvalidLiteral:
		return l.AskAgainInvalidLiteral, true
	case messages.ReasonStrayText:
		return l.AskAgainStrayText, true
	case messages.ReasonStrayCloser:
		return l.AskAgainStrayCloser, true
	case messages.ReasonToolName, messages.ReasonNoToolFits:
		return l.AskAgainToolName, true
	case messages.ReasonBareCall:
		return l.AskAgainBareCall, true
	case messages.ReasonTooLong:
		return l.AskAgainTooLong, true
	}
	return "", false
}

// inputAsWritten returns the input of a call, including the parameter that was cut off. b.Input omits that
// parameter, but the model must see what it wrote. b.Cut ends within a string or after a member. So a quote and a
// brace, or a brace alone, close it.
func inputAsWritten(b *messages.ContentBlock) jsontext.Value {
	for _, end := range []string{"}", `"}`} {
		if v := jsontext.Value(string(b.Cut) + end); v.IsValid() {
			return v
		}
	}
	return b.Input
}
