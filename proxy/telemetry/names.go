package telemetry

// All emitted names. The GenAI names follow two generations of the OpenTelemetry conventions, both in development: A is
// what their site publishes (semantic-conventions-genai, docs/gen-ai/gen-ai-spans.md and gen-ai-metrics.md at 004902b),
// B is the current state of their repository (client-inference.md at 024a4f9).

// Attributes of HTTP, errors and servers, from stable conventions.
const (
	attrMethod          = "http.request.method"
	attrRoute           = "http.route"
	attrPath            = "url.path"
	attrScheme          = "url.scheme"
	attrStatus          = "http.response.status_code"
	attrProtocolVersion = "network.protocol.version"
	attrUserAgent       = "user_agent.original"
	attrErrorType       = "error.type"
	attrServerAddress   = "server.address"
	attrServerPort      = "server.port"
)

// GenAI attributes that both generations share.
const (
	attrOperation      = "gen_ai.operation.name"
	attrProvider       = "gen_ai.provider.name"
	attrConversation   = "gen_ai.conversation.id"
	attrRequestModel   = "gen_ai.request.model"
	attrRequestStream  = "gen_ai.request.stream"
	attrMaxTokens      = "gen_ai.request.max_tokens"
	attrTemperature    = "gen_ai.request.temperature"
	attrTopP           = "gen_ai.request.top_p"
	attrTopK           = "gen_ai.request.top_k"
	attrStopSequences  = "gen_ai.request.stop_sequences"
	attrResponseID     = "gen_ai.response.id"
	attrResponseModel  = "gen_ai.response.model"
	attrFinishReasons  = "gen_ai.response.finish_reasons"
	attrFirstChunk     = "gen_ai.response.time_to_first_chunk"
	attrInputTokens    = "gen_ai.usage.input_tokens"
	attrOutputTokens   = "gen_ai.usage.output_tokens"
	attrCacheRead      = "gen_ai.usage.cache_read.input_tokens"
	attrTokenType      = "gen_ai.token.type"
	attrTokenModality  = "gen_ai.token.modality"
	attrInputMessages  = "gen_ai.input.messages"
	attrOutputMessages = "gen_ai.output.messages"
	attrSystem         = "gen_ai.system_instructions"
	attrTools          = "gen_ai.tool.definitions"
)

// Attributes and events of our own.
const (
	attrRequestID         = "dragoman.request_id"
	attrClientRequestID   = "dragoman.client_request_id"
	attrUpstreamRequestID = "dragoman.upstream_request_id"
	attrKeyID             = "dragoman.key_id"
	attrDialect           = "dragoman.dialect"
	attrModel             = "dragoman.model"
	attrUpstream          = "dragoman.upstream"
	attrWire              = "dragoman.wire"
	attrFormat            = "dragoman.format"
	attrTerminal          = "dragoman.terminal"
	attrStream            = "dragoman.stream"
	attrAttempts          = "dragoman.attempts"
	attrAttempt           = "dragoman.attempt"
	attrInPlaceOf         = "dragoman.in_place_of"
	attrStopReason        = "dragoman.stop_reason"
	attrToolCalls         = "dragoman.tool_calls"
	attrToolCallReasons   = "dragoman.tool_call_reasons"
	attrDropped           = "dragoman.dropped"
	attrUnmet             = "dragoman.unmet"
	attrAgent             = "dragoman.agent_id"
	attrParentAgent       = "dragoman.parent_agent_id"
	attrTurns             = "dragoman.turns"
	attrReason            = "dragoman.reason"
	attrParseTime         = "dragoman.parse.duration"
	attrTruncated         = "dragoman.content_truncated"

	eventAskedAgain = "dragoman.asked_again" // the model was asked to continue or to repair its answer
)

// Values.
const (
	operation  = "chat"
	spanRender = "render"
	spanParse  = "parse"
	canceled   = "canceled" // error.type of a call that ended because its exchange ended
	other      = "_OTHER"
)

// kind is the unit of an instrument.
type kind uint8

const (
	histogram kind = iota
	counter
)

// instrument is one metric of a generation. Its labels are [base] and more.
type instrument struct {
	name, unit, help string
	kind             kind
	buckets          []float64
	more             string // an additional label; "" for none
}

// base are the labels of every instrument. A label without a value is omitted.
var base = []string{attrOperation, attrProvider, attrRequestModel, attrServerAddress, attrServerPort}

// The buckets of the conventions.
var (
	secondBuckets = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	tokenBuckets  = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
)

// generation has the differences between the generations. An instrument without a name does not exist in it.
type generation struct {
	cacheWrite string // the attribute for tokens written to a cache
	cutIsError bool   // a missing finish reason is "error"

	duration, firstChunk, perChunk instrument
	tokens                         instrument // by gen_ai.token.type

	inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens instrument // totals
	inputPerCall, outputPerCall                                  instrument
}

// instruments returns the instruments of the generation.
func (g *generation) instruments() []*instrument {
	var has []*instrument
	for _, i := range []*instrument{
		&g.duration, &g.firstChunk, &g.perChunk, &g.tokens, &g.inputTokens, &g.outputTokens, &g.cacheReadTokens, &g.cacheWriteTokens,
		&g.inputPerCall, &g.outputPerCall,
	} {
		if i.name != "" {
			has = append(has, i)
		}
	}
	return has
}

const (
	helpDuration   = "Time of a call to an upstream."
	helpFirstChunk = "Time from a call to an upstream to the first piece of its answer."
	helpPerChunk   = "Time between two pieces of an answer."
)

// generationA is the default.
var generationA = generation{
	cacheWrite: "gen_ai.usage.cache_creation.input_tokens",
	duration:   instrument{"gen_ai.client.operation.duration", "s", helpDuration, histogram, secondBuckets, attrErrorType},
	firstChunk: instrument{"gen_ai.client.operation.time_to_first_chunk", "s", helpFirstChunk, histogram, secondBuckets, ""},
	perChunk:   instrument{"gen_ai.client.operation.time_per_output_chunk", "s", helpPerChunk, histogram, secondBuckets, ""},
	tokens:     instrument{"gen_ai.client.token.usage", "{token}", "Tokens of a call, as the upstream counts them.", histogram, tokenBuckets, attrTokenType},
}

// generationB is used with OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental.
var generationB = generation{
	cacheWrite: "gen_ai.usage.cache_write.input_tokens",
	cutIsError: true,
	duration:   instrument{"gen_ai.client.inference.duration", "s", helpDuration, histogram, secondBuckets, attrErrorType},
	firstChunk: instrument{"gen_ai.client.inference.time_to_first_chunk", "s", helpFirstChunk, histogram, secondBuckets, ""},
	perChunk:   instrument{"gen_ai.client.inference.time_per_output_chunk", "s", helpPerChunk, histogram, secondBuckets, ""},

	inputTokens:      instrument{"gen_ai.client.inference.usage.input_tokens", "{token}", "Tokens of prompts, including cached tokens.", counter, nil, attrTokenModality},
	outputTokens:     instrument{"gen_ai.client.inference.usage.output_tokens", "{token}", "Tokens of completions.", counter, nil, attrTokenModality},
	cacheReadTokens:  instrument{"gen_ai.client.inference.usage.cache_read.input_tokens", "{token}", "Tokens of prompts that came from a cache.", counter, nil, attrTokenModality},
	cacheWriteTokens: instrument{"gen_ai.client.inference.usage.cache_write.input_tokens", "{token}", "Tokens of prompts that were written to a cache.", counter, nil, attrTokenModality},
	inputPerCall:     instrument{"gen_ai.client.inference.operation.input_tokens", "{token}", "Tokens of the prompt of a call.", histogram, tokenBuckets, attrErrorType},
	outputPerCall:    instrument{"gen_ai.client.inference.operation.output_tokens", "{token}", "Tokens of the completion of a call.", histogram, tokenBuckets, attrErrorType},
}
