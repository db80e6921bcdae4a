// Package messages is what the Messages API says, and nothing of how a model is
// prompted: requests and how they are decoded and validated, content blocks, tools that
// the API defines itself, the events of an answer and how they are written as JSON,
// whole messages, usage, stop reasons and errors.
//
// A request comes in through [ReadBody] or [Decode]. An answer is a sequence of [Event]s,
// which [Collect] makes one [Message] of; both can write themselves as JSON. Events that
// a model with a tool API of its own sent carry that JSON as it came (Event.Raw).
//
// The package is pure: no I/O, no clock, no randomness.
package messages
