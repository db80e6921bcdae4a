// Package inspector shows operators what becomes of each exchange, while it goes on: the client's
// request, the prompts that were made of it, what the models wrote, and the events that the client
// got, with the time of each.
//
//	inspector, routes               an inspector, and all its URLs
//	guard, query, assets            who is let in, what is asked for, the files of the page
//	api, view, feed                 the lists, one exchange, what changes
//	capture, timing                 what is told of an exchange while it goes on
//	conversation                    which exchange was the turn before
//	store, exchange, prompt         what is kept, and how much
//	text, span, clip                texts that grow, what their parts are, and the beginnings of long ones
//	curl, case, redact, replay      what can be made of an exchange that is kept
//	mark, lost, why, reparse        how an exchange went, calls that are none, and what may change that
//	search                          which exchanges hold a text
//	playground                      what is rendered and parsed on trial
//	page                            what a browser shows of it
//
// What is kept holds what clients and models wrote, and goes nowhere but to who has the token. Of the
// header of a request only what [keptHeaders] lists is kept: no key is.
package inspector
