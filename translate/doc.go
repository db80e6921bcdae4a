// Package translate turns a Messages-API request with tools into a prompt for
// a model that only completes text, and the model's text back into Messages-API
// events.
//
//	prompt := Render(req, target)            Messages request -> what the model is asked
//	events := Events(req, prompt, ask)       text chunks      -> Messages events, lazily
//	msg    := messages.Collect(events)       events           -> one Message
//
// The package is pure: no I/O, no clock, no randomness. The same input gives
// the same output, however the upstream cut its text into chunks. A [Memo] does
// not change that: it keeps what was made of tools, and whoever has one gets
// what would be made anew.
//
// # Packages
//
//	format     how families of models write calls, as data: one file a family
//	language   the sentences that are said to a model
//	prompt     request and format -> prompt
//	answer     chunks -> events: reads what the model writes
//	messages   what the Messages API says, and nothing of formats
//	schema     the JSON Schemas of tools: compiled, described, and the typing of text
//	markup     the tags of all formats as text, and the policy that escapes them
//	rawjson    JSON as text
//	memo       results that are kept for the same input
//	fidelity   tests: random calls through Render and Events and back, whole and damaged
//
// This package is their face: it has the names that others use, and nothing of its own.
//
// # Terminology
//
//   - prompt: what the upstream is asked; chunk: a piece of its answer;
//     completion: all the text of its answer.
//   - render: blocks to markup; parse: markup to blocks.
//   - call: a tool call as the model writes it; block: a content block of the
//     Messages API; wrapper: the element around calls, <function_calls>.
//   - call of the server: one that the upstream has read itself, see server_call.go.
//   - value: the text between the tags of a parameter.
//   - layout: white space around tags that is not part of what the model says.
//   - offered: a tool is, if the request has it.
//   - pending: a call is, while it may turn out to be none; give back: to write
//     what was read of a pending call as text.
//   - refused: a call is, if it cannot be read, and nothing of it was sent: it is
//     text of the answer. The block of a call opens with its first parameter.
//   - doubtful: a tag in a value is, if it may end the value and may be text of it;
//     reading: one way to read the text from there on; slip: what is wrong in it, see package held.
//   - a call is closed if it is whole, and broken off if it is not; a block, and
//     a message, is stopped.
//
// # Guarantees
//
// The tests that hold each are listed in ARCHITECTURE.md.
//
//	G1  no character of a completion is lost
//	G2  Events(split(text)) == Events(text) for every split
//	G3  text is sent as soon as it cannot be part of a tag, without waiting for more input
//	G4  events form the grammar: message_start (start delta* stop)* message_delta message_stop
//	    A Pause between them says that the next one has to be waited for
//	G5  parse(render(call)) == call
//	G6  linear time, bounded memory, no panic on any input
package translate
