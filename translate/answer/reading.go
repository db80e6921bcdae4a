package answer

import (
	"dragoman/translate/format"
	"dragoman/translate/schema"
	"slices"
)

// The ways in which text can be read from a doubtful tag on, and what speaks against each.

// A reading is one way to read the text after a doubtful tag: which of the tags end values and begin
// others, and which are text. Its cost says how much in the text would be wrong if the model had
// meant it so: a closing tag that is missing, prose between parameters, half an element in a value.
// All readings are followed until one alone is left that costs least.
type reading struct {
	place   place
	cost    int
	wrapped bool // what has ended the call is the end of its wrapper
	abrupt  bool // the call has ended and its parameters have not
	ranOn   bool // the call has ended, and what follows is no call
	tied    bool // another reading that ends at the same place costs as much

	value openValue   // inside
	begun *begunParam // the parameters that have begun since the doubtful tag, the last first
	ends  *valueEnd   // of the values that have ended since, the last first
}

// callShape is what counts of the call that the readings are of.
type callShape struct {
	wrapperOpen    bool // it stands in a wrapper
	alone          bool // its format has no wrapper: other calls follow it, or the end of the text
	parametersOpen bool // <parameters> is open
	attributeForm  bool // it is <invoke name="…">
	closedTwice    bool // its format is one whose models close a value twice
	lines          bool // the opening tag of the first value stands on a line of its own
	padded         bool // … and its text begins on the next
	anyName        bool // the tool declares no parameter, so that one may have any name
}

// place says where a reading is, after the last tag.
type place uint8

const (
	inside  place = iota // in a value
	between              // between parameters
	after                // after </parameters>
	ending               // after </invoke> or the end of the wrapper
	ended                // after the end of the call
)

// openValue is a value that is open in a reading.
type openValue struct {
	property string
	closer   string // the name of its closing tag
	element  bool   // it stands in <tag>, and not in <parameter name="tag">
	schema   *schema.Schema
	from     int  // where its text begins in all that was fed; of the first value, the doubtful tag
	first    bool // it is the value with the doubtful tag
	empty    bool // … which stands at its beginning

	// The elements in it.
	tags       format.OpenTags // those that are open
	seen       format.ByteSet  // the first bytes of the names of the others that were opened
	whole      int             // how many elements of other parameters were opened and closed
	wholeAfter int             // how many of them were closed after a closing tag of the value's own name
	passed     bool            // it holds a closing tag of its own name that closes nothing
	ownWhole   bool            // … and one that closes an element
	holdsEnd   bool            // it holds the end of a call, if this is text
	endAt      int             // where that ends in all that was fed
	structure  bool            // it holds tags of a call's structure, if they are text
	fenced     bool            // its opening tag stands in a code fence of the value before it
	maybe      bool            // it holds tags that may be those of parameters which the tool does not declare
	unopened   format.ByteSet  // the first bytes of the names of such elements that are closed and were not opened
	crossed    bool            // one of them is opened after that, as the closing tags of two values do that are swapped

	// A list whose elements stand each in a parameter: <p>1</p><p>2</p>.
	item     bool // its last tag may end an element of such a list: the next tag tells
	itemCost int  // what was added for that tag as text, beside costOwn: taken off if the list goes on
	itemFrom int  // where the text of its last element begins

	// Its text, if its type is no string.
	json     jsonText // how far its JSON is, if it is JSON
	jsonTo   int      // how far the held text was followed as JSON, which is not to be done again
	complete bool     // the text is a whole value of the type
}

// begunParam is a parameter that a reading has begun.
type begunParam struct {
	property string
	before   *begunParam
}

// valueEnd is the end of a value, as a reading has it.
type valueEnd struct {
	from      int    // where the text of the value begins in all that was fed; of the first value, the doubtful tag
	at, len   int    // where its closing tag stands in all that was fed, and how long it is; 0 if it is missing
	reason    string // why the outcome of the call is not clean, "" if this end is as it should be
	cost      int    // of the reading, with this end
	doubtful  bool   // the value is: see openValue.isDoubtful
	markup    bool   // it holds markup that is not whole: see openValue.holdsMarkup
	ours      bool   // its closing tag has, or would have, the name of one of the call
	structure bool   // it holds tags of a call's structure, as text
	own       bool   // it is the value's own closing tag, and closes no element in the value
	opener    bool   // it is an opening tag, in place of the closing one
	lost      bool   // text follows that, which may be a value
	before    *valueEnd
}

// The costs. Only how they compare counts; the tests of translate/fidelity hold what comes of them. A
// mistake that models make often, and that spoils nothing else, costs 4. Together they say which of
// two readings is right, where one text could come of either:
//
//   - Elements that pair up in a value cost nothing, so a value that is closed as it should be, and
//     whose markup is whole, always wins.
//   - One mistake of the call (4) weighs less than markup in a value that is not whole in two places
//     (5+4), and more than in one (4): <a>1</b><b>2</a> are two values with their closing tags
//     swapped, but the <b> in <a>use <b> for bold</a> is text.
//   - A value that is never closed and holds a whole element of another parameter (4+2) is less likely
//     than the value and the parameter, with one closing tag missing (4).
//   - The opening tag of another parameter that closes a value costs as much as the same tag as text of a
//     value that is not closed, so that neither is taken without more to go by.
//   - Where such a tag stands counts as much: see stance.
const (
	costMissingCloser = 4  // a value is not closed
	costWrongCloser   = 4  // it is closed by another tag
	costWrongOpener   = 10 // it is closed by the opening tag of another parameter: see above
	costProse         = 4  // there is text between parameters
	costStrayCloser   = 8  // a closing tag closes nothing
	costGivenTwice    = 2  // a parameter is given again
	costEmpty         = 1  // a value that is not closed has no text
	costMisfit        = 3  // a value is not of its type

	costUndeclared     = 2 // a parameter is not declared
	costUndeclaredLine = 1 // the same, on a line of its own
	costComment        = 1
	costNextCall       = 4 // the call ends without </invoke>
	costParametersOpen = 3 // </parameters> is missing
	costMissingEnd     = 1 // the parameters end with the call

	costOwn        = 2 // half an element of the parameter's own name in its value
	costOpened     = 4 // an element of another parameter that is open in the value
	costAttributes = 1 // half an element with attributes, of these names: no parameter has any
	costNotClosed  = 1 // the same, if it stays open
	costUnopened   = 5 // the closing tag of another parameter's element that is not open
	costUnknown    = 1 // a closing tag of some other name that is not open, where a value could end
	costFenced     = 4 // a value begins in a code fence, and ends behind it
	costStructure  = 2 // half an element of a call in a value
	costEndInValue = 4 // the end of the call in a value
	costWhole      = 2 // a whole element of another parameter in a value that is not closed

	// What a reading with tags of a call in a value could cost at least at the end, over what it cost when it
	// was given up. If no other reading ends with less, it may have been the right one.
	costLate = 2

	// A reading that costs this much more than another one is given up: two mistakes more, or nearly.
	// That in which the first value goes on is given up at twice as much, since closing tags in a
	// value cost at once, and what speaks against the others may come late.
	costHopeless = 6
)

// inOrder returns the ends of the values, the first first.
func (r *reading) inOrder() (ends []valueEnd) {
	for e := r.ends; e != nil; e = e.before {
		ends = append(ends, *e)
	}
	slices.Reverse(ends)
	return ends
}
