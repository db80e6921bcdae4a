package translate

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// The turns that tell a model what is wrong with its answer: the answer as it wrote it, and a
// result for each call that says why it was not run. No call of the answer has been run.

// Checks say what has to hold of an answer. A check returns what is wrong with a value, for the
// model to read; "" if nothing is.
type Checks struct {
	// Inputs check the inputs of calls, by the name of the tool: those of strict tools.
	Inputs map[string]func(input jsontext.Value) (problem string)
	// JSON checks the JSON that [messages.Request.Format] asks for. That the text of the answer
	// is JSON is checked before.
	JSON func(value jsontext.Value) (problem string)
	// Readable asks for calls that can be read.
	Readable bool
}

// correction finds what is wrong with an answer to a request, and tells the model.
type correction struct {
	*Checks
	req      *messages.Request
	language func() *language // of the prompt: it is looked for where it is needed
}

// withTurns returns the request with two more turns.
func (c *correction) withTurns(said, reply []messages.BlockParam) *messages.Request {
	next := *c.req
	next.Messages = append(slices.Clip(next.Messages),
		messages.MessageParam{Role: messages.RoleAssistant, Content: said},
		messages.MessageParam{Role: messages.RoleUser, Content: reply})
	return &next
}

// textParam returns a block of text.
func textParam(text string) messages.BlockParam {
	return messages.BlockParam{Type: messages.BlockText, Text: text}
}

// notRun returns the result of a call that was not run.
func notRun(id, problem string) messages.BlockParam {
	return messages.BlockParam{Type: messages.BlockToolResult, ToolUseID: id, IsError: true, Content: []messages.BlockParam{textParam(problem)}}
}

// tellInvalid returns nil if a message passes the checks of its values, and for one that was cut,
// which no second answer would make better. Else it returns the request that shows the model its
// answer and says what is wrong with it. It takes away the text around JSON that was asked for.
func (c *correction) tellInvalid(m *messages.Message) *messages.Request {
	if m.StopReason != messages.StopEndTurn && m.StopReason != messages.StopToolUse {
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
		problem := l.askAgainOtherMisfit
		if check := c.Inputs[b.Name]; check != nil {
			if misfit := check(b.Input); misfit != "" {
				problem, valid = l.askAgainMisfit+misfit, false
			}
		}
		reply = append(reply, notRun(b.ID, problem+l.askAgainCalls))
	}
	if len(said) == 0 && c.req.Format != nil {
		problem := c.checkText(m, l)
		text := allText(m)
		if valid = problem == "" || text == ""; !valid {
			said = append(said, textParam(text))
			reply = append(reply, textParam(l.askAgainWrongJSON+problem+l.askAgainJSON))
		}
	}
	if valid {
		return nil
	}
	return c.withTurns(said, reply)
}

// tellUnread returns the request that shows the model its answer and says which calls could not be
// read.
func (c *correction) tellUnread(m *messages.Message) *messages.Request {
	l := c.language()
	var said, reply []messages.BlockParam
	// Each call has an outcome, in order; one that was given back as text has no block.
	var outcomes []messages.Outcome
	var problems []string
	for _, o := range m.Outcomes {
		switch {
		case o.Kind != messages.OutcomeLeaked:
			outcomes = append(outcomes, o)
		case o.Unread:
			problems = append(problems, l.unreadProblem(o))
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
		problem := l.askAgainOtherUnread
		if o.Unread {
			problem = l.unreadProblem(o)
		}
		input := inputAsWritten(&b)
		if o.Unread && string(input) == "{}" { // what the call held follows as text
			problems = append(problems, problem)
			continue
		}
		said = append(said, messages.BlockParam{Type: b.Type, ID: b.ID, Name: b.Name, Input: input})
		reply = append(reply, notRun(b.ID, problem+l.askAgainForm))
	}
	if len(problems) > 0 {
		reply = append(reply, notRun("", strings.Join(problems, "\n")+l.askAgainForm))
	}
	return c.withTurns(said, reply)
}

// hasUnread reports whether a call could not be read that the model is to make again.
func (c *correction) hasUnread(outcomes []messages.Outcome) bool {
	return c.Readable && slices.ContainsFunc(outcomes, func(o messages.Outcome) bool { return o.Unread })
}

// checkText returns what is wrong with the text of a message, which is to be one JSON value. Text
// that is one with something around it becomes the value alone.
func (c *correction) checkText(m *messages.Message, l *language) (problem string) {
	v, ok := rawjson.FindValue(allText(m))
	if !ok {
		return l.askAgainNotJSON
	}
	var blocks []messages.ContentBlock
	for _, b := range m.Content {
		if b.Type != messages.BlockText {
			blocks = append(blocks, b)
		}
	}
	m.Content = append(blocks, messages.ContentBlock{Type: messages.BlockText, Text: string(v)})
	if c.JSON == nil {
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

// unreadProblem is what the model is told of a call that could not be read.
func (l *language) unreadProblem(o messages.Outcome) string {
	why := l.askAgainNoEnd
	switch o.Reason {
	case "doubtful_value":
		why = l.askAgainDoubtfulValue
	case "invalid_json":
		why = l.askAgainInvalidJSON
	case "stray_text":
		why = l.askAgainStrayText
	case "stray_closer":
		why = l.askAgainStrayCloser
	case "tool_name":
		why = l.askAgainToolName
	}
	return l.askAgainUnread + why
}

// inputAsWritten returns the input of a call with the parameter that was cut, which Input leaves
// out: the model is to see what it wrote.
func inputAsWritten(b *messages.ContentBlock) jsontext.Value {
	for _, end := range []string{"}", `"}`} {
		if v := jsontext.Value(string(b.Cut) + end); v.IsValid() {
			return v
		}
	}
	return b.Input
}
