// Package translate turns a Messages-API request with tools into a prompt for
// a model that only completes text, and the model's text back into Messages-API
// events.
//
//	prompt := Render(req, target)            Messages request -> what the model is asked
//	events := Events(req, prompt, ask)       text chunks      -> Messages events, lazily
//	msg    := Collect(events)                events           -> one Message
//
// The package is pure: no I/O, no clock, no randomness. The same input gives
// the same output, however the upstream cut its text into chunks.
//
// # Terminology
//
//   - prompt: what the upstream is asked; chunk: a piece of its answer;
//     completion: all the text of its answer.
//   - render: blocks to markup; parse: markup to blocks.
//   - call: one <invoke> element; block: a content block of the Messages API.
//   - frame: the elements of the format that stand around untrusted text.
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
