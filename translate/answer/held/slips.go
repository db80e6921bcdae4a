package held

import (
	"math/bits"

	"dragoman/translate/messages"
)

// Slip is a deviation from the form of a call in tags.
type Slip uint8

// The slips of calls in tags.
const (
	MissingCloser  Slip = iota // a value is not closed
	WrongCloser                // another tag closes a value
	StrayText                  // text is in a place where only tags belong
	StrayCloser                // a closing tag closes nothing
	TagInValue                 // a value contains a closing tag of the call, where the call could go on
	OpenerInValue              // a value contains an opening tag of the call, where the call could go on
	CallInValue                // a value contains the beginning of another call, and not its end
	Misfit                     // a value does not fit its type
	GivenTwice                 // a parameter is given twice
	Undeclared                 // a parameter is not declared
	OpenParameters             // </parameters> is missing
	OpenCall                   // the end of the call is missing
	QuotedTag                  // a tag of the call is in a place where text would mention it
	Restarted                  // the opening tag of a parameter is written twice
	Outside                    // a tag of a parameter follows the call
	Lacking                    // the call ends without a required parameter
	slipCount      = iota
)

// Slips describes each slip.
var Slips = [slipCount]struct {
	Name    messages.Reason // the reason of the outcome; ReasonNone if the value is what the model meant
	About   string          // what the model did
	Example string          // in the attribute format, for a tool with the string parameters a and b
}{
	MissingCloser:  {messages.ReasonMissingCloser, "a value has no closing tag: the next parameter, or the end of the call, ends it", "<parameter name=\"a\">1\n<parameter name=\"b\">2</parameter>\n</invoke>"},
	WrongCloser:    {messages.ReasonWrongCloser, "another tag closes a value, and only the next parameter or the end of the call can follow that tag", "<parameter name=\"a\">1</a>\n<parameter name=\"b\">2</parameter>\n</invoke>"},
	StrayText:      {messages.ReasonStrayText, "there is text between parameters", "<parameter name=\"a\">1</parameter>\nand\n<parameter name=\"b\">2</parameter>\n</invoke>"},
	StrayCloser:    {messages.ReasonStrayCloser, "there is a closing tag between parameters", "<parameter name=\"a\">1</parameter>\n</div>\n<parameter name=\"b\">2</parameter>\n</invoke>"},
	TagInValue:     {messages.ReasonNone, "a value contains an unpaired closing tag of the call, where the call could go on", "<parameter name=\"a\">1</parameter>\n2</parameter>\n</invoke>"},
	OpenerInValue:  {messages.ReasonNone, "a value contains an unpaired opening tag of the call, where the call could go on", "<parameter name=\"a\">1\n<parameter name=\"b\">\n</parameter>\n<parameter name=\"b\">2</parameter>\n</invoke>"},
	CallInValue:    {messages.ReasonNone, "a value contains the beginning of another call, and not its end", ""},
	Misfit:         {messages.ReasonType, "a value does not fit its type", ""},
	GivenTwice:     {messages.ReasonDuplicateParameter, "a parameter is given twice", ""},
	Undeclared:     {messages.ReasonUndeclaredParameters, "the tool does not declare a parameter of the call", ""},
	OpenParameters: {messages.ReasonMissingCloser, "the parameters have no closing tag", ""},
	OpenCall:       {messages.ReasonMissingCloser, "the call has no closing tag", ""},
	Restarted:      {messages.ReasonRestarted, "the opening tag of a parameter is written twice in a row", "<parameter name=\"a\"><parameter name=\"a\">1</parameter>\n<parameter name=\"b\">2</parameter>\n</invoke>"},
	Outside:        {messages.ReasonStrayText, "a tag of a parameter follows the end of the call", ""},
	Lacking:        {messages.ReasonMissingParameters, "the call ends without a parameter that the tool requires", ""},
	QuotedTag:      {messages.ReasonStrayText, "a tag of the call is inside a line of text", ""},
}

// MaxSlips is the maximum number of kinds of slips in a reading. A repeated slip counts once, because models have
// habits.
const MaxSlips = 2

// slipSet is a set of slips.
type slipSet uint16

// with returns the set with slip added, if is is true.
func (s slipSet) with(slip Slip, is bool) slipSet {
	if is {
		return s | 1<<slip
	}
	return s
}

func (s slipSet) len() int { return bits.OnesCount16(uint16(s)) }
