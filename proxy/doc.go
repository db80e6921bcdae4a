// Package proxy serves the APIs of clients over HTTP. It reads a request in the client's
// dialect, has package translate and an upstream answer it, and writes the answer in the
// same dialect, streamed or whole.
//
// A request passes the files in this order:
//
//	handler.go, serve.go        the URLs; what holds for every exchange
//	alias.go, path.go           what else clients make of them
//	auth.go, key_limits.go      who is let in, and how often
//	guard.go, cors.go           pages in browsers: kept out where there are no keys, and let in by name
//	models.go, model_list.go    which models there are, as far as upstreams say
//	overload.go                 whether there is room for it
//	request.go, body.go         the body, until it is known which models may answer
//	answer.go                   the one pipeline, streamed or whole
//	attempts.go, attempt.go     what follows when a call fails, with a table; one call
//	plan.go, render.go, wait.go what is asked, the prompt; the upstream's answer, within the timeouts
//	check                       what an answer has to pass; translate asks again if it does not
//	writer.go, outcome.go       the answer's way to the client; errors, log and metrics
//
// A client API is one value of type [dialect]: [messagesAPI], [bedrockInvoke],
// [bedrockConverse], [bedrockCount] and [vertex], each in a file of its own. To add one,
// write such a value and give it its paths in [Server.Handler].
//
// A file refers to those that it stands on and not to those that use it: an exchange
// knows nothing of the pipeline, and errors know nothing of an exchange.
package proxy
