package messages

// OutcomeKind is a value of the label outcome of dragoman_tool_calls_total.
type OutcomeKind string

// How a call can be read.
const (
	OutcomeClean        OutcomeKind = "clean"         // as documented
	OutcomeRepaired     OutcomeKind = "repaired"      // malformed, but the meaning was certain
	OutcomeUnknownTool  OutcomeKind = "unknown_tool"  // whole, to a tool that was not offered
	OutcomeIncomplete   OutcomeKind = "incomplete"    // ended before its end; the message's stop_reason is not tool_use
	OutcomeTypeFallback OutcomeKind = "type_fallback" // a value did not fit its schema and was kept as a string
	OutcomeContinued    OutcomeKind = "continued"     // a stop sequence inside a value was recovered from
	OutcomeLeaked       OutcomeKind = "leaked"        // markup of a call given back as text
)

// Outcome is how one call was read, and why not clean.
type Outcome struct {
	Kind   OutcomeKind
	Tool   string // "" if the name was never known
	Reason string // a short constant, such as "missing_closer"; "" if clean
	// Unread says that the model had ended the call, and that it could not be read.
	Unread bool
}
