package answer

import (
	"dragoman/translate/messages"
)

// callsRead is what was read of the calls of one message.
type callsRead struct {
	unclosed   bool // the last has a value without a closing tag
	opened     bool // the block of a call was opened
	refused    bool // one was refused: it is text
	whole      int  // how many calls are whole
	closed     bool // the end of all calls was read, so that no text cut after it can cut a call
	fromServer bool // the server has read one
	incomplete bool // the last call is not whole: it was cut, if only in its opening, or is doubtful
}

// stopReason returns the stop_reason and the stop_sequence that the client is told. It is the only
// place where they are decided. stop and sequence are what the upstream said. ours says that the
// upstream stopped at our stop sequence, which is after the calls, or may have: see IsOurs. Where it
// stopped at the marker of a human turn, which is a wire's own and not the client's, it has said
// end_turn (readStop).
//
//	calls                upstream says   client is told
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
