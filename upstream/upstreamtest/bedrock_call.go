package upstreamtest

import (
	"net/http"

	"dragoman/translate"
)

// bedrockCall is a request to an operation, and the form of its answer.
type bedrockCall struct {
	prompt *translate.Prompt
	events func(Completion) []event                    // the events of the answer
	frames func(http.ResponseWriter, *body) wireWriter // the writer of the events
	whole  bool                                        // the answer comes in one piece, so it cannot fail in the middle
}

// The operations in the path of a request.
const (
	invokeStream   = "invoke-with-response-stream"
	invokeWhole    = "invoke"
	converseStream = "converse-stream"
	converse       = "converse"
)

// countTokens is the operation that only counts (docs/reference/bedrock.md §6).
const countTokens = "count-tokens"
