package prompt

import (
	"context"
	"fmt"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// What the client is told of messages that make no turns.
const (
	noMessages      = "at least one message is required"
	prefillRefused  = "This model does not support assistant message prefill. The conversation must end with a user message."
	unexpectedBlock = "a %s block cannot stand in a message of the role %s"
)

// addTurns renders the messages. Messages of one role that follow each other are one turn,
// and messages without content are left out. A system message is text in the user turn at
// its place. Where the assistant speaks first, a user turn without parts stands before.
func (r *renderer) addTurns() error {
	list := r.req.Messages
	for i := 0; i < len(list); {
		if isEmpty(&list[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(list) && (isEmpty(&list[end]) || turnRole(&list[end]) == turnRole(&list[i])) {
			end++
		}
		if len(r.prompt.Turns) == 0 && turnRole(&list[i]) == messages.RoleAssistant {
			r.addWrittenTurn(messages.RoleUser)
		}
		if err := r.addTurn(i, end); err != nil {
			return err
		}
		i = end
	}
	switch turns := r.prompt.Turns; {
	case len(turns) == 0:
		return &messages.InvalidRequestError{Fault: messages.FaultConversation, Path: "messages", Message: noMessages}
	case turns[len(turns)-1].Role == messages.RoleAssistant && !r.target.Prefill:
		return &messages.InvalidRequestError{Fault: messages.FaultUnsupported, Message: prefillRefused}
	}
	return nil
}

// isEmpty reports whether a message has no content: its blocks were all dropped when the
// request was decoded, or it is an empty prefill.
func isEmpty(m *messages.MessageParam) bool {
	for i := range m.Content {
		if b := &m.Content[i]; b.Type != messages.BlockText || !(b.Text == "") {
			return false
		}
	}
	return true
}

// turnRole returns the role of the turn that a message is part of.
func turnRole(m *messages.MessageParam) string {
	if m.Role == messages.RoleSystem {
		return messages.RoleUser
	}
	return m.Role
}

// addTurn renders the messages from first until end as one turn. The results in them come
// before all else, since they answer the calls of the turn before.
func (r *renderer) addTurn(first, end int) error {
	w := &r.writer
	role := turnRole(&r.req.Messages[first])
	if role == messages.RoleUser {
		if err := r.addResults(first, end); err != nil {
			return err
		}
	}
	clear(r.pastCalls)
	w.reserve(r.req.Messages[first:end])
	for i := first; i < end; i++ {
		m := &r.req.Messages[i]
		turn := w.Enter("messages", i+m.Skipped)
		if r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
		if m.Role == messages.RoleSystem {
			w.writeSystemMessage(m)
			w.At(turn)
			continue
		}
		for j := range m.Content {
			if r.ctx.Err() != nil {
				return context.Cause(r.ctx)
			}
			message := w.Enter("content", j+int(m.Content[j].Skipped))
			if !r.writeBlock(m.Role, &m.Content[j]) {
				return &messages.InvalidRequestError{
					Fault:   messages.FaultConversation,
					Path:    fmt.Sprintf("messages.%d.content.%d", i, j),
					Message: fmt.Sprintf(unexpectedBlock, m.Content[j].Type, m.Role),
				}
			}
			w.At(message)
		}
		w.At(turn)
	}
	r.addWrittenTurn(role)
	return nil
}

// writeBlock renders a block of a message and reports whether a message of that role may
// hold it.
func (r *renderer) writeBlock(role string, b *messages.BlockParam) bool {
	w := &r.writer
	switch {
	case b.Type == messages.BlockText:
		w.addText(b.Text)
	case b.Type == messages.BlockToolUse && role == messages.RoleAssistant:
		r.addCall(b)
	case b.Type == messages.BlockThinking && role == messages.RoleAssistant:
		if b.Text == "" { // the upstream kept the text from the client
			return true
		}
		if r.target.ToolAPI {
			r.addThinkingPart(b.Text)
			return true
		}
		w.writeThinking(b.Text, r.prompt.chat.marksThinking())
	case b.Type == messages.BlockToolResult && role == messages.RoleUser: // addResults has written it
	case b.Type == messages.BlockImage, b.Type == messages.BlockDocument, b.Type == messages.BlockSearchResult:
		w.endPart()
		w.writeRich(b)
		w.endPart()
	default:
		return false
	}
	return true
}

// writeThinking writes what the model thought before, in which no tag of thinking may stand. apart says that a chat
// template has its own marks around it: it is a part of its own then, without ours.
func (w *turnWriter) writeThinking(text string, apart bool) {
	w.endPart()
	tag, others := w.format.ThinkingTag(), w.Escape.Tags
	if !apart {
		w.Write("<").Write(tag).Write(">\n")
	}
	w.Escape.Tags |= markup.TagThinking
	w.WriteText(text)
	w.Escape.Tags = others
	if !apart {
		w.Write("\n</").Write(tag).Write(">\n")
	}
	w.endPart()
	if apart {
		w.parts[len(w.parts)-1].Type = PartThinking
	}
}

// writeSystemMessage writes a system message that stands among the others.
func (w *turnWriter) writeSystemMessage(m *messages.MessageParam) {
	w.endPart()
	w.Write("<system>\n")
	w.WriteContent(m.Content)
	w.Write("\n</system>")
	w.endPart()
}

// addCall writes a call as the model would have written it, and notes it for the result
// that will answer it. Calls that follow each other stand in one list.
func (r *renderer) addCall(b *messages.BlockParam) {
	if r.target.ToolAPI {
		r.addCallPart(b)
	} else {
		r.writer.writeCall(b.Name, r.calls, b.Input, r.prompt.Schemas.named(b.Name))
	}
	if r.pastCalls == nil {
		r.pastCalls = make(map[string]pastCall)
	}
	r.pastCalls[b.ID] = pastCall{order: len(r.pastCalls), number: r.calls, name: b.Name}
	r.calls++
}
