package eval

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// Question is one line of a test set, ready to be asked.
type Question struct {
	ID   string
	Kind string // the topic, for the report; "" if unknown

	body   []byte // a Messages request; its model is a placeholder
	want   want   // of the answer
	digest string // of body and want: a changed question counts as a new one
}

// maxTokens limits an answer. It is more than the calls of any question need. A small model that repeats itself without
// end would otherwise take minutes for each such answer.
const maxTokens = 1024

// job is one question in one format.
type job struct {
	question *Question
	format   string
}

// request is the part of a Messages request that questions need.
type request struct {
	Model     string `json:"model"`
	MaxTokens int    `json:"max_tokens"`
	// Temperature is 0, so that another run gives the same answers, if the server can do that.
	Temperature float64         `json:"temperature"`
	System      json.RawMessage `json:"system,omitempty"`
	Tools       json.RawMessage `json:"tools,omitempty"`
	ToolChoice  json.RawMessage `json:"tool_choice,omitempty"`
	Messages    json.RawMessage `json:"messages"`
}

// newQuestion returns a question with what it asks, and what is expected of the answer.
func newQuestion(id, kind string, ask request, w want) Question {
	ask.Model, ask.MaxTokens = "eval", maxTokens
	body := marshal(ask)
	return Question{id, kind, body, w, fmt.Sprintf("%.8x", sha256.Sum256(fmt.Append(body, w)))}
}

// Forced returns the questions that expect one call, each with a tool_choice that forces one.
func Forced(list []Question) (forced []Question) {
	for _, q := range list {
		if len(q.want.calls) != 1 {
			continue
		}
		var ask request
		if err := json.Unmarshal(q.body, &ask); err != nil {
			panic(err) // it was marshaled from one
		}
		ask.ToolChoice = json.RawMessage(`{"type":"any","disable_parallel_tool_use":true}`)
		forced = append(forced, newQuestion(q.ID, q.Kind, ask, q.want))
	}
	return forced
}

// unfitError is the reason why a BFCL question cannot be asked. It does not end the run: the question is left out, and
// the report says so.
type unfitError struct{ cause error }

func (e *unfitError) Error() string { return e.cause.Error() }
