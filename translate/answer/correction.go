package answer

import (
	"dragoman/translate/language"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// What is wrong with an answer, and the turns that tell the model: an assistant turn with the answer
// as the model wrote it, and a user turn with a result for each call, which says why the call was not
// run. The client has not got these calls, so none of them has been run.

// Checks are what an answer has to pass. A check returns what is wrong with a value, in words for the
// model; "" if nothing is.
type Checks struct {
	// Inputs check the inputs of calls, by the name of the tool: those of strict tools.
	Inputs map[string]func(input jsontext.Value) (problem string)
	// JSON checks the JSON value that [messages.Request.Format] asks for. It is not called for text
	// that is no JSON, which is wrong in any case.
	JSON func(value jsontext.Value) (problem string)
	// Readable says that a call is wrong that cannot be read, or whose parameters do not fit its tool by
	// their names. Without it, the client gets what could be read of the first, as an incomplete call or
	// as text, and the second as it is.
	Readable bool
	// Choice says that an answer is wrong that does not do what tool_choice asks: one that has to
	// begin with a call of the right tool and does not, and one that is nothing but a call where none
	// may come.
	Choice bool
}

// correction finds what is wrong with an answer to a request, and tells the model.
type correction struct {
	*Checks
	req      *messages.Request
	language func() *language.Language // of the prompt: a function, since most answers need none
	invented []string                  // [Prompt.invented]
	tries    bool                      // the answer has to go on with a prefill that begins a call: see Target.TryPrefill
	limit    int                       // the most tokens of the answer
}

// withTurns returns a copy of the request with two more turns: what the model said, and the reply.
func (c *correction) withTurns(said, reply []messages.BlockParam) *messages.Request {
	next := *c.req
	next.Messages = append(slices.Clip(next.Messages),
		messages.MessageParam{Role: messages.RoleAssistant, Content: said},
		messages.MessageParam{Role: messages.RoleUser, Content: reply})
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

// tellInvalid checks the inputs of the calls of m or, if it has none, the JSON that was asked for. If
// one is wrong it returns the request that shows the model its answer and says what is wrong, else
// nil. It returns nil, too, for an answer that was cut: a second one would be cut again.
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
	if len(said) == 0 && c.req.Format != nil {
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

// tellUnread returns the request that shows the model its answer m and says which calls could not be
// read; nil if all could. Such a call may be a tool_use block, or text that was given back.
func (c *correction) tellUnread(m *messages.Message) *messages.Request {
	if !c.hasUnread(m.Outcomes) {
		return nil
	}
	l := c.language()
	var said, reply []messages.BlockParam
	// Each call has an outcome, in the order of the calls. The outcomes of those that have a block
	// are paired with the blocks below; the problems of those without one are told last.
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
		if o.Unread && string(input) == "{}" { // nothing of the call was read: the next block has its text
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

// tellUnmet returns the request that shows the model its answer m and says that it is not what
// tool_choice asks for; nil if it is. It returns nil, too, for a refusal, and where the context is
// full. Words that were cut left no room for the call, which a second answer may begin with.
func (c *correction) tellUnmet(m *messages.Message) *messages.Request {
	l := c.language()
	switch {
	case c.saysNothing(m.Content, m): // and what it wrote is nothing that it can be shown
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
			if len(reply) == 0 { // the first call decides
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

// isMet reports whether blocks, those of an answer, hold a call that tool_choice forces, before any
// other call. If its tool requires arguments, a call that has none of these is not the call.
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

// saysNothing reports whether a call, or results, are all that the model wrote after its thinking,
// where tool_choice lets none come. blocks are those of the answer that ends with end.
func (c *correction) saysNothing(blocks []messages.ContentBlock, end *messages.Message) bool {
	cut := func(o messages.Outcome) bool { return o.Reason == reasonChoice }
	text := func(b messages.ContentBlock) bool { return b.Type == messages.BlockText }
	return c.Choice && !c.req.MayCall() && slices.ContainsFunc(end.Outcomes, cut) && !slices.ContainsFunc(blocks, text)
}

// tellUncontinued returns the request as it is, if the model has not gone on with a prefill that begins a
// call: if its answer does not begin with a whole call that has arguments, or needs none. It returns nil for
// an answer that was cut or refused.
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

// required returns the names of the parameters that the tool of this name requires.
func (c *correction) required(name string) []string {
	at := slices.IndexFunc(c.req.Tools, func(t messages.Tool) bool { return t.Name == name })
	if at < 0 {
		return nil
	}
	return schema.Compile(c.req.Tools[at].InputSchema).Required
}

// hasContinued reports whether the answer shows that the model has gone on with such a prefill: it begins with
// a whole call with arguments, in which no prose stands, and which the model has not begun again.
func (c *correction) hasContinued(m *messages.Message) bool {
	if !m.Continued || len(m.Content) == 0 || !isCall(m.Content[0]) || string(m.Content[0].Input) == "{}" || len(m.Outcomes) == 0 {
		return false
	}
	o := m.Outcomes[0]
	return o.Kind == messages.OutcomeClean || o.Kind == messages.OutcomeRepaired && o.Reason != "stray_text"
}

// isCall reports whether a block is a call.
func isCall(b messages.ContentBlock) bool { return b.Type == messages.BlockToolUse }

// isRefused reports whether an answer is none because the model, or what guards it, refuses one.
func isRefused(m *messages.Message) bool {
	return m.StopReason == messages.StopRefusal || m.StopReason == messages.StopGuardrail
}

// hasUnread reports whether one of the calls could not be read, if that is checked. Where no call may
// come, what looks like one and cannot be read is text.
func (c *correction) hasUnread(outcomes []messages.Outcome) bool {
	return c.Readable && c.req.MayCall() && slices.ContainsFunc(outcomes, func(o messages.Outcome) bool { return o.Unread })
}

// isComplete reports whether the model ended the answer itself.
func isComplete(m *messages.Message) bool {
	return m.StopReason == messages.StopEndTurn || m.StopReason == messages.StopToolUse
}

// keepJSON makes the text of an answer that is to be JSON the JSON value alone, if it is one with
// something around it. An answer with calls is not asked to be JSON.
func (c *correction) keepJSON(m *messages.Message) {
	if c.req.Format == nil || !isComplete(m) || slices.ContainsFunc(m.Content, isCall) {
		return
	}
	v, ok := rawjson.FindValue(allText(m))
	if !ok {
		return
	}
	m.Content = slices.DeleteFunc(m.Content, func(b messages.ContentBlock) bool { return b.Type == messages.BlockText })
	m.Content = append(m.Content, messages.ContentBlock{Type: messages.BlockText, Text: string(v)})
}

// checkText returns what is wrong with the text of an answer that is to be JSON.
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

// unreadProblem returns what the model is told of a call that could not be read. A call that breaks off has
// no reason, or one why it was mended before.
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

// refusal returns what is said of the reason why a call is none, although it need not break off. It reports
// false if that is no such reason.
func refusal(l *language.Language, reason string) (why string, ok bool) {
	switch reason {
	case messages.ReasonAmbiguous:
		return l.AskAgainDoubtfulValue, true
	case "invalid_json", "missing_brace":
		return l.AskAgainInvalidJSON, true
	case "invalid_literal":
		return l.AskAgainInvalidLiteral, true
	case "stray_text":
		return l.AskAgainStrayText, true
	case "stray_closer":
		return l.AskAgainStrayCloser, true
	case "tool_name", messages.ReasonNoToolFits:
		return l.AskAgainToolName, true
	case "bare_call":
		return l.AskAgainBareCall, true
	case "too_long":
		return l.AskAgainTooLong, true
	}
	return "", false
}

// inputAsWritten returns the input of a call, with the parameter in which it was cut: b.Input leaves
// that out, but the model has to see what it wrote. b.Cut ends within a string or after a member, so
// it is closed by a quote and a brace, or by a brace.
func inputAsWritten(b *messages.ContentBlock) jsontext.Value {
	for _, end := range []string{"}", `"}`} {
		if v := jsontext.Value(string(b.Cut) + end); v.IsValid() {
			return v
		}
	}
	return b.Input
}
