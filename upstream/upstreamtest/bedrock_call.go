package upstreamtest

import (
	"net/http"

	"dragoman/translate"
)

// bedrockCall is a request to an operation, and how it is answered.
type bedrockCall struct {
	prompt *translate.Prompt
	events func(Completion) []event                    // of the answer
	frames func(http.ResponseWriter, *body) wireWriter // how they are written
	whole  bool                                        // the answer comes in one piece, so that nothing fails within it
}

// The operations, as the path of a request names them.
const (
	invokeStream   = "invoke-with-response-stream"
	invokeWhole    = "invoke"
	converseStream = "converse-stream"
	converse       = "converse"
)

// countTokens is the operation that only counts (docs/reference/bedrock.md §6). The others
// answer.
const countTokens = "count-tokens"
