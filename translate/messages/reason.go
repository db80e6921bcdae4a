package messages

import "slices"

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
	ReasonOtherFormat          = "other_format"          // leaked: a call in a format that is not read
	ReasonOther                = "other"                 // a reason that is not in Reasons
)

// reasons are all reasons, but for those that say nothing, with what each says of a call. The first are
// those of the kinds; the others are slips: how a model has deviated from the format.
var reasons = []struct{ name, about string }{
	{ReasonMissingParameters, "A parameter that the tool requires is missing."},
	{ReasonUndeclaredParameters, "The call has a parameter that the tool does not declare."},
	{ReasonExampleCopied, "The call has a value of the example call in the prompt."},
	{ReasonNoArgumentsRead, "The tool requires a parameter, and nothing in the call can be read as one."},
	{ReasonAmbiguous, "The call can be read in two ways, and they differ."},
	{ReasonNoToolFits, "The name in the call is not the name of an offered tool."},
	{ReasonLostByServer, "The model's server took the call out of the text, and passed no call on."},
	{ReasonDiscussed, "The model wrote about a call: other text surrounds it."},
	{ReasonQuoted, "The call is in a Markdown code fence: Dragoman takes it for a quotation."},
	{ReasonThinking, "The call is in the model's thinking, and the model made no call after it."},
	{ReasonEcho, "The model copied the example call of the prompt."},
	{ReasonOtherFormat, "The call is in a format that Dragoman was not told to read here."},

	{"argument_key", "The arguments stand under another key than the format's."},
	{"asked_again", "The model was asked again, and did not write this call again."},
	{"attributes", "A tag of the call has attributes that Dragoman does not know."},
	{"bare_call", "The call has no wrapper, although its format requires one."},
	{"bare_tool_name", "The tag of the call is the name of the tool itself."},
	{"cut_value", "The answer ends within a value of the call."},
	{"duplicate_parameter", "The call has the same parameter twice."},
	{"extra_element", "The call has an element that is not part of the format."},
	{"fenced_json", "The arguments are JSON in a Markdown code fence."},
	{"incomplete", "The text ends, or goes on with something else, before the call does."},
	{"invalid_json", "The arguments are not valid JSON."},
	{"invalid_literal", "The arguments cannot be read as values of the format."},
	{"invented_results", "The model went on and invented the results of its calls."},
	{"json_call", "The call is JSON where the format has tags."},
	{"json_string", "The arguments are a string that holds JSON."},
	{"mended_json", "The arguments are JSON with a mistake."},
	{"missing_brace", "A brace of the JSON is missing."},
	{"missing_closer", "A closing tag of the call is missing."},
	{"missing_comma", "A comma of the JSON is missing."},
	{"missing_input", "The call has no arguments."},
	{"name_case", "The name of the tool has other capitals than the tool."},
	{"name_first", "The name of the tool stands before the call."},
	{"no_arguments", "The call has no arguments."},
	{"no_parameters_tag", "The tag around the parameters is missing."},
	{"quoted_call", "The call is in a Markdown code fence."},
	{"ran_on", "The model wrote on after its calls."},
	{"restarted", "The model began the call again."},
	{"schema_shape", "The arguments have the shape of a schema, with the values in place of the properties."},
	{"single_item", "A value stands alone where a list is declared."},
	{"stray_closer", "The call has a closing tag that nothing opened."},
	{"stray_text", "Text stands in the call where none can be."},
	{"tag_bracket", "A tag of the call lacks a bracket."},
	{"too_long", "The call is longer than Dragoman holds back, or has more parameters."},
	{"tool_choice", "The request's tool_choice lets no call of this tool come."},
	{"tool_name", "The name of the tool cannot be read."},
	{"type", "A value does not fit its type."},
	{"unquoted_value", "A value of the JSON lacks its quotes."},
	{"wrong_closer", "A closing tag is of another element than the one that is open."},
	{"wrong_opener", "An opening tag is not one of the format."},
	{"wrong_order", "Parts of the call stand in the wrong order."},
}

// Reasons are all reasons that an outcome may have in a metric. No other comes from this project.
var Reasons = func() []string {
	names := []string{ReasonNone}
	for _, r := range reasons {
		names = append(names, r.name)
	}
	return names
}()

// AboutReason returns what a reason says of a call, in a sentence; "" if it says nothing, or is none of Reasons.
func AboutReason(name string) string {
	for _, r := range reasons {
		if r.name == name {
			return r.about
		}
	}
	return ""
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
