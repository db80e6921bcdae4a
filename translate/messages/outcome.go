package messages

import "dragoman/translate/rawjson"

// OutcomeKind is a value of the label outcome of the metric dragoman_tool_calls_total.
type OutcomeKind string

// The ways in which an attempted call was read. If two apply to a call, it has the one that stands
// first here. OutcomeLeaked is of text that is no call.
const (
	OutcomeContinued    OutcomeKind = "continued"     // cut by a stop sequence inside a value, and continued
	OutcomeRefused      OutcomeKind = "refused"       // written to its end, but not a call for the client: its text stays in the answer
	OutcomeIncomplete   OutcomeKind = "incomplete"    // cut by the upstream: the message's stop_reason is not tool_use
	OutcomeUnknownTool  OutcomeKind = "unknown_tool"  // whole, and to a tool that was not offered
	OutcomeInvalid      OutcomeKind = "invalid"       // whole, but its parameters do not fit the tool: the client gets it all the same
	OutcomeTypeFallback OutcomeKind = "type_fallback" // a value did not fit its schema and was kept as a string
	OutcomeRepaired     OutcomeKind = "repaired"      // malformed, but with one meaning
	OutcomeClean        OutcomeKind = "clean"         // in the documented form
	OutcomeLeaked       OutcomeKind = "leaked"        // text in the shape of a call: it is text of the answer or, where tool_choice lets no call come, left out
)

// OutcomeKinds are all kinds.
var OutcomeKinds = []OutcomeKind{
	OutcomeContinued, OutcomeRefused, OutcomeIncomplete, OutcomeUnknownTool, OutcomeInvalid,
	OutcomeTypeFallback, OutcomeRepaired, OutcomeClean, OutcomeLeaked,
}

// Outcome is how one attempted call was read.
type Outcome struct {
	Kind   OutcomeKind
	Tool   string // "" if the name was never known
	Reason string // why it is not clean: one of Reasons; "" for ReasonNone
	// Unread says that the model had written the call to its end, and that it could not be read.
	Unread bool
	// InText says that the call has no block: it is text of the answer, or no part of it.
	InText bool
	// FromServer says that the server has read the call, and not this package from the text.
	FromServer bool
}

// AppendOutcomes appends outcomes to dst as JSON, a list of {"kind":…,"tool":…,"reason":…}: tool is null if
// the name was never known.
func AppendOutcomes(dst []byte, outcomes []Outcome) []byte {
	dst = append(dst, '[')
	for i, o := range outcomes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendString(append(dst, `{"kind":`...), string(o.Kind))
		dst = rawjson.AppendNullable(append(dst, `,"tool":`...), o.Tool)
		dst = rawjson.AppendString(append(dst, `,"reason":`...), o.ReasonLabel())
		dst = append(dst, '}')
	}
	return append(dst, ']')
}
