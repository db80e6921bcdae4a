// Package proxy serves the APIs of clients over HTTP. It reads a request in the client's
// dialect, has package translate and an upstream answer it, and writes the answer in the
// same dialect, streamed or whole.
//
// A file is named after what it holds, and the first word is what it is about:
//
//	routes        every URL, what else clients make of it, and paths as the log has them
//	access_…      who is let in, and how often (keys); which pages of browsers (browser); how many at once (load)
//	connection    how long a client can hold its connection
//	exchange      one request from its beginning to its end, and the one pipeline of its answer, streamed or whole
//	request       the body, until it is known which models may answer
//	models_…      which models answer to a name (config), how each is asked (options), and which there are: for
//	              clients (list), by upstreams (discovery)
//	plan, plan_…  what a model is asked: over which API, in which format, with which prompt
//	attempts_…    who is asked, and who is asked again when a call fails (retry, with a table); what is
//	              remembered of failures (breaker) and of what models refuse (refusals)
//	call, call_…  one call of an upstream: who waits for it, and how long (limits)
//	reply         the way of the answer to the client: header, frames, pings
//	dialect, …    the client APIs
//	failures      what the client is told of an error
//	record, …     what is logged, counted and said in headers; observers are told more
//	count, explain, replay   a count of tokens, what would be asked (a dry run too), a request once more
//	server        what is served; one server in the place of another
//
// The package check has what an answer has to pass.
//
// A client API is one value of type [dialect]: [messagesAPI], [bedrockInvoke],
// [bedrockConverse], [bedrockCount], [vertex] and [chatCompletions], in the files dialect_…. To add one,
// write such a value and give it its paths in [Server.Handler].
package proxy
