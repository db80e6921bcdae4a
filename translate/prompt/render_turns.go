package prompt

import (
	"context"
	"fmt"
	"slices"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// The errors for messages that form no valid turns.
const (
	noMessages      = "at least one message is required"
	prefillRefused  = "This model does not support assistant message prefill. The conversation must end with a user message."
	unexpectedBlock = "`%s` blocks are not allowed in `%s` messages"
)

// addTurns renders the messages. Consecutive messages of one role form one turn. Messages without
// content are left out. A system message is text in the user turn at its place. If the assistant
// speaks first, a user turn without parts comes before.
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

// isEmpty reports whether a message has no content: Decode dropped all its blocks, or it is an
// empty prefill.
func isEmpty(m *messages.MessageParam) bool {
	for i := range m.Content {
		if b := &m.Content[i]; b.Type != messages.BlockText || !(b.Text == "") {
			return false
		}
	}
	return true
}

// turnRole returns the role of the turn that a message belongs to.
func turnRole(m *messages.MessageParam) string {
	if m.Role == messages.RoleSystem {
		return messages.RoleUser
	}
	return m.Role
}

// addTurn renders the messages from first until end as one turn. Results come first, because they
// answer the calls of the previous turn.
func (r *renderer) addTurn(first, end int) error {
	w := &r.writer
	role := turnRole(&r.req.Messages[first])
	answers := false
	if role == messages.RoleUser {
		var err error
		if answers, err = r.addResults(first, end, r.resultNotes(first, end)); err != nil {
			return err
		}
	}
	clear(r.pastCalls)
	w.reserve(r.req.Messages[first:end])
	if role == messages.RoleAssistant { // the model's own marks keep their bytes
		w.Escape.Spared = markup.TagThinking
		defer func() { w.Escape.Spared = 0 }()
	}
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
	asks := func(m messages.MessageParam) bool { return m.Role == messages.RoleUser }
	if !answers && r.guides() && slices.ContainsFunc(r.req.Messages[first:end], asks) {
		w.addNote(note{r.language().AllCalls, "tool_choice"})
	}
	r.addWrittenTurn(role)
	return nil
}

// writeBlock renders a block of a message. It returns false if a message of that role may not have
// it.
func (r *renderer) writeBlock(role string, b *messages.BlockParam) bool {
	w := &r.writer
	switch {
	case b.Type == messages.BlockText:
		w.addText(b.Text)
	case b.Type == messages.BlockToolUse && role == messages.RoleAssistant:
		r.addCall(b)
	case b.Type == messages.BlockThinking && role == messages.RoleAssistant:
		if b.Text == "" { // the upstream hid the text from the client
			return true
		}
		if r.target.ToolAPI {
			r.addThinkingPart(b.Text)
			return true
		}
		w.writeThinking(b.Text, r.prompt.chat.marksThinking())
	case b.Type == messages.BlockToolResult && role == messages.RoleUser: // addResults has written it already
	case b.Type == messages.BlockImage, b.Type == messages.BlockDocument, b.Type == messages.BlockSearchResult:
		w.endPart()
		w.writeRich(b)
		w.endPart()
	default:
		return false
	}
	return true
}

// writeThinking writes past thinking. The text must not contain tags of thinking. apart: a chat
// template marks it, so it becomes a part of its own, without Dragoman's marks.
func (w *turnWriter) writeThinking(text string, apart bool) {
	w.endPart()
	tag, others, spared := w.format.ThinkingTag(), w.Escape.Tags, w.Escape.Spared
	if !apart {
		w.Write("<").Write(tag).Write(">\n")
	}
	w.Escape.Tags, w.Escape.Spared = w.Escape.Tags|markup.TagThinking|markup.TagChannel, 0
	w.WriteText(text)
	w.Escape.Tags, w.Escape.Spared = others, spared
	if !apart {
		w.Write("\n</").Write(tag).Write(">\n")
	}
	w.endPart()
	if apart {
		w.parts[len(w.parts)-1].Type = PartThinking
	}
}

// writeSystemMessage writes a system message in the middle of a conversation.
func (w *turnWriter) writeSystemMessage(m *messages.MessageParam) {
	w.endPart()
	w.Write("<system>\n")
	w.WriteContent(m.Content)
	w.Write("\n</system>")
	w.endPart()
}

// addCall writes a call as the model would write it, and records it for its result. Consecutive
// calls form one list.
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
