package answer

import (
	"testing"

	"dragoman/translate/messages"
)

// TestStopReason checks the table of stopReason.
func TestStopReason(t *testing.T) {
	cut, called, ended := callsRead{whole: 1, incomplete: true}, callsRead{whole: 1}, callsRead{whole: 1, closed: true}
	const end, most, sequence, refusal = messages.StopEndTurn, messages.StopMaxTokens, messages.StopSequence, messages.StopRefusal
	for _, tt := range []struct {
		calls callsRead
		told  messages.Stop
		ours  bool
		want  messages.Stop
	}{
		{cut, sequence, false, sequence}, {cut, sequence, true, most}, {cut, end, false, most}, {cut, most, false, most}, {cut, refusal, false, refusal},
		{called, most, false, most}, {ended, most, false, messages.StopToolUse}, {called, refusal, false, refusal},
		{called, end, false, messages.StopToolUse}, {called, sequence, true, messages.StopToolUse}, {called, sequence, false, messages.StopToolUse},
		{callsRead{}, sequence, true, end}, {callsRead{}, sequence, false, sequence}, {callsRead{}, end, false, end}, {callsRead{}, most, false, most},
	} {
		got, word := tt.calls.stopReason(tt.told, "x", tt.ours)
		if got != tt.want || got == sequence && word != "x" {
			t.Errorf("%+v, %s, ours %t: %s %q, want %s", tt.calls, tt.told, tt.ours, got, word, tt.want)
		}
	}
}
