// Package upstream reaches the models. A host is where models are, and a wire is how one is asked: it
// encodes a [translate.Prompt] as a body, and decodes the answer into [translate.Chunk]s.
//
//	call, err := up.Prepare(model, prompt)   a Call is shown, counted or run
//	chunks := call.Chunks(ctx)               iter.Seq2[translate.Chunk, error]
//
// The sequence is lazy: the request goes out when the range begins. The first chunk,
// often without text, comes as soon as the upstream has accepted the request; the last
// one has Stop set. A failure is the last element, alone, and an [*Error] in the terms
// of the Messages API; when the context has ended, it is the context's cause instead. An
// answer that breaks off is always a failure, never a quiet end. Leaving the range
// cancels the request and releases all that it held.
//
// For a model with tools of its own, PrepareNative takes a client's request as it is, and the call
// returns [messages.Event]s by the same rules.
//
// The files form layers; each uses its own and those below it:
//
//	bedrock*, vertex*, server, credentials       the hosts: URLs, headers, signatures, credentials
//	messages_*, native*, converse_*, chat*, text the wires: a body, and its answer
//	call, list                                   what is asked; which models there are
//	endpoint, response, sse, sequence, connect   HTTP, whatever is asked over it
//	stops, prompt, body, json                    what several wires do
//	errors*, refusals, retry_after               failures in the terms of the Messages API
//	model, family                                what a model can be asked
//
// Its rooms are eventstream, the frames that clients of Bedrock are sent; converse, the JSON of
// Bedrock's Converse; simulated, a program that plays a model; and upstreamtest, servers
// to test against.
package upstream
