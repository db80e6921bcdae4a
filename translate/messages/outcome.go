package messages

import (
	"slices"

	"dragoman/translate/rawjson"
)

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

// The reasons of outcomes that are no names of slips.
const (
	ReasonNone                 = "none"                  // of a clean call, and where there is nothing to add to the kind
	ReasonMissingParameters    = "missing_parameters"    // invalid: a required parameter is missing
	ReasonUndeclaredParameters = "undeclared_parameters" // invalid: a parameter that the tool does not allow, or none that it declares
	ReasonExampleCopied        = "example_copied"        // invalid: a value of the example call, which stands nowhere else in the conversation
	ReasonNoArgumentsRead      = "no_arguments_read"     // refused: the tool requires a parameter, and nothing was read of what stands in the call
	ReasonAmbiguous            = "ambiguous"             // refused: the call can be read in two ways
	ReasonNoToolFits           = "no_tool_fits"          // refused: the name is not one of a tool
	ReasonLostByServer         = "lost_by_server"        // refused: the server took the call out of the text, and gave none
	ReasonDiscussed            = "discussed"             // leaked: a text about calls
	ReasonQuoted               = "quoted"                // leaked: a call in a quotation
	ReasonEcho                 = "echo"                  // leaked: the example call, as it stands in the prompt
	ReasonThinking             = "thinking"              // leaked: a call in thinking, and the model made none behind it
	ReasonOther                = "other"                 // a reason that is not in Reasons
)

// Reasons are all reasons that an outcome may have in a metric: those above, and the names of slips.
// No other comes from this project.
var Reasons = []string{
	ReasonNone, ReasonMissingParameters, ReasonUndeclaredParameters, ReasonExampleCopied, ReasonNoArgumentsRead, ReasonAmbiguous,
	ReasonNoToolFits, ReasonLostByServer, ReasonDiscussed, ReasonQuoted, ReasonEcho, ReasonThinking,
	"argument_key", "asked_again", "attributes", "bare_call", "bare_tool_name", "cut_value", "duplicate_parameter", "extra_element", "fenced_json",
	"incomplete", "invalid_json", "invalid_literal", "invented_results", "json_call", "json_string", "mended_json", "missing_brace",
	"missing_closer", "missing_comma", "missing_input", "name_case", "name_first", "no_arguments", "no_parameters_tag", "quoted_call",
	"ran_on", "restarted", "schema_shape", "single_item", "stray_closer", "stray_text", "tag_bracket", "too_long", "tool_choice", "tool_name", "type",
	"unquoted_value", "wrong_closer", "wrong_opener", "wrong_order",
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

// ReasonLabel returns the reason as it stands in a metric, in the log and for people: a member of
// Reasons, or ReasonOther.
func (o Outcome) ReasonLabel() string {
	switch {
	case o.Reason == "":
		return ReasonNone
	case slices.Contains(Reasons, o.Reason):
		return o.Reason
	}
	return ReasonOther
}
