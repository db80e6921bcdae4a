// Package upstreamtest has upstreams for tests. They are working servers with the wires of Amazon Bedrock,
// Google Vertex AI, the Messages API and chat completions. They check requests as the real servers do, and
// fail on cue.
//
//	fake := upstreamtest.NewBedrock(nil)         // plays the simulated model
//	server := httptest.NewServer(fake)
//
// A [Script] decides what a server answers, and a [Fault] how the answer fails. By default the servers play
// models without a tool API, so they take only text and reject requests with tools. A server with a [Native]
// takes tools.
//
// A request goes through these files:
//
//	bedrock*, converse*, text, vertex, messages, chat*   one server or wire each
//	request, sigv4, guardrail                            checks of bodies and signatures
//	tokens, token_server, grants, credentials            the token servers of Google
//	roles                                                the credentials servers of AWS
//	pipes                                                a network without sockets
//	script, cue, native                                  answers and faults
//	read_request                                         the request behind a prompt, for the simulated model
//	events, play                                         the events of an answer, and sending them
//	authority                                            certificates for tests of TLS
//
// The servers define the wires of Bedrock a second time on purpose: they have their own types for the JSON of
// Converse, and write AWS frames with the SDK's encoder. If both sides shared a type with a misspelled
// member, both sides would agree on it, and no test would find the mistake.
package upstreamtest
