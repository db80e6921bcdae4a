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

// TestLongThinking checks that a call in long thinking has an outcome, whether the thinking was closed or cut off, in
// pieces of any size.
func TestLongThinking(t *testing.T) {
	const call = "<function_calls>\n<invoke name=\"t\"></invoke>\n</function_calls>\n"
	long := strings.Repeat("so on ", tagged.MaxDoubt/5)
	for _, text := range []string{call + long, long + "\n" + call + "so on"} {
		for _, c := range []completion{{"<thinking>\n" + text + "</thinking>\nDone.", messages.StopEndTurn, ""}, {"<thinking>\n" + text, messages.StopMaxTokens, ""}} {
			for _, n := range []int{0, 7, 1000, 60_000} {
				m := parseIn(t, &Prompt{}, fuzzRequest(), c, n)
				if len(m.Outcomes) != 1 || m.Outcomes[0].Kind != messages.OutcomeLeaked || m.Outcomes[0].Reason != messages.ReasonThinking {
					t.Errorf("pieces of %d, stop %s: %+v", n, c.stop, m.Outcomes)
				}
			}
		}
	}
}
