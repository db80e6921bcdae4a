// Package translate turns a Messages-API request with tools into a prompt for a model that only
// completes text, and turns the model's text back into Messages-API events.
//
//	prompt := Render(req, target)            Messages request -> what the model is asked
//	events := Events(req, prompt, ask)       text chunks      -> Messages events, lazily
//	msg    := messages.Collect(events)       events           -> one Message
//
// The package is pure: no I/O, no clock, no randomness. The same input always gives the same
// output, no matter how the upstream cuts its text into chunks. A [Memo] changes nothing: it caches
// what is made from tools.
//
// # Packages
//
//	format     how families of models write calls, as data: one file per family
//	language   the sentences that Dragoman says to a model
//	prompt     request and format -> prompt
//	answer     chunks -> events: reads what the model writes
//	messages   the Messages API, without formats
//	schema     the JSON Schemas of tools: compiling, describing, and typing of text
//	markup     the tags of all formats as text, and the escape policy
//	rawjson    JSON as text
//	memo       a cache of results by input
//	fidelity   tests: random calls through Render and Events and back, whole and damaged
//
// This package is the face of these packages: it has the names that others use, and no code of its
// own.
//
// # Terminology
//
//   - prompt: what the upstream is asked.
//   - chunk: a piece of the upstream's answer.
//   - completion: all the text of the answer.
//   - render: turn blocks into markup.
//   - parse: turn markup into blocks.
//   - call: a tool call as the model writes it.
//   - block: a content block of the Messages API.
//   - wrapper: the element around calls, <function_calls>.
//   - call of the server: a call that the upstream has read itself, see server_call.go.
//   - value: the text between the tags of a parameter.
//   - layout: white space around tags that is not part of the content.
//   - offered: a tool is offered if the request has it.
//   - pending: a call is pending while it may turn out to be text.
//   - give back: write the text of a pending call as text.
//   - refused: a call is refused if it cannot be read and no part of it was sent. It stays
//     text of the answer. The block of a call opens when its first parameter is
//     whole or, if values flow, when that parameter begins.
//   - doubtful: a tag in a value is doubtful if it may end the value or be text of it.
//   - reading: one way to read the text after a doubtful tag.
//   - slip: a deviation from the format in a reading, see package held, or a misspelt tag, see
//     markup.Slip.
//   - closed: a call is closed if it is complete.
//   - broken off: a call is broken off if it is not complete.
//   - stopped: blocks and messages are stopped.
//
// # Guarantees
//
// ARCHITECTURE.md lists the tests for each.
//
//	G1  no character of a completion is lost
//	G2  Events(split(text)) == Events(text) for every split
//	G3  text is sent as soon as it cannot be part of a tag, without waiting for more input
//	G4  events form the grammar: message_start (start delta* stop)* message_delta message_stop
//	    A Pause between events means that the next one may take a while
//	G5  parse(render(call)) == call
//	G6  linear time, bounded memory, no panic on any input
package translate
