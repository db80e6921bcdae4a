package answer

import (
	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/emit"
	"dragoman/translate/answer/held"
	"dragoman/translate/answer/tagged"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// parser reads one completion. The input holds the unread text, the emitter makes the events, and the state says
// what the parser is reading. The grammar and the graph of states are in doc.go. The loop that runs the states is
// in parse.go.
type parser struct {
	req    *messages.Request // a copy of the needed parts: see answered
	format *format.Format    // the format that the prompt asks for
	in     completion.Text
	out    emit.Emitter
	state  state

	// writePlain writes text without markup directly, without the state: see passOn. It is nil if the state has to
	// see every piece.
	writePlain func(*parser, []byte)

	escaped      markup.Escapes // the names that the prompt escaped; the parser unescapes only these
	mayCall      bool           // the model saw tools, so calls may come
	streamValues bool           // Target.StreamValues, for tools that do not set it themselves
	quotedCalls  bool           // Target.QuotedCalls
	*format.Reads
	aloneStarts     format.ByteSet   // the first bytes of calls that may follow prose: see matchAlone
	wrapperSpelling *markup.Spelling // the spelling of the current wrapper
	listEnd         string           // brackets that must still close the list of JSON calls, or ""
	proseBetween    []byte           // text between the last call and the next
	ended           bool             // the answer has ended: later text does not belong to it

	balance  callBalance // for a prompt with a tool API and Rescue; else nil
	calls    callsRead
	outcomes []messages.Outcome
	hid      bool // thinking was omitted: see [UnaskedHide]
	tools    format.ToolNames
	schemas  *prompt.ToolSchemas
	example  *prompt.ExampleCall // see Prompt.example
	invented []string            // see Prompt.invented

	text textSeen
	call callSeen
	tags tagged.Reader // reads the call, if its parameters are tags
	json jsonSeen

	lineStarts format.ByteSet // the first bytes of what may begin a call at the start of a line
	literal    literalSeen
}

// state names what the parser is reading. The function of a state (see states) reads as much of the unread input as
// it can decide on. It returns the next state, or wait if it needs more text. Where a piece of the input ends never
// affects a decision: if the next bytes could change it, the state leaves the text unread (G2). That is at most a
// tag or two, except for the white space after a closing tag (maxBlankAfter).
//
// The comment of each state says what the parser has read when the state begins, and what may follow.
type state uint8

const (
	wait state = iota // not a state: the parser needs more text

	inText         // nothing, or text outside calls
	atAnswer       // nothing, or thinking: a JSON call as the whole answer may follow
	afterThinking  // a thinking tag: white space after it is layout
	inRehearsal    // text in thinking, up to a tag that would open a call
	inWrapper      // <function_calls> or another wrapper: a call must follow
	atInvoke       // nothing of the call: <invoke> or <invoke name="…"> is next
	atToolName     // <invoke>: <tool_name> must follow
	inTags         // the tool name of a call in tags: see [Reader]
	atJSONName     // nothing of a JSON call: its { is next
	inJSONCall     // a part of a JSON call
	afterJSONCall  // the last } of a JSON call: the end of its wrapper should follow
	betweenCalls   // a whole call, or the end of the wrapper
	atFenceEnd     // a whole call in a Markdown code fence: the end of the fence must follow
	atLineEnd      // a whole call after prose on its line: the rest of the line tells whether it is meant
	inBrokenCall   // after other calls: text of a call that was given back or has too much stray text
	inLiteral      // nothing, or a part, of calls in literal syntax
	inForeignBlock // a wrapper that holds something other than a call, or unreadable JSON
	afterAnswer    // the whole answer: later text does not belong to it
)

// textSeen is the state of the text outside calls.
type textSeen struct {
	blank []byte // white space at the end of the text: before a call it is layout
	code  code   // whether the text is in Markdown code, which quotes markup

	apartThinking []byte           // the first bytes of thinking that the upstream sends separately
	apart         markup.Unescaper // unescapes thinking that the upstream sends separately: see writeThinking

	prefill string // the client's prefill, without opening: the completion continues it
	opening string // the beginning of a call that forceCall wrote at the end of the prefill

	beganAgain bool // the model has begun that call again

	said     bool // the answer has text
	answered bool // it has text outside thinking: JSON on its own is no call any more

	joined  bool   // the answer began with a channel name without markers: later headers may be joined to words
	channel string // channel of the current message; "" before the first

	opened        string // [Target.Thinking] until the text begins; "" if the answer begins outside thinking
	inCall        bool   // a call that the model considers in such thinking is open
	talksOn       bool   // text follows the last of these calls
	surelyOpened  bool   // opened was ThinkingOpen: the text certainly began in thinking
	takesThinking bool   // thinking at the start of the answer becomes a block of its own
	hidesThinking bool   // thinking at the start of the answer is omitted: see [UnaskedHide]
	inThinking    bool   // thinking at the start of the answer is open
	innerTag      string // name of a thinking tag that was opened inside thinking
	endsThought   bool   // a closing tag has ended thinking that no tag had opened
	thinkingTag   string // name of the open thinking tag, in a thinking block or in text
	neverClosed   bool   // thinking was still open at the end: calls in it count
	rehearsed     []byte // texts of thinking that was closed or cut off, each from its first possible call on
	rehearsals    []rehearsal
}

// callSeen is the state of the current call.
type callSeen struct {
	tagged.OpenCall
	begun      bool        // a call, or the wrapper before it, has begun
	prose      []byte      // text before the call, after the last call
	alone      bool        // a JSON call that is the whole answer, maybe with other such calls
	onlyFence  bool        // in a code fence: it counts only if the answer has nothing but such fences and calls
	openFence  bool        // the code fence is still open: the call counts only if it ends the answer
	continued  bool        // the model continued after a stop sequence that was text of a value
	line       []byte      // the text before the call on its line: what follows the call decides, see matchShown
	fromServer bool        // the server has read the call: see server_call.go
	attributes [][2]string // names and values of the tag's attributes, except the tool name
	apart      bool        // no prose follows the call on its line
	nested     bool        // a member may follow an object in the call: see held.ClosesWithin
}

// jsonSeen is the state of a JSON call.
type jsonSeen struct {
	held   []byte     // the text of the call
	depth  held.Depth // its open brackets and strings
	braced bool       // the parser added the last brace of held
	plain  bool       // the call has nothing but a name and arguments: see held.Object.IsPlain
}
