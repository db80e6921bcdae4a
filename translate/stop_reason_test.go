package translate

import (
	"testing"

	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// TestMarkerOfATurn has an upstream that stops at the marker of a user turn. That ends the turn,
// unless the client has set the sequence itself.
func TestMarkerOfATurn(t *testing.T) {
	const begun = CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n"
	for _, tt := range []struct {
		text  string
		asked []string
		want  messages.Stop
	}{
		{"Well.", nil, messages.StopEndTurn},
		{"Well.", []string{"END"}, messages.StopEndTurn},
		{"Well.", []string{"END", prompt.HumanMarker}, messages.StopSequence},
		{begun + "<n>1</n>\n</parameters>\n</invoke>\n", nil, messages.StopToolUse},
		{begun + "<s>half", nil, messages.StopMaxTokens},
	} {
		req := fuzzRequest()
		req.StopSequences = tt.asked
		m := parse(t, req, completion{tt.text, messages.StopSequence, prompt.HumanMarker}, 0)
		if named := m.StopSequence != ""; m.StopReason != tt.want || named != (tt.want == messages.StopSequence) {
			t.Errorf("%q, asked for %q: %s %q, want %s", tt.text, tt.asked, m.StopReason, m.StopSequence, tt.want)
		}
	}
}
