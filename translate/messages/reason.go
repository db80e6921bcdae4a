package messages

import "fmt"

// Reason says why the outcome of a call is not clean. The table reasons has a row for each reason, and Dragoman gives no
// other reason.
type Reason uint8

// The reasons.
const (
	ReasonNone                 Reason = iota // a clean call, or a kind that needs no reason
	ReasonMissingParameters                  // invalid: a required parameter is missing
	ReasonUndeclaredParameters               // invalid: the tool does not allow one of the parameters, or declares none of them
	ReasonExampleCopied                      // invalid: a value is copied from the example call, and occurs nowhere else in the conversation
	ReasonNoArgumentsRead                    // refused: the tool requires a parameter, but the call has nothing readable as one
	ReasonAmbiguous                          // refused: the call has two possible readings
	ReasonNoToolFits                         // refused: no tool has this name
	ReasonLostByServer                       // refused: the server took the call out of the text, but returned no call
	ReasonDiscussed                          // leaked: text about calls
	ReasonQuoted                             // leaked: a quoted call
	ReasonThinking                           // leaked: a call in thinking, without a call after the thinking
	ReasonEcho                               // leaked: a copy of the example call in the prompt
	ReasonOtherFormat                        // leaked: a call in a format that Dragoman does not read here
	ReasonRepeated                           // the call came again, although its result stands directly before it

	// Slips: deviations from the format.

	ReasonArgumentKey
	ReasonAskedAgain
	ReasonAttributes
	ReasonBareCall
	ReasonBareToolName
	ReasonCutValue
	ReasonDuplicateParameter
	ReasonExtraElement
	ReasonFencedJSON
	ReasonIncomplete
	ReasonInvalidJSON
	ReasonInvalidLiteral
	ReasonInventedResults
	ReasonJSONCall
	ReasonJSONString
	ReasonMendedJSON
	ReasonMissingBrace
	ReasonMissingCloser
	ReasonMissingComma
	ReasonMissingInput
	ReasonMissingOpener
	ReasonMissingSeparator
	ReasonNameCase
	ReasonNameFirst
	ReasonNoArguments
	ReasonNoParametersTag
	ReasonQuotedCall
	ReasonRanOn
	ReasonRestarted
	ReasonSchemaShape
	ReasonSingleItem
	ReasonStrayCloser
	ReasonStrayText
	ReasonTagBracket
	ReasonTagSpelling
	ReasonTooLong
	ReasonToolChoice
	ReasonToolName
	ReasonType
	ReasonUnquotedValue
	ReasonWrongCloser
	ReasonWrongOpener
	ReasonWrongOrder

	reasonCount = iota
)

// reasons are the names of all reasons, with a sentence about each.
var reasons = [reasonCount]struct{ name, about string }{
	ReasonNone: {"none", ""},

	ReasonMissingParameters:    {"missing_parameters", "A parameter that the tool requires is missing."},
	ReasonUndeclaredParameters: {"undeclared_parameters", "The call has a parameter that the tool does not allow, or no declared parameter at all."},
	ReasonExampleCopied:        {"example_copied", "The call has a value of the example call in the prompt."},
	ReasonNoArgumentsRead:      {"no_arguments_read", "The tool requires a parameter, and nothing in the call can be read as one."},
	ReasonAmbiguous:            {"ambiguous", "The call can be read in two ways, and they differ."},
	ReasonNoToolFits:           {"no_tool_fits", "The name in the call is not the name of an offered tool."},
	ReasonLostByServer:         {"lost_by_server", "The model's server took the call out of the text, but returned no call."},
	ReasonDiscussed:            {"discussed", "The model wrote about a call: other text surrounds it."},
	ReasonQuoted:               {"quoted", "The call is in a Markdown code fence, so Dragoman treats it as a quotation."},
	ReasonThinking:             {"thinking", "The call is in the model's thinking, and the model made no call after it."},
	ReasonEcho:                 {"echo", "The model copied the example call of the prompt."},
	ReasonOtherFormat:          {"other_format", "The call is in a format that Dragoman does not read for this model."},
	ReasonRepeated:             {"repeated", "The model made the same call again, directly after its result."},

	ReasonArgumentKey:        {"argument_key", "The arguments are under another key than the format's."},
	ReasonAskedAgain:         {"asked_again", "The model was asked again, and did not write this call again."},
	ReasonAttributes:         {"attributes", "A tag of the call has attributes that Dragoman does not know."},
	ReasonBareCall:           {"bare_call", "The call has no wrapper, although its format requires one."},
	ReasonBareToolName:       {"bare_tool_name", "The tag of the call is the name of the tool itself."},
	ReasonCutValue:           {"cut_value", "The answer ends inside a value of the call."},
	ReasonDuplicateParameter: {"duplicate_parameter", "The call has the same parameter twice."},
	ReasonExtraElement:       {"extra_element", "The call has an element that is not part of the format."},
	ReasonFencedJSON:         {"fenced_json", "The arguments are JSON in a Markdown code fence."},
	ReasonIncomplete:         {"incomplete", "The text ends, or continues with something else, before the call is complete."},
	ReasonInvalidJSON:        {"invalid_json", "The arguments are not valid JSON."},
	ReasonInvalidLiteral:     {"invalid_literal", "The arguments cannot be read as values of the format."},
	ReasonInventedResults:    {"invented_results", "The model continued and invented the results of its calls."},
	ReasonJSONCall:           {"json_call", "The call is JSON where the format has tags."},
	ReasonJSONString:         {"json_string", "The arguments are a string that holds JSON."},
	ReasonMendedJSON:         {"mended_json", "The arguments are JSON with a mistake."},
	ReasonMissingBrace:       {"missing_brace", "A brace of the JSON is missing."},
	ReasonMissingCloser:      {"missing_closer", "A closing tag of the call is missing."},
	ReasonMissingComma:       {"missing_comma", "A comma of the JSON is missing."},
	ReasonMissingInput:       {"missing_input", "The call has no arguments."},
	ReasonMissingOpener:      {"missing_opener", "An opening tag of the call is missing."},
	ReasonMissingSeparator:   {"missing_separator", "The tag between two parts of the call is missing."},
	ReasonNameCase:           {"name_case", "The name differs from the tool's name in upper and lower case."},
	ReasonNameFirst:          {"name_first", "The name of the tool comes before the call."},
	ReasonNoArguments:        {"no_arguments", "The arguments are beside the name of the tool, without a key of their own."},
	ReasonNoParametersTag:    {"no_parameters_tag", "The tag around the parameters is missing."},
	ReasonQuotedCall:         {"quoted_call", "The call is in a Markdown code fence."},
	ReasonRanOn:              {"ran_on", "The model kept writing after its calls."},
	ReasonRestarted:          {"restarted", "The model began the call again."},
	ReasonSchemaShape:        {"schema_shape", "The arguments have the shape of a schema, with the values in place of the properties."},
	ReasonSingleItem:         {"single_item", "The call has a single value where the schema has a list."},
	ReasonStrayCloser:        {"stray_closer", "The call has a closing tag that nothing opened."},
	ReasonStrayText:          {"stray_text", "The call has text where the format allows none."},
	ReasonTagBracket:         {"tag_bracket", "A tag of the call lacks a bracket."},
	ReasonTagSpelling:        {"tag_spelling", "A tag of the call is misspelt: it has another name or other signs."},
	ReasonTooLong:            {"too_long", "The call is too long for Dragoman to hold back, or has too many parameters."},
	ReasonToolChoice:         {"tool_choice", "The request's tool_choice does not allow a call of this tool."},
	ReasonToolName:           {"tool_name", "The name of the tool cannot be read."},
	ReasonType:               {"type", "A value does not fit the type in the schema."},
	ReasonUnquotedValue:      {"unquoted_value", "A value of the JSON lacks its quotes."},
	ReasonWrongCloser:        {"wrong_closer", "A closing tag belongs to another element than the open one."},
	ReasonWrongOpener:        {"wrong_opener", "An opening tag is not part of the format."},
	ReasonWrongOrder:         {"wrong_order", "Parts of the call are in the wrong order."},
}

// String returns the name of the reason, as it appears in metrics and logs.
func (r Reason) String() string { return reasons[r].name }

// MarshalText returns the name, for JSON.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText is the reverse of MarshalText.
func (r *Reason) UnmarshalText(name []byte) error {
	for _, known := range Reasons() {
		if known.String() == string(name) {
			*r = known
			return nil
		}
	}
	return fmt.Errorf("unknown reason %q", name)
}

// About returns a sentence that explains the reason; "" for ReasonNone.
func (r Reason) About() string { return reasons[r].about }

// Reasons are all reasons, in the order of the table.
func Reasons() (list []Reason) {
	for r := range Reason(reasonCount) {
		list = append(list, r)
	}
	return list
}
