// Package messages is what the Messages API says, and nothing of how a model is prompted:
// requests, their decoding and validation, content blocks, the tools that the API defines
// itself, the events of an answer, whole messages, usage, stop reasons and error types.
//
// A request comes in through [Decode], or through [ReadBody] where the model that it names
// decides how to go on. An answer is a sequence of [Event] values, of which [Collect] makes one
// [Message]; both are written as JSON by AppendJSON. An event that came from a model with a
// tool API of its own carries its JSON as it came, in Event.Raw.
//
// Such an event says the same twice, because two parties read it: Raw is what the client is
// sent, with all that only the model's maker knows; the other fields are what the proxy counts,
// checks and rescues, and they alone are set in events of our own. Who changes one changes the
// other too, as [Event.WithIndex] does.
//
// An [Outcome] is not part of the API: it rides on the message because whoever answers a client
// logs and counts it with the message.
//
// The package is pure: no I/O, no clock, no randomness.
//
// The files decode_*.go stand on each other in this order, each using those after it: decode,
// decode_request, then one for each part of a request (messages, tools, output), then
// decode_blocks, decode_object, decode_values, decoder and decode_path. Limits are in limits.go.
package messages
