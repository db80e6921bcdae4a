package upstreamtest

import (
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// countTokens is the operation of reference/bedrock.md §6.
const countTokens = "count-tokens"

// readCount reads a request for a count: the body of one of the other operations,
// which has to be as they take it. The prompt is what it counts.
func (b *Bedrock) readCount(model string, data []byte) (*translate.Prompt, *malformed) {
	var request struct {
		Input struct {
			InvokeModel struct {
				Body []byte `json:"body"`
			} `json:"invokeModel"`
			Converse jsontext.Value `json:"converse"`
		} `json:"input"`
	}
	if problem := decode(data, &request); problem != nil {
		return nil, problem
	}
	operation, body := invokeStream, request.Input.InvokeModel.Body
	if request.Input.Converse != nil {
		operation, body = converse, request.Input.Converse
	}
	call, problem := b.read(operation, model, body)
	return call.prompt, problem
}

// writeCount answers with the number of tokens, in the member of this name.
func writeCount(w http.ResponseWriter, member string, tokens int) {
	w.Header().Set("content-type", "application/json")
	fmt.Fprintf(w, `{%q:%d}`, member, tokens)
}
