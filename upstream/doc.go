// Package upstream sends prompts to models. A host is where models run, such as Amazon Bedrock. A wire is the
// API of a model: it encodes a [translate.Prompt] as a body, and decodes the answer into [translate.Chunk]s.
//
//	call, err := up.Prepare(model, prompt)   a Call can be shown, counted or run
//	chunks := call.Chunks(ctx)               iter.Seq2[translate.Chunk, error]
//
// The sequence is lazy: the request goes out when the range begins. The first chunk comes as soon as the
// upstream has accepted the request, and often has no text. The last chunk has Stop set. A failure is the
// last element, without a chunk: an [*Error] in the terms of the Messages API, or the context's cause if the
// context has ended. An answer that breaks off is always a failure, never a quiet end. Leaving the range
// cancels the request and releases everything that it held.
//
// If a model has a tool API of its own, PrepareNative passes the client's request through unchanged. The call
// then returns [messages.Event]s by the same rules.
//
// The files form layers. Each layer uses only itself and the layers below it:
//
//	bedrock*, vertex*, server, credentials       the hosts: URLs, headers, signatures, credentials
//	messages_*, native*, converse_*, chat*, text the wires: request bodies and answers
//	call, list                                   the call to a model; the list of models
//	endpoint, response, sse, sequence, connect   HTTP, for every wire
//	stop_*, prompt, json                         shared by several wires
//	errors*, refusals, retry_after               failures in the terms of the Messages API
//	describe, model, family                      what a host makes of a model: its wire, features and limit
//
// The packages inside are eventstream (the frames that clients of Bedrock receive), converse (the JSON of
// Bedrock's Converse), simulated (a program that plays a model) and upstreamtest (servers to test against).
package upstream
