package translate

import (
	"context"
	"dragoman/translate/messages"
	"fmt"
	"slices"
)

// What Render says to the client of messages that make no turns.
const (
	firstNotUser    = `first message must use the "user" role`
	noMessages      = "at least one message is required"
	unexpectedBlock = "a %s block cannot stand in a message of the role %s"
)

// turns renders the messages. Those of one role that follow each other are one
// turn; a system message is text in the user turn at its place.
func (r *renderer) turns() error {
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
		if err := r.turn(i, end); err != nil {
			return err
		}
		i = end
	}
	switch turns := r.prompt.Turns; {
	case len(turns) == 0:
		return &messages.InvalidRequestError{Path: "messages", Message: noMessages}
	case turns[0].Role != messages.RoleUser:
		return &messages.InvalidRequestError{Path: "messages", Message: firstNotUser}
	}
	return nil
}

// isEmpty tells whether a message says nothing: one whose blocks were all
// dropped, or the empty beginning of an answer.
func isEmpty(m *messages.MessageParam) bool {
	return !slices.ContainsFunc(m.Content, func(b messages.BlockParam) bool { return b.Type != messages.BlockText || b.Text != "" })
}

func turnRole(m *messages.MessageParam) string {
	if m.Role == messages.RoleSystem {
		return messages.RoleUser
	}
	return m.Role
}

// turn renders the messages from first until end as one turn.
func (r *renderer) turn(first, end int) error {
	w := &r.writer
	role := turnRole(&r.req.Messages[first])
	if role == messages.RoleUser {
		if err := r.results(first, end); err != nil {
			return err
		}
	}
	clear(r.calls)
	w.reserve(r.req.Messages[first:end])
	for i := first; i < end; i++ {
		m := &r.req.Messages[i]
		if r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
		if m.Role == messages.RoleSystem {
			w.systemMessage(m)
			continue
		}
		for j := range m.Content {
			if r.ctx.Err() != nil {
				return context.Cause(r.ctx)
			}
			if !r.block(m.Role, &m.Content[j]) {
				return &messages.InvalidRequestError{
					Path:    fmt.Sprintf("messages.%d.content.%d", i, j),
					Message: fmt.Sprintf(unexpectedBlock, m.Content[j].Type, m.Role),
				}
			}
		}
	}
	r.prompt.Turns = append(r.prompt.Turns, Turn{Role: role, Parts: w.end()})
	return nil
}

// block renders a block of a message; it reports whether it may stand there.
func (r *renderer) block(role string, b *messages.BlockParam) bool {
	w := &r.writer
	switch {
	case b.Type == messages.BlockText:
		w.text(b.Text)
	case b.Type == messages.BlockToolUse && role == messages.RoleAssistant:
		r.call(b)
	case b.Type == messages.BlockThinking && role == messages.RoleAssistant:
		if b.Text == "" { // the client was not shown it
			return true
		}
		w.seal()
		w.raw("<thinking>\n", w.escape.Text(b.Text), "\n</thinking>\n")
		w.seal()
	case b.Type == messages.BlockToolResult && role == messages.RoleUser: // see results
	case b.Type == messages.BlockImage, b.Type == messages.BlockDocument, b.Type == messages.BlockSearchResult:
		w.seal()
		w.content([]messages.BlockParam{*b})
		w.seal()
	default:
		return false
	}
	return true
}

// systemMessage writes a system message that stands among the others.
func (w *turnWriter) systemMessage(m *messages.MessageParam) {
	w.seal()
	w.raw("<system>\n")
	w.content(m.Content)
	w.raw("\n</system>")
	w.seal()
}

// call writes a call as the model would have written it. Calls that follow each
// other stand in one block.
func (r *renderer) call(b *messages.BlockParam) {
	w := &r.writer
	if !w.calling {
		w.seal()
		w.raw(emptyLine(w.parts), r.format.begin)
		w.calling = true
	}
	w.markup = r.format.call(w.escape, w.markup, w.escape.Text(b.Name), b.Input, r.prompt.schemas.named(b.Name))
	if r.calls == nil {
		r.calls = make(map[string]pastCall)
	}
	r.calls[b.ID] = pastCall{order: len(r.calls), name: b.Name}
}
