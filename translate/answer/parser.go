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

// parser reads one completion. It has three parts: the input holds the text that is not read yet,
// the emitter makes the events, and the state says what is being read. The grammar
// and the graph of states are in doc.go, the loop that runs the states is in parse.go.
type parser struct {
	req    *messages.Request // what is left of it: see answered
	format *format.Format    // in which the model was asked to write calls
	in     completion.Text
	out    emit.Emitter
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
	wrapperSpelling *markup.Spelling // and its spelling
	listEnd         string           // what has to end the list of calls in JSON that it has, as far as that has not come; "" for none
	proseBetween    []byte           // text between the last call and the next
	ended           bool             // the answer has ended: what follows is not part of it

	balance  callBalance // of a prompt over a tool API, with rescue; else nil
	calls    callsRead
	outcomes []messages.Outcome
	hid      bool // thinking was left out: see [UnaskedHide]
	tools    format.ToolNames
	schemas  *prompt.ToolSchemas
	example  *prompt.ExampleCall // Prompt.example
	invented []string            // Prompt.invented

	text textSeen
	call callSeen
	tags tagged.Reader // of the call, if its parameters are tags
	json jsonSeen

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
	inTags         // the name of the tool of a call whose parameters are tags: see [Reader]
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
	blank []byte // white space at the end of the text: before a call it is layout
	code  code   // whether the text is in Markdown code, where markup is quoted

	apartThinking []byte           // the first bytes of thinking that the upstream tells apart
	apart         markup.Unescaper // of thinking that the upstream tells apart: see writeThinking

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
	tagged.Call
	begun      bool        // a call has begun, or the wrapper before it
	prose      []byte      // text in the wrapper, before the call
	alone      bool        // it is in JSON, and the whole answer, maybe with other such calls
	onlyFence  bool        // it stands in a code fence, and is a call only if nothing but such fences and calls stands in the answer
	openFence  bool        // … that is not closed before it: it is a call only if it ends the answer
	continued  bool        // the model went on after a stop sequence that was text of a value
	inSentence bool        // prose stands before it on its line: what follows it there tells whether it is meant, see atLineEnd
	fromServer bool        // the server has read it: see server_call.go
	attributes [][2]string // of its tag, besides that which names the tool: names and values
	apart      bool        // … behind which no prose stands on its line
	nested     bool        // … in which a member may follow one that is an object: see closesWithin
}

// jsonSeen is what has been seen of a call in JSON.
type jsonSeen struct {
	held   []byte     // its text
	depth  held.Depth // of that
	braced bool       // the last brace of what is held is not the model's
}
