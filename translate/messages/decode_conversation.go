package messages

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file checks the rules between messages: which role is next, and which call a result answers.

// conversation is what the rules between messages need to know about the messages so far
// (docs/reference/messages-api.md §9). Consecutive messages of one role form one turn. A system
// message belongs to a user turn.
type conversation struct {
	role        string         // of the open turn; "" before the first turn
	calls       []pastToolUse  // every tool_use so far
	byID        map[string]int // id to index in calls
	lastTurn    int            // calls[lastTurn:] belong to the last assistant turn
	pastResults bool           // the message has a block other than tool_result, so no result may follow in it
}

// pastToolUse is a tool_use block in the history.
type pastToolUse struct {
	id       string
	message  int  // index of its message
	answered bool // there is a tool_result for it
}

// add appends a block to content of the message m, and returns the content. It fails if the block
// may not follow the blocks before it.
func (c *conversation) add(d *decoder, at fieldPath, m MessageParam, b BlockParam) []BlockParam {
	switch {
	case m.Role != RoleSystem:
		c.beginTurn(d, m.Role)
	case c.role != "":
		c.beginTurn(d, RoleUser)
	}
	if len(m.Content) == 0 {
		c.pastResults = false
	}
	switch b.Type {
	case BlockToolUse:
		c.addCall(d, at, b.ID)
	case BlockToolResult:
		c.addResult(d, at, b.ToolUseID)
	}
	c.pastResults = c.pastResults || b.Type != BlockToolResult
	return append(m.Content, b)
}

// beginTurn begins a turn of the role, unless such a turn is open already.
func (c *conversation) beginTurn(d *decoder, role string) {
	if role == c.role {
		return
	}
	if role == RoleAssistant {
		c.checkAnswered(d)
		c.lastTurn = len(c.calls)
	}
	c.role = role
}

// addCall notes a tool_use. It fails if the id was used before.
func (c *conversation) addCall(d *decoder, at fieldPath, id string) {
	if _, ok := c.byID[id]; ok {
		d.failBy(FaultConversation, member("messages"), "`tool_use` ids must be unique")
	}
	if c.byID == nil {
		c.byID = make(map[string]int)
	}
	c.byID[id] = len(c.calls)
	c.calls = append(c.calls, pastToolUse{id: id, message: at.up.up.index})
}

// addResult notes the result of a call in the last assistant turn.
func (c *conversation) addResult(d *decoder, at fieldPath, id string) {
	i, ok := c.byID[id]
	switch {
	case !ok || i < c.lastTurn:
		d.failBy(FaultConversation, at, "unexpected `tool_use_id` found in `tool_result` blocks: %s. "+
			"Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", clip(id))
	case c.calls[i].answered:
		d.failBy(FaultConversation, at, "each `tool_use` must have a single result. Found multiple `tool_result` blocks with id: %s", clip(id))
	case c.pastResults:
		d.failBy(FaultConversation, at, "`tool_result` blocks must come before all other blocks of their message")
	default:
		c.calls[i].answered = true
	}
}

// checkAnswered fails if a call in the last assistant turn has no result. It is called at the end
// of the user turn that follows.
func (c *conversation) checkAnswered(d *decoder) {
	var missing []string
	first, shown := 0, 0
	for _, call := range c.calls[c.lastTurn:] {
		if call.answered {
			continue
		}
		if missing == nil {
			first = call.message
		}
		missing = append(missing, call.id)
		if shown += len(call.id); shown > maxShown {
			break
		}
	}
	if missing != nil {
		at := member("messages")
		d.failBy(FaultConversation, at.element(first), "`tool_use` ids were found without `tool_result` blocks immediately after: %s. "+
			"Each `tool_use` block must have a corresponding `tool_result` block in the next message.", clip(strings.Join(missing, ", ")))
	}
}

// checkEnd checks the conversation as a whole, after the last message.
func (c *conversation) checkEnd(d *decoder, messages []MessageParam) {
	at := member("messages")
	if len(messages) == 0 {
		d.failBy(FaultConversation, at, "at least one message is required")
		return
	}
	c.checkAnswered(d)
	last := messages[len(messages)-1]
	if last.Role != RoleAssistant || d.opt.Count || d.opt.WideValues { // a request to count tokens is not continued
		return
	}
	final := last.Content[len(last.Content)-1].Text
	if r, _ := utf8.DecodeLastRuneInString(final); unicode.IsSpace(r) {
		d.failBy(FaultConversation, at, "final assistant content cannot end with trailing whitespace")
	}
}
