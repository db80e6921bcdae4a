// Package upstream reaches the models. Each upstream turns a [translate.Prompt] into a
// request of its own wire, and the answer on that wire into [translate.Chunk]s:
//
//	chunks := up.Invoke(ctx, model, prompt)   iter.Seq2[translate.Chunk, error]
//
// The sequence is lazy: the request goes out when the range begins. The first chunk,
// often without text, comes as soon as the upstream has accepted the request; the last
// one has Stop set. A failure is the last element, alone, and an [*Error] in the terms
// of the Messages API; when the context has ended, it is the context's cause instead. An
// answer that breaks off is always a failure, never a quiet end. Leaving the range
// cancels the request and releases all that it held.
//
// For a model with tools of its own, Pass sends a client's request as it is and returns
// [messages.Event]s by the same rules.
//
// The files form layers; each uses its own and those below it:
//
//	bedrock_wires, vertex_wires                  which wire a model is asked over
//	bedrock*, vertex*, anthropic, openai         the upstreams, and their credentials
//	lease, clock                                 how credentials are kept and renewed, and by what time
//	messages_*, native*, converse_*, chat*       the wires: a request and its answer
//	list, request                                which models there are; what would be sent
//	endpoint, response, sse, sequence, connect   HTTP, whatever is asked over it
//	stops, stopset, prompt, body, json           what several wires do
//	errors*, refusals, retry_after               failures in the terms of the Messages API
//	model, family                                what a model can be asked
//
// Its rooms are eventstream, the frames that Bedrock streams in; converse, the JSON of
// Bedrock's Converse; simulated, a program that plays a model; and upstreamtest, servers
// to test against.
package upstream
