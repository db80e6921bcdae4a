package tagged

import (
	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// Call is what is known of one open call, in whatever form its arguments come.
type Call struct {
	Tool      string // the tool's name, "" if it is not known
	Schema    *schema.Schema
	Unoffered bool   // the tool is not offered: the block opens only when the call is whole
	Reason    string // why the outcome of the call is not clean, "" if it is: see NoteReason
	Misfit    string // how a value does not fit its schema, "" if all do

	Spelling      *markup.Spelling // of the call's tags
	AttributeForm bool             // <invoke name="…">
	Namespace     string           // the prefix of the call's tags, with its colon; "" for none
	WrapperOpen   bool             // <function_calls> was opened, and not closed
	Fence         string           // the line of the Markdown code fence that it stands in
	Quoted        int              // how many back-ticks opened the Markdown code fence that it stands in, 0 for none

	Certain     bool // it is a call, and its block opens with its first parameter
	MustBeWhole bool // the call is none unless it is whole
	Bare        bool // it stands without the wrapper that its format has: it is none unless it has all that its tool requires
	Unread      bool // text or attributes stand in it that are no parameters
	Unbracketed bool // tags of it have lost what they begin with: see unbracketed.go
	Opening     bool // the prefill has opened it
	AfterOpen   bool // the value before it, in another call, has no closing tag

	ParametersOpen bool            // <parameters> was opened, and not closed
	Parameters     map[string]bool // the properties that were given so far
	JSONInput      bool            // the whole input was one JSON object
	Members        []string        // the names of its members
	Stray          []byte          // text and tags that have no place in the call
	StrayTag       bool            // there is a tag among them
}

// NoteReason records why the outcome of the call is not clean: how the call is malformed, although
// its meaning is certain, or why it is broken off. The first reason counts.
func (c *Call) NoteReason(reason string) {
	if c.Reason == "" {
		c.Reason = reason
	}
}

// IsInput reports whether the JSON of the call is its input alone, and not all of it.
func (c *Call) IsInput() bool { return c.AttributeForm && c.Spelling.IsJSON() }

// IsUnreadable reports whether text stands in the call that may have been meant as its input.
func (c *Call) IsUnreadable() bool { return len(c.Stray) > 0 && (len(c.Parameters) == 0 || c.StrayTag) }

// NoteBare records that the call begins without the wrapper that its format has. Formats without one
// open and close their calls clearly enough; legacy and attribute have always been read so.
func (c *Call) NoteBare() {
	if c.Spelling != nil && c.Spelling.HasWrapper() && !c.WrapperOpen {
		c.MustBeWhole, c.Bare = true, true
	}
}
