package translate

import (
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// parser reads one completion. It has three parts: the input holds the text that is not read yet,
// the emitter makes the events, and the state says what is being read. The grammar
// and the graph of states are in doc.go, the loop that runs the states is in parse.go.
type parser struct {
	req    *messages.Request
	format *format // in which the model was asked to write calls
	in     input
	out    emitter
	state  state

	// writePlain takes text that cannot hold markup, past the state: see feedPlain. It is nil where
	// the state has to see every piece.
	writePlain func(*parser, []byte)

	escaped       markup.TagSet // the names that the prompt has escaped: only these are unescaped
	mayCall       bool          // the request offers tools, so calls may come
	textMayFollow bool          // text after the calls is part of the answer: only for Rescue
	holdsValues   bool          // Target.HoldValues, for tools that do not say it themselves
	ended         bool          // the answer has ended: what follows is not part of it
	cutShort      bool          // the upstream stopped before the model had ended its answer

	calls    callsRead
	outcomes []messages.Outcome
	tools    toolNames
	schemas  *toolSchemas

	text  textSeen
	call  callSeen
	value valueSeen
}

// state names what is being read. The function of a state (see states) reads as much of the
// unread input as it can decide on, and returns the next state, or wait if more text has to come
// first. A state never decides by where a piece of the input ends: as long as the next bytes could
// change the decision, it leaves the text unread (G2). That is a tag or two at most, but for the
// white space after a closing tag (maxBlankAfter).
//
// The comment of each state says what has been read when the state begins.
type state uint8

const (
	wait state = iota // no state: more text has to come

	inText         // nothing, or text; not in a call
	afterThinking  // a tag of thinking; white space after it is layout
	inRehearsal    // text in thinking, up to a tag that would open a call
	inWrapper      // <function_calls> or another wrapper: a call must follow
	atInvoke       // nothing of <invoke> or <invoke name="…">, which is next
	atToolName     // <invoke>: <tool_name> must follow
	inCall         // the tool's name, or a whole parameter, or a tag of the call's structure
	atValue        // the opening tag of a parameter
	inValue        // a part of a parameter's value, or nothing of an input that is a JSON object
	atJSONName     // nothing of a call in JSON, whose { is next
	inJSONCall     // a part of a call in JSON
	afterJSONCall  // the last } of a call in JSON: the end of its wrapper should follow
	betweenCalls   // a whole call, or the end of the wrapper
	inBrokenCall   // text of a call, among other calls, that was given back
	inForeignBlock // a wrapper, in which there is something other than a call
	afterAnswer    // the whole answer: what follows is no part of it
)

// textSeen is what has been seen of the text outside calls.
type textSeen struct {
	blank         []byte // white space at the end of the text: before a call it is layout
	code          code   // whether the text is in Markdown code, where markup is quoted
	ampersandSent bool   // the & that is next in the input has been written: see readEntity

	prefill string // the client's prefill, without opening: the completion continues it
	opening string // the beginning of a call at the end of the prefill, written by forceCall

	thinkingAsked bool   // thinking at the beginning of the answer becomes a block of its own
	inThinking    bool   // that block is open
	thinkingTag   string // the name of the thinking tag that is open, in such a block or in text
	neverClosed   bool   // thinking was still open at the end: what looks like calls in it is calls
}

// callSeen is what has been seen of the call that is being read.
type callSeen struct {
	begun       bool // a call has begun, or the wrapper before it
	wrapperOpen bool // <function_calls> was opened, and not closed
	unoffered   bool // the tool is not offered: the block opens only when the call is whole
	continued   bool // the model went on after a stop sequence that was text of a value
	restarted   bool // the model began the call again that a prefill had opened

	attributeForm  bool   // <invoke name="…">
	namespace      string // the prefix of the call's tags, with its colon; "" for none
	tool           string // the tool's name, "" if it is not known
	schema         *schema.Schema
	parametersOpen bool            // <parameters> was opened, and not closed
	parameters     map[string]bool // the properties that were given so far
	jsonInput      bool            // the whole input was one JSON object

	reason    string      // why the outcome of the call is not clean, "" if it is: see noteReason
	misfit    string      // how a value does not fit its schema, "" if all do
	swallowed []swallowed // parameters that may be text of another's value
	stray     []byte      // text and tags that have no place in the call
	strayTag  bool        // there is a tag among them
}

// swallowed is a parameter whose tags stood in the value of another parameter. If it is not given
// again later in the call, those tags may have been meant as the parameter itself.
type swallowed struct {
	name string
	from int // the length of the call's input before the value that holds the tags
}

// valueSeen is what has been seen of the value that is being read.
type valueSeen struct {
	open     bool           // the opening tag was read, and the end of the value was not
	schema   *schema.Schema // of the parameter; nil if the value is the whole input of the call
	property string         // the name of the parameter
	tag      string         // the tag under which the property is offered
	element  bool           // the value stands in <tag>, and not in <parameter name="tag">
	closer   string         // the name of the value's own closing tag

	mode        valueMode
	held        []byte    // text of a value that is typed when it is whole
	json        jsonDepth // of the whole input of a call
	duplicate   bool      // the parameter was given before
	cdata       bool      // the value began with <![CDATA[
	padded      bool      // a newline stood after the opening tag, and was read as layout
	lastNewline string    // the newline at the end of a string so far: it may be layout
	endsBlank   bool      // there is white space at the end so far, before lastNewline
	blankAfter  int       // how far mayFollow has read white space after a closing tag, to go on there

	closerStarts byteSet  // the first bytes of the names that matter in closing tags
	openerStarts byteSet  // the first bytes of the names that matter in opening tags
	hasTags      bool     // there are tags in the value, of whatever name
	unclosed     bool     // the value has no closing tag of its own: a closing tag of the call ended it
	ambiguous    bool     // tags in it may be those of other parameters, or of other elements of a list
	siblings     siblings // the tags of other parameters in it
}

// valueMode says when a value is written to the emitter.
type valueMode uint8

const (
	modeText     valueMode = iota // as it comes: a string
	modeNullable                  // as it comes, once it cannot be null any more: a string or null
	modeHeld                      // when it is whole, since its schema types the whole text
)

// byteSet is a set of bytes.
type byteSet [4]uint64

func (b *byteSet) add(c byte)      { b[c>>6] |= 1 << (c & 63) }
func (b *byteSet) has(c byte) bool { return b[c>>6]&(1<<(c&63)) != 0 }
