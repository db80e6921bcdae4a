package proxy

import (
	"cmp"
	"dragoman/translate/messages"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// unread tells whether a call could not be read that the model is to make again.
func (f *fitting) unread(outcomes []messages.Outcome) bool {
	return f.repair && slices.ContainsFunc(outcomes, isUnread)
}

func isUnread(o messages.Outcome) bool { return o.Unread }

// retold are the outcomes of an answer after which the model was asked again: what could
// not be read does not count as lost any more.
func retold(outcomes []messages.Outcome) []messages.Outcome {
	var kept []messages.Outcome
	for _, o := range outcomes {
		if o.Unread {
			kept = append(kept, messages.Outcome{Kind: messages.OutcomeRepaired, Tool: o.Tool, Reason: "asked_again"})
		}
	}
	return kept
}

// unreadReasons say what is wrong with a call, by the reason of its outcome.
var unreadReasons = map[string]string{
	"doubtful_value": "It is not certain where a value in it ends.",
	"invalid_json":   "Its parameters are not valid JSON.",
	"stray_text":     "There is text where only tags belong.",
	"stray_closer":   "There is a closing tag that closes nothing.",
	"tool_name":      "The name of the tool is not one of a tool.",
}

// unreadProblem is what the model is told of a call that could not be read.
func unreadProblem(o messages.Outcome) string {
	return "The call could not be read, and was not run. " + cmp.Or(unreadReasons[o.Reason], "It does not come to its end.")
}

// asWritten is the input of a call with all that was read of it, whole or not: what the
// model is to see again.
func asWritten(b *messages.ContentBlock) jsontext.Value {
	for _, end := range []string{"}", `"}`} {
		if v := jsontext.Value(string(b.Cut) + end); v.IsValid() {
			return v
		}
	}
	return b.Input
}

// rereading returns the request that shows the model what it wrote and tells it which
// call could not be read. None of its calls has been run.
func rereading(req *messages.Request, m *messages.Message) *messages.Request {
	said := messages.MessageParam{Role: messages.RoleAssistant}
	reply := messages.MessageParam{Role: messages.RoleUser}
	refuse := func(id, problem string) {
		reply.Content = append(reply.Content, messages.BlockParam{
			Type: messages.BlockToolResult, ToolUseID: id, IsError: true,
			Content: []messages.BlockParam{{Type: messages.BlockText, Text: problem + "\nMake the calls again, exactly in the form that was shown."}},
		})
	}
	// Each call has an outcome, in order; one that was given back as text has no block.
	var outcomes []messages.Outcome
	var problems []string
	for _, o := range m.Outcomes {
		switch {
		case o.Kind != messages.OutcomeLeaked:
			outcomes = append(outcomes, o)
		case o.Unread:
			problems = append(problems, unreadProblem(o))
		}
	}
	for _, b := range m.Content {
		switch {
		case b.Type == messages.BlockText:
			said.Content = append(said.Content, messages.BlockParam{Type: b.Type, Text: b.Text})
			continue
		case b.Type != messages.BlockToolUse || len(outcomes) == 0:
			continue
		}
		o := outcomes[0]
		outcomes = outcomes[1:]
		problem := "not run, because another call could not be read"
		if o.Unread {
			problem = unreadProblem(o)
		}
		input := asWritten(&b)
		if o.Unread && string(input) == "{}" { // what it held follows it as text
			problems = append(problems, problem)
			continue
		}
		said.Content = append(said.Content, messages.BlockParam{Type: b.Type, ID: b.ID, Name: b.Name, Input: input})
		refuse(b.ID, problem)
	}
	if len(problems) > 0 {
		refuse("", strings.Join(problems, "\n"))
	}
	corrected := *req
	corrected.Messages = append(req.Messages[:len(req.Messages):len(req.Messages)], said, reply)
	return &corrected
}
