package inspector

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"dragoman/metrics"
	"dragoman/translate/messages"
)

// Mark is how an exchange went, in one word, so that trouble is visible in the list.
type Mark string

// The marks. If several apply to an exchange, the first one here wins.
const (
	MarkFailed   Mark = "failed"   // the client got an error
	MarkRefused  Mark = "refused"  // the model wrote a call to its end, and Dragoman could not read it
	MarkLeaked   Mark = "leaked"   // text in the shape of a call stayed text
	MarkStuck    Mark = "stuck"    // the model wrote nothing, or made the same calls again
	MarkCut      Mark = "cut"      // the answer ended before the model's did
	MarkInvalid  Mark = "invalid"  // the client got a call that does not fit its tool
	MarkRepaired Mark = "repaired" // a call was malformed, but had only one meaning
	MarkNoCall   Mark = "no_call"  // the model could call a tool, or had to, and made no call
	MarkSlow     Mark = "slow"     // the upstream was silent for [slowAfter] or longer
	MarkClean    Mark = "clean"
)

// slowAfter is the shortest silence of an upstream that makes an exchange slow.
const slowAfter = 10 * time.Second

// markOf maps kinds of calls to marks. Other kinds have none.
var markOf = map[string]Mark{
	string(messages.OutcomeRefused): MarkRefused, string(messages.OutcomeLeaked): MarkLeaked, string(messages.OutcomeIncomplete): MarkCut,
	string(messages.OutcomeUnknownTool): MarkInvalid, string(messages.OutcomeInvalid): MarkInvalid,
	string(messages.OutcomeEmpty): MarkStuck, string(messages.OutcomeContinued): MarkRepaired, string(messages.OutcomeTypeFallback): MarkRepaired, string(messages.OutcomeRepaired): MarkRepaired,
}

// mark returns the mark of the exchange, "" while it runs.
func (l *Line) mark() Mark {
	if l.Open {
		return ""
	}
	has := func(m Mark) bool {
		return slices.ContainsFunc(l.Misread, func(read string) bool {
			kind, reason, _ := strings.Cut(read, " ")
			return markOf[kind] == m || m == MarkStuck && reason == messages.ReasonRepeated.String()
		})
	}
	stopped := l.StopReason == string(messages.StopMaxTokens) || l.StopReason == string(messages.StopContextWindow)
	switch {
	case l.Terminal == string(metrics.ClientGone):
		return MarkCut
	case l.ErrorType != "" || l.Status >= http.StatusBadRequest || l.Terminal != string(metrics.Complete):
		return MarkFailed
	case has(MarkRefused):
		return MarkRefused
	case has(MarkLeaked):
		return MarkLeaked
	case has(MarkStuck):
		return MarkStuck
	case has(MarkCut) || stopped:
		return MarkCut
	case has(MarkInvalid):
		return MarkInvalid
	case has(MarkRepaired):
		return MarkRepaired
	case l.lacksCall():
		return MarkNoCall
	case l.Silent >= slowAfter.Microseconds():
		return MarkSlow
	}
	return MarkClean
}

// lacksCall reports whether the answer has no call although the model could make one or had to. It does not count an
// answer to results: at the end of a loop, the model answers in words.
func (l *Line) lacksCall() bool {
	ended := l.StopReason == string(messages.StopEndTurn) || l.StopReason == string(messages.StopSequence)
	return l.mayCall && ended && len(l.Tools) == 0 || slices.Contains(l.Unmet, messages.UnmetChoice)
}
