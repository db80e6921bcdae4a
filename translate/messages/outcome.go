package messages

import "dragoman/translate/rawjson"

// OutcomeKind is a value of the label outcome of the metric dragoman_tool_calls_total.
type OutcomeKind string

// How Dragoman read an attempted call. If two kinds apply, the first in this list counts.
// OutcomeLeaked is for text that only looks like a call, and OutcomeEmpty for a whole answer.
const (
	OutcomeContinued    OutcomeKind = "continued"     // a stop sequence cut the call inside a value, and the model continued it
	OutcomeRefused      OutcomeKind = "refused"       // complete, but Dragoman cannot return it as a call: its text stays in the answer
	OutcomeIncomplete   OutcomeKind = "incomplete"    // the upstream cut it: the message's stop_reason is not tool_use
	OutcomeUnknownTool  OutcomeKind = "unknown_tool"  // complete, but the tool was not offered
	OutcomeInvalid      OutcomeKind = "invalid"       // complete, but the parameters do not fit the tool: the client gets it anyway
	OutcomeTypeFallback OutcomeKind = "type_fallback" // a value does not fit its schema: text stays a string, and JSON stays as it is
	OutcomeRepaired     OutcomeKind = "repaired"      // malformed, but unambiguous
	OutcomeClean        OutcomeKind = "clean"         // in the documented form
	OutcomeLeaked       OutcomeKind = "leaked"        // text that looks like a call: it stays text or, if tool_choice allows no call, is left out
	OutcomeEmpty        OutcomeKind = "empty"         // no call: the model ended its answer without text and without a call
)

// OutcomeKinds are all kinds.
var OutcomeKinds = []OutcomeKind{
	OutcomeContinued, OutcomeRefused, OutcomeIncomplete, OutcomeUnknownTool, OutcomeInvalid,
	OutcomeTypeFallback, OutcomeRepaired, OutcomeClean, OutcomeLeaked, OutcomeEmpty,
}

// Outcome is how Dragoman read one attempted call.
type Outcome struct {
	Kind   OutcomeKind
	Tool   string // "" if the call has no name
	Reason Reason // why it is not clean
	// Unread: the model wrote the whole call, but Dragoman could not read it.
	Unread bool
	// InText: the call has no block. It is text of the answer, or is left out.
	InText bool
	// FromServer: the upstream's server read the call; this package did not find it in text.
	FromServer bool
}

// AppendOutcomes appends outcomes to dst as a JSON list of {"kind":…,"tool":…,"reason":…}. If the
// call has no name, tool is null.
func AppendOutcomes(dst []byte, outcomes []Outcome) []byte {
	dst = append(dst, '[')
	for i, o := range outcomes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendString(append(dst, `{"kind":`...), string(o.Kind))
		dst = rawjson.AppendNullable(append(dst, `,"tool":`...), o.Tool)
		dst = rawjson.AppendString(append(dst, `,"reason":`...), o.Reason.String())
		dst = append(dst, '}')
	}
	return append(dst, ']')
}
