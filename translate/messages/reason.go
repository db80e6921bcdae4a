package messages

import "slices"

// The reasons that are not names of slips.
const (
	ReasonNone                 = "none"                  // a clean call, or a kind that needs no reason
	ReasonMissingParameters    = "missing_parameters"    // invalid: a required parameter is missing
	ReasonUndeclaredParameters = "undeclared_parameters" // invalid: the tool does not allow one of the parameters, or declares none of them
	ReasonExampleCopied        = "example_copied"        // invalid: a value is copied from the example call, and occurs nowhere else in the conversation
	ReasonNoArgumentsRead      = "no_arguments_read"     // refused: the tool requires a parameter, but the call has nothing readable as one
	ReasonAmbiguous            = "ambiguous"             // refused: the call has two possible readings
	ReasonNoToolFits           = "no_tool_fits"          // refused: no tool has this name
	ReasonLostByServer         = "lost_by_server"        // refused: the server took the call out of the text, but returned no call
	ReasonDiscussed            = "discussed"             // leaked: text about calls
	ReasonQuoted               = "quoted"                // leaked: a quoted call
	ReasonEcho                 = "echo"                  // leaked: a copy of the example call in the prompt
	ReasonThinking             = "thinking"              // leaked: a call in thinking, without a call after the thinking
	ReasonOtherFormat          = "other_format"          // leaked: a call in a format that Dragoman does not read here
	ReasonRepeated             = "repeated"              // the call came again, although its result stands directly before it
	ReasonOther                = "other"                 // a reason that is not in Reasons
)

// reasons are all reasons but ReasonNone and ReasonOther, with a sentence about each. The first are
// the constants above. The others are slips: deviations from the format.
var reasons = []struct{ name, about string }{
	{ReasonMissingParameters, "A parameter that the tool requires is missing."},
	{ReasonUndeclaredParameters, "The call has a parameter that the tool does not declare."},
	{ReasonExampleCopied, "The call has a value of the example call in the prompt."},
	{ReasonNoArgumentsRead, "The tool requires a parameter, and nothing in the call can be read as one."},
	{ReasonAmbiguous, "The call can be read in two ways, and they differ."},
	{ReasonNoToolFits, "The name in the call is not the name of an offered tool."},
	{ReasonLostByServer, "The model's server took the call out of the text, but returned no call."},
	{ReasonDiscussed, "The model wrote about a call: other text surrounds it."},
	{ReasonQuoted, "The call is in a Markdown code fence, so Dragoman treats it as a quotation."},
	{ReasonThinking, "The call is in the model's thinking, and the model made no call after it."},
	{ReasonEcho, "The model copied the example call of the prompt."},
	{ReasonOtherFormat, "The call is in a format that Dragoman does not read for this model."},
	{ReasonRepeated, "The model made the same call again, directly after its result."},

	{"argument_key", "The arguments are under another key than the format's."},
	{"asked_again", "The model was asked again, and did not write this call again."},
	{"attributes", "A tag of the call has attributes that Dragoman does not know."},
	{"bare_call", "The call has no wrapper, although its format requires one."},
	{"bare_tool_name", "The tag of the call is the name of the tool itself."},
	{"cut_value", "The answer ends inside a value of the call."},
	{"duplicate_parameter", "The call has the same parameter twice."},
	{"extra_element", "The call has an element that is not part of the format."},
	{"fenced_json", "The arguments are JSON in a Markdown code fence."},
	{"incomplete", "The text ends, or continues with something else, before the call is complete."},
	{"invalid_json", "The arguments are not valid JSON."},
	{"invalid_literal", "The arguments cannot be read as values of the format."},
	{"invented_results", "The model continued and invented the results of its calls."},
	{"json_call", "The call is JSON where the format has tags."},
	{"json_string", "The arguments are a string that holds JSON."},
	{"mended_json", "The arguments are JSON with a mistake."},
	{"missing_brace", "A brace of the JSON is missing."},
	{"missing_closer", "A closing tag of the call is missing."},
	{"missing_comma", "A comma of the JSON is missing."},
	{"missing_input", "The call has no arguments."},
	{"missing_opener", "An opening tag of the call is missing."},
	{"missing_separator", "The tag between two parts of the call is missing."},
	{"name_case", "The name differs from the tool's name in upper and lower case."},
	{"name_first", "The name of the tool comes before the call."},
	{"no_arguments", "The call has no arguments."},
	{"no_parameters_tag", "The tag around the parameters is missing."},
	{"quoted_call", "The call is in a Markdown code fence."},
	{"ran_on", "The model kept writing after its calls."},
	{"restarted", "The model began the call again."},
	{"schema_shape", "The arguments have the shape of a schema, with the values in place of the properties."},
	{"single_item", "The call has a single value where the schema has a list."},
	{"stray_closer", "The call has a closing tag that nothing opened."},
	{"stray_text", "The call has text where the format allows none."},
	{"tag_bracket", "A tag of the call lacks a bracket."},
	{"tag_spelling", "A tag of the call is misspelt: it has another name or other signs."},
	{"too_long", "The call is too long for Dragoman to hold back, or has too many parameters."},
	{"tool_choice", "The request's tool_choice does not allow a call of this tool."},
	{"tool_name", "The name of the tool cannot be read."},
	{"type", "A value does not fit the type in the schema."},
	{"unquoted_value", "A value of the JSON lacks its quotes."},
	{"wrong_closer", "A closing tag belongs to another element than the open one."},
	{"wrong_opener", "An opening tag is not part of the format."},
	{"wrong_order", "Parts of the call are in the wrong order."},
}

// Reasons are all reasons that Dragoman gives. The metric has no others.
var Reasons = func() []string {
	names := []string{ReasonNone}
	for _, r := range reasons {
		names = append(names, r.name)
	}
	return names
}()

// AboutReason returns a sentence that explains a reason; "" for ReasonNone, ReasonOther and names
// that are not in Reasons.
func AboutReason(name string) string {
	for _, r := range reasons {
		if r.name == name {
			return r.about
		}
	}
	return ""
}

// ReasonLabel returns the reason as it appears in metrics and logs: a member of Reasons, or
// ReasonOther.
func (o Outcome) ReasonLabel() string {
	switch {
	case o.Reason == "":
		return ReasonNone
	case slices.Contains(Reasons, o.Reason):
		return o.Reason
	}
	return ReasonOther
}
