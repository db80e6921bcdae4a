package upstreamtest

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// Native plays a model that has a tool API. It is given the body of a request, and returns
// the events of the answer in order, each as JSON (docs/reference/streaming.md §3). A server
// whose Native is set does not check the body beyond the model and whether to stream, and
// takes nothing but the fault from its script.
type Native func(model string, body []byte) []string

// call returns the events of an answer.
func (n Native) call(model string, body []byte) []event {
	var list []event
	for _, data := range n(model, body) {
		var e struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal([]byte(data), &e, jsontext.AllowInvalidUTF8(true)); err != nil {
			panic(err) // the script's own
		}
		list = append(list, event{e.Type, []byte(data)})
	}
	return list
}

// callOr is call, or returns the events of the completion if there is no such model.
func (n Native) callOr(c Completion, model string, body []byte) []event {
	if n == nil {
		return c.events()
	}
	return n.call(model, body)
}

// nativePrompt stands in the log for what a native request asks.
var nativePrompt = &translate.Prompt{}
