// Package messages is the Messages API: requests, decoding and validation, content blocks, the
// tools that the API itself defines, the events of an answer, whole messages, usage, stop reasons
// and error types. It knows nothing about how a model is prompted.
//
// A request comes in through [Decode]. If the model's name decides what happens next, use
// [ReadBody] first. An answer is a sequence of [Event] values. [Collect] turns them into one
// [Message]. AppendJSON writes both as JSON.
//
// If the model has a tool API of its own, each event also carries the JSON that the upstream sent,
// in Event.Raw. The client gets Raw, with all members that only the upstream knows. The proxy
// counts and checks with the other fields. If you change one of the two, change the other
// too. Events that Dragoman makes have no Raw.
//
// An [Outcome] is not part of the API. It is a field of the message so that the proxy can log and
// count it with the answer.
//
// The package is pure: no I/O, no clock, no randomness.
//
// The files decode_*.go form layers. Each file uses only files after it in this order: decode,
// decode_request, the files for parts of a request (messages, tools, output), decode_blocks,
// decode_object, decode_unknown, decode_scalars, decoder, decode_path. All limits are in limits.go.
package messages
