package upstreamtest

import (
	"github.com/go-json-experiment/json"

	"dragoman/translate"
)

// Native is a model with a tool API of its own: it returns the events of its answer,
// each as JSON (docs/reference/streaming.md §3), to a request's body. A server whose
// Native is set reads no more of a body than says whom it is for, and takes from
// its script only the fault.
type Native func(model string, body []byte) []string

// call returns the events of an answer.
func (n Native) call(model string, body []byte) []event {
	var list []event
	for _, data := range n(model, body) {
		var e struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
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
