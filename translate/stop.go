package translate

import "dragoman/translate/messages"

// callsRead is what was read of the calls of one message.
type callsRead struct {
	whole      int  // how many were read to their end
	closed     bool // the end of all of them was read
	incomplete bool // the last one was not read to its end
}

// stopReason is the one place that decides what a client is told of the end of a message.
// stop and sequence are what the upstream says; ours, that its stop sequence was, or may have
// been, that of the format, at which the calls end.
//
//	calls                upstream        client is told
//	one incomplete       client's stop   stop_sequence
//	                     our stop, end   max_tokens: the one reason by which clients know
//	                                     that the input of a tool may be cut
//	                     other           the same
//	whole                max_tokens      max_tokens, unless the end of the calls was read
//	                     refusal, …      the same
//	                     other           tool_use
//	none                 our stop        end_turn
//	                     other           the same
func (c callsRead) stopReason(stop messages.Stop, sequence string, ours bool) (messages.Stop, string) {
	switch {
	case c.incomplete && (stop == messages.StopEndTurn || ours):
		return messages.StopMaxTokens, ""
	case c.incomplete:
		return stop, sequence
	case c.whole > 0 && (stop == messages.StopEndTurn || stop == messages.StopSequence || stop == messages.StopMaxTokens && c.closed):
		return messages.StopToolUse, ""
	case ours:
		return messages.StopEndTurn, ""
	case stop != messages.StopSequence:
		return stop, ""
	}
	return stop, sequence
}

// isOurs reports whether a stop sequence was that of the format. An upstream that does not say
// which one it met has met ours.
func (f *format) isOurs(stop messages.Stop, sequence string) bool {
	return stop == messages.StopSequence && (sequence == f.stopSequence || sequence == "")
}
