// Package inspector shows operators each exchange while it runs: the client's request, the prompts made of it, what the
// models wrote, and the events that the client got, each with its time.
//
//	inspector, routes               an inspector, and all its URLs
//	guard, query, assets            access, what a request asks for, the files of the page
//	api, view, feed                 the lists, one exchange, live changes
//	capture, timing                 recording an exchange in progress
//	conversation                    finding the turn before an exchange
//	store, exchange, prompt         what is kept, and how much
//	text, span, clip                growing texts, their parts, and shortened texts
//	curl, case, redact, replay      what can be made of a kept exchange
//	mark, lost, why, reparse        how an exchange went, text that is not a call, and changes that may help
//	search                          exchanges that contain a text
//	playground                      rendering and parsing on trial
//	page                            the files for the browser
//
// Kept exchanges contain texts of clients and models, and only who has the token gets them. Of the request headers,
// only those in [keptHeaders] are kept, and never a key.
package inspector
