package translate

import (
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// parser reads one completion: what is not read yet is in its input, what has been read goes
// to its emitter, and its state says what is being read. See doc.go for the states and the
// grammar.
type parser struct {
	req    *messages.Request
	format *format // that the model was asked in
	in     input
	out    emitter
	state  state
	direct func(*parser, []byte) // where text without markup goes; nil: to the state

	escaped     markup.TagSet // the names that the prompt has escaped: only these are unescaped
	mayCall     bool          // calls may come
	mayGoOn     bool          // text may follow the calls: see Rescue
	wholeValues bool          // each parameter is sent when it is whole, unless its tool says otherwise
	over        bool          // what follows is not part of the answer
	cutShort    bool          // the upstream stopped before the model had ended

	calls    callsRead
	outcomes []messages.Outcome
	tools    toolNames
	schemas  *toolSchemas // of the tools

	text  textSeen
	call  callSeen
	value valueSeen
}

// state is what is being read. A state reads as much of the rest of the input as it can decide
// on and returns the next one, or wait for more. What it reads does not depend on the pieces in
// which the text comes: undecided text, at most a tag or two, stays in the input.
type state uint8

const (
	wait state = iota // for more text

	inText          // text between calls
	afterThinking   // white space after the end of thinking
	inRehearsal     // a call within thinking
	inWrapper       // <function_calls> was read: a call must follow
	atInvoke        // <invoke> or <invoke name="…"> comes
	atToolName      // <tool_name> comes
	inCall          // between the parameters of a call
	atValue         // the opening tag of a parameter was read
	inValue         // a value, up to its end
	atJSONName      // the { of a call in JSON comes
	inJSONCall      // a call in JSON
	afterJSONCall   // the end of the block of a call in JSON
	betweenCalls    // after a call
	inBrokenCall    // the rest of a call that was given back as text
	inForeignBlock  // a block of calls that holds something else
	behindTheAnswer // what is not part of it
)

// textSeen is what has been seen of the text between calls.
type textSeen struct {
	blank         []byte // white space that ends the text so far: before a call it is layout
	code          code   // Markdown code, in which markup is quoted
	ampersandSent bool   // the & that comes next in the input was sent already: see entity

	prefill string // the client's: the completion goes on from it
	opening string // the markup of ours at the end of the prefill, which opens a call

	thinkingAsked bool   // thinking at the beginning is to be a block of its own
	inThinking    bool   // such a block is open
	thinkingTag   string // the tag of thinking that is open
	neverClosed   bool   // thinking was not closed by the end: what looks like calls in it is calls
}

// callSeen is what has been seen of the call that is being read.
type callSeen struct {
	begun     bool // a call has begun, or its wrapper has
	inWrapper bool // <function_calls> has
	unoffered bool // the tool is not offered: the call is not sent before it is whole
	continued bool // the model was asked to go on behind a stop sequence in a value
	restarted bool // the model has begun the call once more that a prefill had opened

	attributeForm bool   // <invoke name="…">
	namespace     string // of its tags, with the colon
	tool          string
	schema        *schema.Schema
	inParameters  bool            // <parameters> is open
	parameters    map[string]bool // the properties that were given so far
	jsonInput     bool            // the whole input was one JSON object

	repair    string      // how it is malformed, though its meaning is certain; "" if it is not
	misfit    string      // how a value does not fit its schema
	swallowed []swallowed // parameters that may be text of another's value
	stray     []byte      // what has no place in it: with this it is not whole
	strayTag  bool        // such was a tag
}

// swallowed is a parameter that may be text in the value of another, which begins behind so
// many bytes of the input.
type swallowed struct {
	name string
	from int
}

// valueSeen is what has been seen of the value that is being read.
type valueSeen struct {
	open     bool           // its end has not been read
	schema   *schema.Schema // nil for the whole input of a call
	property string
	tag      string // that the property is offered under
	element  bool   // it stands in <tag>, and not in <parameter name="tag">
	closer   string // the name of its own closing tag

	mode        valueMode
	held        []byte    // what was read of a value that is passed on when it is whole
	json        jsonDepth // of the whole input of a call
	duplicate   bool      // the parameter was given before
	cdata       bool      // within <![CDATA[
	padded      bool      // a newline stands after its opening tag
	lastNewline string    // a newline that may be the last of a string, and layout
	endsBlank   bool      // white space ends it so far, lastNewline apart
	blankAfter  int       // how far white space behind a closing tag was read without a decision

	closerStarts byteSet  // the first bytes of names in closing tags that matter
	openerStarts byteSet  // likewise in opening tags
	hasTags      bool     // there are tags in it
	unclosed     bool     // it has no closing tag of its own
	ambiguous    bool     // tags in it may be those of other parameters, or of other elements of a list
	siblings     siblings // the tags of other parameters in it
}

// valueMode says when a value is passed on.
type valueMode uint8

const (
	modeText     valueMode = iota // as it comes: a string
	modeNullable                  // as it comes, once it is certain that it is not null
	modeHeld                      // when it is whole: it is typed then
)

// byteSet is a set of bytes.
type byteSet [4]uint64

func (b *byteSet) add(c byte)      { b[c>>6] |= 1 << (c & 63) }
func (b *byteSet) has(c byte) bool { return b[c>>6]&(1<<(c&63)) != 0 }
