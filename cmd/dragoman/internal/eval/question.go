package eval

import "encoding/json"

// Question is one line of a test set, ready to be asked.
type Question struct {
	ID   string
	Kind string // what it is about, for the report; "" if nobody said

	body   []byte // a Messages request; its model is a placeholder
	want   want   // of the answer
	digest string // of body and want: a question that was changed is another one
}

// maxTokens is what an answer may take: more than the calls of any question need. A small model that
// repeats itself without end would take minutes for each such answer.
const maxTokens = 1024

// job is one question in one format.
type job struct {
	question *Question
	format   string
}

// request is the body of a Messages request, as far as questions need it.
type request struct {
	Model     string `json:"model"`
	MaxTokens int    `json:"max_tokens"`
	// Temperature is 0, so that another run gives the same answers, as far as the server is able to.
	Temperature float64         `json:"temperature"`
	System      json.RawMessage `json:"system,omitempty"`
	Tools       json.RawMessage `json:"tools,omitempty"`
	ToolChoice  json.RawMessage `json:"tool_choice,omitempty"`
	Messages    json.RawMessage `json:"messages"`
}

// unfitError is why a question of BFCL's cannot be asked. It ends no run: the question is
// left out, and the report says so.
type unfitError struct{ cause error }

func (e *unfitError) Error() string { return e.cause.Error() }
