package upstreamtest

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// Native plays a model with a tool API. It gets the body of a request, and returns the events of the answer
// in order, each as JSON (docs/reference/streaming.md §3). A server with a Native checks only the model and
// the stream member of the body, and uses only the fault of its script.
type Native func(model string, body []byte) []string

// call returns the events of an answer.
func (n Native) call(model string, body []byte) []event {
	var list []event
	for _, data := range n(model, body) {
		var e struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal([]byte(data), &e, jsontext.AllowInvalidUTF8(true)); err != nil {
			panic(err) // invalid JSON in the script
		}
		list = append(list, event{e.Type, []byte(data)})
	}
	return list
}

// callOr is call, but for a nil Native it returns the events of the completion.
func (n Native) callOr(c Completion, model string, body []byte) []event {
	if n == nil {
		return c.events()
	}
	return n.call(model, body)
}

// nativePrompt is the prompt in the log for a native request.
var nativePrompt = &translate.Prompt{}
