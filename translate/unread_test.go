package translate

import (
	"strings"
	"testing"

	"dragoman/translate/answer/tagged"
	"dragoman/translate/messages"
)

// TestLongPrefill continues a prefill that is longer than the text that Dragoman searches for lost calls.
func TestLongPrefill(t *testing.T) {
	prompt := &Prompt{Turns: []Turn{{Role: messages.RoleAssistant, Parts: []Part{{Text: strings.Repeat("so on ", tagged.MaxDoubt/5)}}}}}
	m := parseIn(t, prompt, doubtRequest(), completion{"and so on.", messages.StopEndTurn, ""}, 3)
	if got := show(m); !strings.Contains(got, "and so on.") || m.StopReason != messages.StopEndTurn {
		t.Errorf("the answer is %s", got)
	}
}
