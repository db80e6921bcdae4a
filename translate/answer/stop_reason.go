package answer

import (
	"dragoman/translate/messages"
)

// callsRead sums up the calls of one message.
type callsRead struct {
	unclosed    bool // the last call has a value without a closing tag
	opened      bool // a tool_use block was opened
	refused     bool // a call was refused and became text
	searched    int  // number of bytes that searches may have read: see maySearch
	whole       int  // number of complete calls
	closed      bool // the end of all calls was read, so a cut after it does not affect them
	fromServer  bool // the server has read a call
	cutByServer bool // the last call is from the server, and incomplete
	incomplete  bool // the last call is incomplete: it was cut off, maybe in its opening, or is doubtful
}

// stopReason returns the stop_reason and the stop_sequence for the client. No other function decides them.
// The upstream has reported stop and sequence. ours: the upstream stopped at our stop sequence, which comes
// after the calls, or may have done so: see IsOurs. If the upstream stopped at a human-turn marker that
// only the wire has set, readStop has already turned that into end_turn.
//
//	calls          upstream reports   client gets
//	incomplete     client's stop      stop_sequence
//	               our stop, end      max_tokens: only this reason tells clients
//	                                  that a tool's input may be cut off
//	               other              the same
//	complete       max_tokens         max_tokens, or tool_use if the end of the calls was read
//	               refusal, …         the same
//	               other              tool_use
//	none           our stop           end_turn
//	               other              the same
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
