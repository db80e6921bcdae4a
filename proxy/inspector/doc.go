// Package inspector shows operators what becomes of each exchange, while it goes on: the client's
// request, the prompts that were made of it, what the models wrote, and the events that the client
// got, with the time of each.
//
//	inspector, guard, api, feed     what is served under /inspector/, and to whom
//	capture, prompt, exchange       what is kept of an exchange; text holds what it wrote
//	store                           how much is kept of all: in exchanges and in bytes
//	curl, golden, redact, replay    what can be made of an exchange that is kept
//	page                            what a browser shows of it
//
// What is kept holds what clients and models wrote, and goes nowhere but to who has the token. Of the
// header of a request only what [keptHeaders] lists is kept: no key is.
package inspector
