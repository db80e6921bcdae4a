// Package translate turns a Messages-API request with tools into a prompt for
// a model that only completes text, and the model's text back into Messages-API
// events.
//
//	prompt := Render(req, target)            Messages request -> what the model is asked
//	events := Events(req, prompt, ask)       text chunks      -> Messages events, lazily
//	msg    := messages.Collect(events)       events           -> one Message
//
// The package is pure: no I/O, no clock, no randomness. The same input gives
// the same output, however the upstream cut its text into chunks.
//
// # Rooms
//
//	messages   what the Messages API says, and nothing of formats
//	schema     the JSON Schemas of tools: compiled, described, and the typing of text
//	markup     the tags of all formats as text, and the policy that escapes them
//	rawjson    JSON as text
//	fidelity   the round trip and the damage, at scale
//
// # Terminology
//
//   - prompt: what the upstream is asked; chunk: a piece of its answer;
//     completion: all the text of its answer.
//   - render: blocks to markup; parse: markup to blocks.
//   - call: one <invoke> element; block: a content block of the Messages API.
//   - value: what stands between the tags of a parameter; it ends.
//   - a call closes, whole or broken off; a block, and a message, stops.
//
// # Completions
//
// What a model writes, in EBNF. Models write more than that: whatever is not of
// this form is text, if its meaning is not certain.
//
//	completion = { text | thinking | calls } .
//	thinking   = "<thinking>" text "</thinking>" .
//	calls      = "<function_calls>" { call } "</function_calls>" | call | json .
//	call       = "<invoke>" name "<parameters>" { param } "</parameters>" "</invoke>"
//	           | "<invoke name=" quoted ">" { param } "</invoke>" .
//	name       = "<tool_name>" chars "</tool_name>" .
//	param      = "<" tag ">" value "</" tag ">"
//	           | "<parameter name=" quoted ">" value "</parameter>" .
//	json       = "<tool_call>" object "</tool_call>" .
//
// A value is any text, with tags of every kind. It ends at its own closing tag
// where what follows can follow a value: a param, or the end of the parameters,
// of the call or of the text (parse_value_end.go). Where two readings reach the
// end of a call, neither is taken (parse_doubt.go).
//
// # The parser
//
// It has three parts. The input (input.go) alone touches the text that is not
// read yet; what holds of its buffer, position and mark stands there. The
// emitter (emitter.go) alone makes events, and keeps their grammar. Between the
// two stand the states, each a function that reads as much of the input as it
// can decide on and names the next state:
//
//	inText          -> atInvoke inWrapper inRehearsal afterThinking afterAnswer
//	afterThinking   -> inText
//	inRehearsal     -> inText
//	inWrapper       -> atInvoke atJSONName betweenCalls inForeignBlock inText
//	atInvoke        -> atToolName inCall betweenCalls inText
//	atToolName      -> inCall inText
//	inCall          -> atValue inValue betweenCalls afterAnswer inText
//	atValue         -> inValue
//	inValue         -> inCall afterAnswer
//	atJSONName      -> inJSONCall
//	inJSONCall      -> afterJSONCall betweenCalls afterAnswer inText
//	afterJSONCall   -> betweenCalls afterAnswer
//	betweenCalls    -> atInvoke inWrapper atJSONName afterAnswer
//	inBrokenCall    -> betweenCalls
//	inForeignBlock  -> inText
//	afterAnswer -> inText, only for [Rescue]
//
// From every state of a call whose block is not open yet, what was read goes
// back to be text: to inText, or to inBrokenCall among other calls.
//
// # Guarantees
//
// Each is held by a fuzz target (G1 to G6 of the project's design):
//
//	G1  no character of a completion is lost
//	G2  Events(split(text)) == Events(text) for every split
//	G3  text is out before more input is needed, but for what may be a tag
//	G4  events form the grammar: message_start (start delta* stop)* message_delta message_stop
//	G5  parse(render(call)) == call
//	G6  linear time, bounded memory, no panic on any input
package translate
