package tagged

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// OpenCall is what is known of one open call, whatever the form of its arguments.
type OpenCall struct {
	Tool      string // the tool's name, "" if it is not known
	Schema    *schema.Schema
	Unoffered bool            // the request does not offer the tool: the block opens only when the call is whole
	Reason    messages.Reason // why the outcome of the call is not clean, ReasonNone if it is clean: see NoteReason
	Slip      messages.Reason // how the first misspelt tag of the call is misspelt, ReasonNone if none is: see NoteSlip
	Misfit    messages.Reason // how a value does not fit its schema, ReasonNone if every value fits

	Spelling      *markup.Spelling // how the tags of the call are spelled; nil for legacy and attribute
	AttributeForm bool             // the call begins with <invoke name="…">
	Namespace     string           // the prefix of the call's tags with its colon, "" without a prefix
	WrapperOpen   bool             // the call is inside an open wrapper, such as <function_calls>
	Element       string           // the name of the element that is the call, "" if the call has a tag of its own
	Fence         string           // the line that opens the code fence around the call or its input, "" without a fence
	Quoted        int              // how many back-ticks opened the code fence around the call, 0 without a fence

	Certain     bool // this is certainly a call; its block opens with its first parameter
	MustBeWhole bool // the text counts as a call only if the call is whole
	Bare        bool // the call lacks the wrapper of its format: it needs every required parameter
	Unread      bool // the call contains text or attributes that are not parameters
	Unbracketed bool // some tags of the call have lost their `<` or `</`: see unbracketed.go
	Opening     bool // the prefill has opened the call
	AfterOpen   bool // the last value of the call before has no closing tag

	ParametersOpen bool            // <parameters> is open
	Parameters     map[string]bool // the properties that were given so far
	JSONInput      bool            // the whole input was one JSON object
	Members        []string        // the names of the members of that object
	Stray          []byte          // text and tags in the call that are not part of its form
	StrayTag       bool            // Stray contains a tag
}

// NoteReason records why the outcome of the call is not clean: how the call is malformed although its meaning is
// certain, or why Dragoman breaks it off. Only the first reason is kept.
func (c *OpenCall) NoteReason(reason messages.Reason) {
	if c.Reason == messages.ReasonNone {
		c.Reason = reason
	}
}

// NoteInput records that the whole input is one JSON object.
func (c *OpenCall) NoteInput(input jsontext.Value) {
	c.JSONInput, c.Members = true, rawjson.MemberNames(input)
	if c.Schema != nil && c.Schema.Misfits(input) {
		c.Misfit = cmp.Or(c.Misfit, messages.ReasonType)
	}
}

// NoteSlip records that the tag t belongs to the call. Its slip is the reason of the outcome, unless the call has
// another reason.
func (c *OpenCall) NoteSlip(t *markup.Tag) { c.Slip = cmp.Or(c.Slip, t.Slip) }

// IsInput reports whether the JSON in the call is only its input. If not, the JSON is the whole call.
func (c *OpenCall) IsInput() bool { return c.AttributeForm && c.Spelling.IsJSON() }

// IsUnreadable reports whether the call contains stray text that the model may have meant as the input.
func (c *OpenCall) IsUnreadable() bool {
	return len(c.Stray) > 0 && (len(c.Parameters) == 0 || c.StrayTag)
}

// NoteBare records that the call begins without the wrapper that its format requires. It ignores formats without a
// wrapper, because their tags show clearly enough where a call begins and ends. In legacy and attribute, the call counts
// without its wrapper, too.
func (c *OpenCall) NoteBare() {
	switch {
	case c.WrapperOpen || !c.Spelling.HasWrapper():
	case c.Spelling == nil:
		c.Slip = cmp.Or(c.Slip, messages.ReasonBareCall)
	default:
		c.MustBeWhole, c.Bare = true, true
	}
}
