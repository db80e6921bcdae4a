package held

import (
	"math/bits"
)

// Slip is a deviation from the form of a call in tags.
type Slip uint8

// The slips of calls in tags.
const (
	MissingCloser  Slip = iota // a value is not closed
	WrongCloser                // a value is closed by another tag
	StrayText                  // text stands where only tags belong
	StrayCloser                // a closing tag closes nothing
	TagInValue                 // a closing tag of the call is text of a value, where it could be the call's
	OpenerInValue              // an opening tag is
	Misfit                     // a value is not of its type
	GivenTwice                 // a parameter is given again
	Undeclared                 // a parameter is not declared
	OpenParameters             // </parameters> is missing
	OpenCall                   // the end of the call is missing
	QuotedTag                  // a tag of the call stands where a text would speak of it
	Restarted                  // the opening tag of a parameter stands twice
	Outside                    // a tag of a parameter stands behind the call
	Lacking                    // the call ends without a parameter that the tool requires
	slipCount      = iota
)

// Slips has what there is to know of each slip.
var Slips = [slipCount]struct {
	Name    string // the reason of the outcome
	About   string // what the model did
	Example string // in the attribute format, of a tool with the strings a and b
}{
	MissingCloser:  {"missing_closer", "a value has no closing tag: the tag of the next parameter, or the end of the call, ends it", "<parameter name=\"a\">1\n<parameter name=\"b\">2</parameter>\n</invoke>"},
	WrongCloser:    {"wrong_closer", "a value is closed by another tag, behind which only the next parameter or the end of the call can stand", "<parameter name=\"a\">1</a>\n<parameter name=\"b\">2</parameter>\n</invoke>"},
	StrayText:      {"stray_text", "text stands between parameters", "<parameter name=\"a\">1</parameter>\nand\n<parameter name=\"b\">2</parameter>\n</invoke>"},
	StrayCloser:    {"stray_closer", "a closing tag stands between parameters", "<parameter name=\"a\">1</parameter>\n</div>\n<parameter name=\"b\">2</parameter>\n</invoke>"},
	TagInValue:     {"tag_in_value", "a value holds an unpaired closing tag of the call where the call could go on", "<parameter name=\"a\">1</parameter>\n2</parameter>\n</invoke>"},
	OpenerInValue:  {"tag_in_value", "a value holds an opening tag of the call, which nothing closes, where the call could go on", "<parameter name=\"a\">1\n<parameter name=\"b\">\n</parameter>\n<parameter name=\"b\">2</parameter>\n</invoke>"},
	Misfit:         {"type", "a value is not of its type", ""},
	GivenTwice:     {"duplicate_parameter", "a parameter is given again", ""},
	Undeclared:     {"undeclared_parameters", "a parameter is not one of the tool's", ""},
	OpenParameters: {"missing_closer", "the parameters have no closing tag", ""},
	OpenCall:       {"missing_closer", "the call has no closing tag", ""},
	Restarted:      {"restarted", "the opening tag of a parameter stands twice, one right behind the other", "<parameter name=\"a\"><parameter name=\"a\">1</parameter>\n<parameter name=\"b\">2</parameter>\n</invoke>"},
	Outside:        {"stray_text", "a tag of a parameter stands behind the end of the call", ""},
	Lacking:        {"missing_parameters", "the call ends without a parameter that the tool requires", ""},
	QuotedTag:      {"stray_text", "a tag of the call stands within a line of text", ""},
}

// MaxSlips is how many kinds of slips a reading may have. Models have habits: a slip that repeats counts once.
const MaxSlips = 2

// slipSet is a set of slips.
type slipSet uint16

// with returns the set with a slip, if it is one.
func (s slipSet) with(slip Slip, is bool) slipSet {
	if is {
		return s | 1<<slip
	}
	return s
}

func (s slipSet) len() int { return bits.OnesCount16(uint16(s)) }
