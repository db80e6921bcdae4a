package messages

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// turns holds what the rules between messages need to know of those before
// (docs/reference/messages-api.md §9). Consecutive messages of one role are one
// turn; a system message belongs to a turn of the user's.
type conversation struct {
	d           *decoder
	role        string         // of the turn that is open
	calls       []pastCall     // every tool_use so far
	byID        map[string]int // index into calls
	lastTurn    int            // calls[open:] are of the last assistant turn
	pastResults bool           // the message so far has a block that is not a tool_result
}

// call is a tool_use block of the history.
type pastCall struct {
	id       string
	message  int // its index
	answered bool
}

// follow appends a block to the content of the message m, of which it is the
// next block, and checks that it may follow what came before.
func (t *conversation) add(at fieldPath, m MessageParam, b BlockParam) []BlockParam {
	switch {
	case m.Role != RoleSystem:
		t.beginTurn(m.Role)
	case t.role != "":
		t.beginTurn(RoleUser)
	}
	if len(m.Content) == 0 {
		t.pastResults = false
	}
	switch b.Type {
	case BlockToolUse:
		t.addCall(at, b.ID)
	case BlockToolResult:
		t.addResult(at, b.ToolUseID)
	}
	t.pastResults = t.pastResults || b.Type != BlockToolResult
	return append(m.Content, b)
}

// turn begins a turn of the role, if it is not the one that is open.
func (t *conversation) beginTurn(role string) {
	if role == t.role {
		return
	}
	if role == RoleAssistant {
		if t.role == "" {
			t.d.fail(member("messages"), `first message must use the "user" role`)
		}
		t.checkAnswered()
		t.lastTurn = len(t.calls)
	}
	t.role = role
}

func (t *conversation) addCall(at fieldPath, id string) {
	if _, ok := t.byID[id]; ok {
		t.d.fail(member("messages"), "`tool_use` ids must be unique")
	}
	if t.byID == nil {
		t.byID = make(map[string]int)
	}
	t.byID[id] = len(t.calls)
	t.calls = append(t.calls, pastCall{id: id, message: at.up.up.index})
}

func (t *conversation) addResult(at fieldPath, id string) {
	i, ok := t.byID[id]
	switch {
	case !ok || i < t.lastTurn:
		t.d.fail(at, "unexpected `tool_use_id` found in `tool_result` blocks: %s. "+
			"Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", clip(id))
	case t.calls[i].answered:
		t.d.fail(at, "each `tool_use` must have a single result. Found multiple `tool_result` blocks with id: %s", clip(id))
	case t.pastResults:
		t.d.fail(at, "`tool_result` blocks must come before all other blocks of their message")
	default:
		t.calls[i].answered = true
	}
}

// checkAnswered checks, at the end of a user turn, that every call of the turn
// before it has a result.
func (t *conversation) checkAnswered() {
	var missing []string
	first, told := 0, 0
	for _, c := range t.calls[t.lastTurn:] {
		if c.answered {
			continue
		}
		if missing == nil {
			first = c.message
		}
		missing = append(missing, c.id)
		if told += len(c.id); told > maxShown {
			break
		}
	}
	if missing != nil {
		at := member("messages")
		t.d.fail(at.element(first), "`tool_use` ids were found without `tool_result` blocks immediately after: %s. "+
			"Each `tool_use` block must have a corresponding `tool_result` block in the next message.", clip(strings.Join(missing, ", ")))
	}
}

// endTurns checks the conversation as a whole, once all of it was followed.
func (t *conversation) checkEnd(messages []MessageParam) {
	at := member("messages")
	if len(messages) == 0 {
		t.d.fail(at, "at least one message is required")
		return
	}
	if t.role == "" {
		t.d.fail(at, `first message must use the "user" role`)
	}
	t.checkAnswered()
	last := messages[len(messages)-1]
	if last.Role != RoleAssistant {
		return
	}
	final := last.Content[len(last.Content)-1].Text
	if r, _ := utf8.DecodeLastRuneInString(final); unicode.IsSpace(r) {
		t.d.fail(at, "final assistant content cannot end with trailing whitespace")
	}
}
