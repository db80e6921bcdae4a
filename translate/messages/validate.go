package messages

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// turns holds what the rules between messages need to know of those before
// (reference/messages-api.md §9). Consecutive messages of one role are one
// turn; a system message belongs to a turn of the user's.
type turns struct {
	role  string         // of the turn that is open
	calls []call         // every tool_use so far
	byID  map[string]int // index into calls
	open  int            // calls[open:] are of the last assistant turn
	mixed bool           // the message so far has a block that is not a tool_result
}

// call is a tool_use block of the history.
type call struct {
	id       string
	message  int // its index
	answered bool
}

// follow appends a block to the content of the message m, of which it is the
// next block, and checks that it may follow what came before.
func (d *decoder) follow(at fieldPath, m MessageParam, b BlockParam) []BlockParam {
	switch {
	case m.Role != RoleSystem:
		d.turn(m.Role)
	case d.turns.role != "":
		d.turn(RoleUser)
	}
	if len(m.Content) == 0 {
		d.turns.mixed = false
	}
	switch b.Type {
	case BlockToolUse:
		d.called(at, b.ID)
	case BlockToolResult:
		d.answered(at, b.ToolUseID)
	}
	d.turns.mixed = d.turns.mixed || b.Type != BlockToolResult
	return append(m.Content, b)
}

// turn begins a turn of the role, if it is not the one that is open.
func (d *decoder) turn(role string) {
	t := &d.turns
	if role == t.role {
		return
	}
	if role == RoleAssistant {
		if t.role == "" {
			d.fail(member("messages"), `first message must use the "user" role`)
		}
		d.checkAnswered()
		t.open = len(t.calls)
	}
	t.role = role
}

func (d *decoder) called(at fieldPath, id string) {
	t := &d.turns
	if _, ok := t.byID[id]; ok {
		d.fail(member("messages"), "`tool_use` ids must be unique")
	}
	if t.byID == nil {
		t.byID = make(map[string]int)
	}
	t.byID[id] = len(t.calls)
	t.calls = append(t.calls, call{id: id, message: at.up.up.index})
}

func (d *decoder) answered(at fieldPath, id string) {
	t := &d.turns
	i, ok := t.byID[id]
	switch {
	case !ok || i < t.open:
		d.fail(at, "unexpected `tool_use_id` found in `tool_result` blocks: %s. "+
			"Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", clip(id))
	case t.calls[i].answered:
		d.fail(at, "each `tool_use` must have a single result. Found multiple `tool_result` blocks with id: %s", clip(id))
	case t.mixed:
		d.fail(at, "`tool_result` blocks must come before all other blocks of their message")
	default:
		t.calls[i].answered = true
	}
}

// checkAnswered checks, at the end of a user turn, that every call of the turn
// before it has a result.
func (d *decoder) checkAnswered() {
	var missing []string
	first, told := 0, 0
	for _, c := range d.turns.calls[d.turns.open:] {
		if c.answered {
			continue
		}
		if missing == nil {
			first = c.message
		}
		missing = append(missing, c.id)
		if told += len(c.id); told > longestShown {
			break
		}
	}
	if missing != nil {
		at := member("messages")
		d.fail(at.element(first), "`tool_use` ids were found without `tool_result` blocks immediately after: %s. "+
			"Each `tool_use` block must have a corresponding `tool_result` block in the next message.", clip(strings.Join(missing, ", ")))
	}
}

// endTurns checks the conversation as a whole, once all of it was followed.
func (d *decoder) endTurns(messages []MessageParam) {
	at := member("messages")
	if len(messages) == 0 {
		d.fail(at, "at least one message is required")
		return
	}
	if d.turns.role == "" {
		d.fail(at, `first message must use the "user" role`)
	}
	d.checkAnswered()
	last := messages[len(messages)-1]
	if last.Role != RoleAssistant {
		return
	}
	final := last.Content[len(last.Content)-1].Text
	if r, _ := utf8.DecodeLastRuneInString(final); unicode.IsSpace(r) {
		d.fail(at, "final assistant content cannot end with trailing whitespace")
	}
}

// checkToolName checks the name of an offered tool.
func (d *decoder) checkToolName(at fieldPath, name string) {
	const longest = 128
	ok := len(name) <= longest && onlyBytes(name, "-_") || d.opt.LooseNames
	if name == "" || !ok {
		d.fail(at, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
	}
}

// checkReplayedName checks the name in a tool_use: it may be of a tool that
// was never offered here, so the API only bounds its length.
func (d *decoder) checkReplayedName(at fieldPath, name string) {
	const longest = 200
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		d.fail(at, "String should have at least 1 character")
	case n > longest:
		d.fail(at, "String should have at most %d characters", longest)
	}
}

// toolID reads the id of a tool_use. Converse allows '.' and ':' beyond the
// pattern of the Messages API (reference/messages-api.md §8), and a history may
// have begun there.
func (d *decoder) toolID(at fieldPath, v jsontext.Value) string {
	id := d.text(at, v)
	if id == "" || !onlyBytes(id, "-_.:") {
		d.fail(at, "String should match pattern '^[a-zA-Z0-9_-]+$'")
	}
	return id
}

// onlyBytes reports whether s is made of ASCII letters, digits and others.
func onlyBytes(s, others string) bool {
	for i := range len(s) {
		c := s[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte(others, c) >= 0 {
			continue
		}
		return false
	}
	return true
}
