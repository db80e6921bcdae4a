package eval

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"dragoman/translate/messages"
)

// Question is one line of a test set, ready to be asked.
type Question struct {
	ID   string
	Kind string // the topic, for the report; "" if unknown

	body   []byte // a Messages request; its model is a placeholder
	want   want   // of the answer
	loop   *loop  // of a whole loop; nil if only the first answer counts
	digest string // of body, want and loop: a changed question counts as a new one
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

// newQuestion returns a question with what it asks, and what is expected of the answer. l is nil if only the first
// answer counts.
func newQuestion(id, kind string, ask request, w want, l *loop) Question {
	ask.Model, ask.MaxTokens = "eval", maxTokens
	body := marshal(ask)
	all := fmt.Append(body, w)
	if l != nil {
		all = fmt.Append(all, *l)
	}
	return Question{id, kind, body, w, l, fmt.Sprintf("%.8x", sha256.Sum256(all))}
}

// request returns what the question asks.
func (q *Question) request() (r request) {
	mustRead(q.body, &r)
	return r
}

// grade returns "" if a record with the answers is right; otherwise it returns what is wrong.
func (q *Question) grade(r *Record) (why string) {
	if q.loop != nil {
		why = q.loop.grade(q.want, r)
	} else {
		why = q.want.grade(r.Calls)
	}
	// Cut calls may be right by chance, but a client could not have run them.
	if r.StopReason == string(messages.StopMaxTokens) && len(r.Calls) > 0 {
		why = cmp.Or(why, "cut off by max_tokens")
	}
	return why
}

// Forced returns the questions that expect one call, each with a tool_choice that forces one. A loop cannot be forced:
// it would never end.
func Forced(list []Question) (forced []Question) {
	for _, q := range list {
		if len(q.want.calls) != 1 || q.loop != nil {
			continue
		}
		ask := q.request()
		ask.ToolChoice = json.RawMessage(`{"type":"any","disable_parallel_tool_use":true}`)
		forced = append(forced, newQuestion(q.ID, q.Kind, ask, q.want, nil))
	}
	return forced
}

// unfitError is the reason why a BFCL question cannot be asked. It does not end the run: the question is left out, and
// the report says so.
type unfitError struct{ cause error }

func (e *unfitError) Error() string { return e.cause.Error() }
