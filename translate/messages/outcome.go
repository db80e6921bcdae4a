package messages

// OutcomeKind is a value of the label outcome of the metric dragoman_tool_calls_total.
type OutcomeKind string

// The ways in which an attempted call was read.
const (
	OutcomeClean        OutcomeKind = "clean"         // in the documented form
	OutcomeRepaired     OutcomeKind = "repaired"      // malformed, but with one meaning
	OutcomeUnknownTool  OutcomeKind = "unknown_tool"  // whole, and to a tool that was not offered
	OutcomeIncomplete   OutcomeKind = "incomplete"    // not read to its end: the message's stop_reason is not tool_use
	OutcomeTypeFallback OutcomeKind = "type_fallback" // a value did not fit its schema and was kept as a string
	OutcomeContinued    OutcomeKind = "continued"     // cut by a stop sequence inside a value, and continued
	OutcomeLeaked       OutcomeKind = "leaked"        // not read as a call: its markup is text of the answer or, where tool_choice lets no call come, left out
)

// Outcome is how one attempted call was read.
type Outcome struct {
	Kind   OutcomeKind
	Tool   string // "" if the name was never known
	Reason string // why it is not clean, a short constant such as "missing_closer"; "" if it is
	// Unread says that the model had written the call to its end, and that it could not be read.
	Unread bool
}
