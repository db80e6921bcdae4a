package answer

import (
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
	"dragoman/translate/schema"
)

// parser reads one completion. It has three parts: the input holds the text that is not read yet,
// the emitter makes the events, and the state says what is being read. The grammar
// and the graph of states are in doc.go, the loop that runs the states is in parse.go.
type parser struct {
	req    *messages.Request // what is left of it: see answered
	format *format.Format    // in which the model was asked to write calls
	in     input
	out    emitter
	state  state

	// writePlain takes text that cannot hold markup, past the state: see passOn. It is nil where the
	// state has to see every piece.
	writePlain func(*parser, []byte)

	escaped       markup.Escapes // what the prompt has escaped: only this is unescaped
	mayCall       bool           // the model was shown tools, so calls may come, asked for or not
	textMayFollow bool           // text after the calls is part of the answer: only for Rescue
	flowsValues   bool           // Target.FlowValues, for tools that do not say it themselves
	readsQuoted   bool           // Target.QuotedCalls
	*format.Reads
	aloneStarts     format.ByteSet   // the first bytes of those that may stand behind prose
	wrapper         string           // the name of the wrapper that was opened last
	wrapperSpelling *markup.Spelling // and its spelling
	listEnd         string           // what has to end the list of calls in JSON that it has, as far as that has not come; "" for none
	proseBetween    []byte           // text between the last call and the next
	ended           bool             // the answer has ended: what follows is not part of it
	cutShort        bool             // the upstream stopped before the model had ended its answer

	balance  callBalance // of a prompt over a tool API, with rescue; else nil
	calls    callsRead
	outcomes []messages.Outcome
	hid      bool // thinking was left out: see [UnaskedHide]
	tools    format.ToolNames
	schemas  *prompt.ToolSchemas
	example  *prompt.ExampleCall // Prompt.example
	invented []string            // Prompt.invented

	text     textSeen
	call     callSeen
	value    valueSeen
	doubt    doubt
	followed int // how many bytes have been followed in doubts: see freeDoubt

	lineStarts format.ByteSet // the first bytes of what may begin a call at the beginning of a line
	literal    literalSeen
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
	atAnswer       // nothing, or thinking: a call in JSON that is the whole answer may follow
	afterThinking  // a tag of thinking; white space after it is layout
	inRehearsal    // text in thinking, up to a tag that would open a call
	inWrapper      // <function_calls> or another wrapper: a call must follow
	atInvoke       // nothing of <invoke> or <invoke name="…">, which is next
	atToolName     // <invoke>: <tool_name> must follow
	inCall         // the tool's name, or a whole parameter, or a tag of the call's structure
	atValue        // the opening tag of a parameter
	inValue        // a part of a parameter's value, or nothing of an input that is a JSON object
	inNestedValue  // the same of a parameter that may hold elements: see parse_nested.go
	inDoubt        // a part of a value, up to a tag of which it is doubtful what it is
	atJSONName     // nothing of a call in JSON, whose { is next
	inJSONCall     // a part of a call in JSON
	afterJSONCall  // the last } of a call in JSON: the end of its wrapper should follow
	betweenCalls   // a whole call, or the end of the wrapper
	atFenceEnd     // a whole call in a Markdown code fence, whose end must follow
	atLineEnd      // a whole call behind prose on its line: what follows it there tells whether it is meant
	inBrokenCall   // text of a call, among other calls, that was given back or has too much stray text
	inLiteral      // nothing, or a part, of calls that are literals of a language
	inForeignBlock // a wrapper, in which there is something other than a call, or JSON that cannot be read
	afterAnswer    // the whole answer: what follows is no part of it
)

// textSeen is what has been seen of the text outside calls.
type textSeen struct {
	blank         []byte // white space at the end of the text: before a call it is layout
	code          code   // whether the text is in Markdown code, where markup is quoted
	ampersandSent bool   // the & that is next in the input has been written: see readEntity

	apart markup.Unescaper // of thinking that the upstream tells apart: see writeThinking

	prefill string // the client's prefill, without opening: the completion continues it
	opening string // the beginning of a call at the end of the prefill, written by forceCall

	beganAgain bool // the model has begun that call again

	said bool // there is text of the answer

	joined  bool   // the answer has begun with a channel that has lost its markers: others may be joined to words
	channel string // that of the message that is read, "" if none has begun

	opened        string // [Target.Thinking], until the text begins; "" where the answer begins outside of thinking
	inCall        bool   // a call that the model considers in such thinking is open
	talksOn       bool   // there is text behind the last one
	surelyOpened  bool   // it is ThinkingOpen, so that the text began in thinking
	takesThinking bool   // thinking at the beginning of the answer is no text: it becomes a block of its own
	hidesThinking bool   // … or nothing: see [UnaskedHide]
	inThinking    bool   // such thinking is open
	innerTag      string // the name of a thinking tag that was opened within it
	endsThought   bool   // a closing tag has ended thinking that no tag had opened
	thinkingTag   string // the name of the thinking tag that is open, in such a block or in text
	neverClosed   bool   // thinking was still open at the end: what looks like calls in it is calls
	rehearsed     []byte // texts of thinking that was closed, each from what looks like a call on
	rehearsals    []int  // where each of them ends
}

// callSeen is what has been seen of the call that is being read.
type callSeen struct {
	begun       bool   // a call has begun, or the wrapper before it
	wrapperOpen bool   // <function_calls> was opened, and not closed
	prose       []byte // text in the wrapper, before the call
	certain     bool   // it is a call, and its block opens with its first parameter: see holdOffered
	unread      bool   // text or attributes stand in it that are no parameters
	unoffered   bool   // the tool is not offered: the block opens only when the call is whole
	mustBeWhole bool   // so it does for another reason: the call is none unless it is whole
	bare        bool   // it stands without the wrapper that its format has: it is none unless it has all that its tool requires
	alone       bool   // it is in JSON, and the whole answer, maybe with other such calls
	onlyFence   bool   // it stands in a code fence, and is a call only if nothing but such fences and calls stands in the answer
	quoted      int    // how many back-ticks opened the Markdown code fence that it stands in, 0 for none
	continued   bool   // the model went on after a stop sequence that was text of a value
	restarted   bool   // the model began the call again that a prefill had opened
	unbracketed bool   // tags of it have lost what they begin with: see parse_unbracketed.go
	begunTwice  bool   // <invoke name="…"> stands twice: the call begun again, or one without parameters before it
	inSentence  bool   // prose stands before it on its line: what follows it there tells whether it is meant, see atLineEnd
	fromServer  bool   // the server has read it: see server_call.go

	spelling         *markup.Spelling // of the call's tags
	attributeForm    bool             // <invoke name="…">
	namespace        string           // the prefix of the call's tags, with its colon; "" for none
	tool             string           // the tool's name, "" if it is not known
	schema           *schema.Schema
	attributes       [][2]string     // of its tag, besides that which names the tool: names and values
	parametersOpen   bool            // <parameters> was opened, and not closed
	parametersClosed bool            // </parameters> was read
	parameters       map[string]bool // the properties that were given so far
	keys             []string        // names of parameters whose values have not come: see readLoneKey
	jsonInput        bool            // the whole input was one JSON object
	members          []string        // the names of its members
	apart            bool            // … behind which no prose stands on its line
	nested           bool            // … in which a member may follow one that is an object: see closesWithin
	fence            string          // the line of the Markdown code fence that it stands in

	reason      string     // why the outcome of the call is not clean, "" if it is: see noteReason
	misfit      string     // how a value does not fit its schema, "" if all do
	ends        []held.End // of the values that follow, where that has been settled: see parse_doubt.go
	gap, before layout     // how the tag that is next stands, as far as it has been read, and the tag before
	stray       []byte     // text and tags that have no place in the call
	strayText   bool       // text that has no place stands before what is next, up to the tag before that
	strayLine   bool       // they are a line so far that is dropped if it holds no {: see readStrayText
	strayTag    bool       // there is a tag among them
	inLine      bool       // text that has no place stands before what is next, on its line
}

// isInput reports whether the JSON of the call is its input alone, and not all of it.
func (c *callSeen) isInput() bool { return c.attributeForm && c.spelling.IsJSON() }

// valueSeen is what has been seen of the value that is being read.
type valueSeen struct {
	open bool   // the opening tag was read, and the end of the value was not
	tag  string // the tag under which the property is offered

	mode        valueMode
	held        []byte     // text of a value that is typed when it is whole
	validLen    int        // how much of it was there when it was found to be JSON: see heldIsJSON
	json        held.Depth // of the whole input of a call
	braced      bool       // the last brace of what is held is not the model's
	duplicate   bool       // the parameter was given before
	unbracketed bool       // its closing tag may have lost what it begins with
	isJSON      bool       // its tag says that it is no string: where it is JSON, that is what is meant
	cdata       bool       // the value began with <![CDATA[
	section     section    // which that begins
	wraps       bool       // it may be all of the input: see wrapsInput
	unnamed     bool       // its opening tag is missing: see parse_nested.go
	elements    []string   // that are open in it, there; nil before the first
	layout      layout     // of the tags around it
	tail        []byte     // the white space at the end of a string so far that may be layout
	atStart     bool       // nothing of the string has been written, and white space at its beginning may be layout
	edge        held.Edge  // of the value so far
	endsBlank   bool       // there is white space at the end of what has been written
	looked      int        // how far passOn has looked through the input, for scanValue to go on there
	blankAfter  int        // how far mayFollow has read white space after a closing tag, to go on there

	closerStarts format.ByteSet // the first bytes of the names that matter in closing tags
	openerStarts format.ByteSet // the first bytes of the names that matter in opening tags
	names        format.ByteSet // the keys of the names of declared parameters: see nameKey
	unclosed     bool           // the value has no closing tag of its own: the tag after it ended it
	misclosed    bool           // it has another one, or none
	ambiguous    bool           // tags in it may be those of other elements of a list
	markup       bool           // it holds markup that is not whole: see held.Value.holdsMarkup
	unsure       bool           // it holds too much doubtful text to know where it ends

	text held.Value // its parameter and the tags in it; without a schema it is the whole input of the call
}

// valueMode says when a value is written to the emitter.
type valueMode uint8

const (
	modeText     valueMode = iota // as it comes: a string
	modeNullable                  // as it comes, once it cannot be null any more: a string or null
	modeHeld                      // when it is whole, since its schema types the whole text
)
