// Package upstreamtest has upstreams to test against: working servers that speak the
// wires of Amazon Bedrock, of Google Vertex AI, of the Messages API and of chat
// completions, check what they are sent as the real ones do, and fail on cue.
//
//	fake := upstreamtest.NewBedrock(nil)         // plays the simulated model
//	server := httptest.NewServer(fake)
//
// A [Script] says what a server answers, and a [Fault] what goes wrong. The servers take
// text alone, as a model without tools does: a request with tools is refused. A server
// whose [Native] is set takes them.
//
// A request goes through these files:
//
//	bedrock*, converse*, text, vertex, messages, chat*   one server or wire each
//	request, sigv4, guardrail                            what is checked of a body, and who asks
//	tokens, token_server, grants, credentials            the token servers of Google
//	roles                                                where AWS hands out credentials
//	pipes                                                a network without sockets
//	script, cue, native                                  what is answered, and what goes wrong
//	read_request                                         the request behind a prompt, for the simulated model
//	events, play                                         the events of an answer, and how they are sent
//	authority                                            certificates, where a test is about TLS
//
// The servers spell the wires of Bedrock a second time on purpose: they have types of
// their own for the JSON of Converse, and write AWS frames with the SDK's encoder. A
// member that is misspelled in a type that both sides share would be misspelled on both,
// and no test would see it.
package upstreamtest
