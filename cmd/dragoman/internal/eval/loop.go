package eval

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"dragoman/translate/messages"
)

// mostAnswers limits the answers in a loop: calls, results, and at last an answer in words.
const mostAnswers = 8

// loop makes a question a whole loop: its tools return results, and the model must end with an answer in words.
type loop struct {
	results []result // the first one that matches a call is the call's result
	answer  []string // what the last answer must contain
}

// result is what a tool returns.
type result struct {
	call    wantCall
	any     bool // whatever the input is
	text    string
	isError bool
}

// wantResult is an element of results in a test set: see [Load].
type wantResult struct {
	expectedCall
	Result *string `json:"result"`
	Error  *string `json:"error"`
}

// read returns the result.
func (r wantResult) read() (result, error) {
	call, err := r.expectedCall.read()
	switch {
	case err != nil:
		return result{}, err
	case (r.Result == nil) == (r.Error == nil):
		return result{}, errors.New("give either result or error")
	case r.Error != nil:
		return result{call, r.Input == nil, *r.Error, true}, nil
	}
	return result{call, r.Input == nil, *r.Result, false}, nil
}

// run sets the result of a call. Every call without a result in the test set gets an error.
func (l *loop) run(c *MadeCall) {
	i := slices.IndexFunc(l.results, func(r result) bool {
		return r.call.name == c.Name && (r.any || want{loose: true}.wrong(r.call, *c) == "")
	})
	if i < 0 {
		c.Result, c.IsError = "there is nothing for this input", true
		return
	}
	c.Result, c.IsError = l.results[i].text, l.results[i].isError
}

// grade returns "" if the loop is right; otherwise it returns what is wrong. The calls that got a result must be the
// expected ones: a failed call is part of the way to the right one.
func (l *loop) grade(w want, r *Record) string {
	switch {
	case r.StopReason == string(messages.StopToolUse):
		return fmt.Sprintf("no end after %d answers", r.Answers)
	case strings.TrimSpace(r.Text) == "":
		return "the last answer is empty"
	}
	why := w.grade(r.succeeded())
	for _, part := range l.answer {
		if !says(r.Text, part) {
			why = cmp.Or(why, fmt.Sprintf("the last answer does not say %s", part))
		}
	}
	return why
}

// succeeded returns the calls that got a result.
func (r *Record) succeeded() []MadeCall {
	return slices.DeleteFunc(slices.Clone(r.Calls), func(c MadeCall) bool { return c.IsError })
}

// says reports whether a text contains a part, word by word, in any case. A number is one word: 1,318.5 does not say
// 318.
func says(text, part string) bool {
	all, some := words(text), words(part)
	for i := range max(0, len(all)-len(some)+1) {
		if slices.Equal(all[i:i+len(some)], some) {
			return true
		}
	}
	return false
}

// words returns the words and numbers of a text in lower case. Commas are left out, because they group digits.
func words(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, ",", "")), func(r rune) bool {
		return r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for i, word := range list {
		list[i] = strings.Trim(word, ".")
	}
	return list
}

// continued returns the request with an answer of the model, and the results of the answer's calls.
func (r request) continued(answer *messages.Message, calls []MadeCall) request {
	var list []json.RawMessage
	var said struct {
		Content json.RawMessage `json:"content"`
	}
	mustRead(r.Messages, &list)
	mustRead(answer.AppendJSON(nil), &said)
	var results []map[string]any
	for _, b := range answer.Content {
		if b.Type == messages.BlockToolUse {
			c := calls[len(results)]
			results = append(results, map[string]any{"type": "tool_result", "tool_use_id": b.ID, "content": c.Result, "is_error": c.IsError})
		}
	}
	r.Messages = marshal(append(list,
		marshal(map[string]any{"role": "assistant", "content": said.Content}),
		marshal(map[string]any{"role": "user", "content": results})))
	return r
}

// mustRead reads JSON that this program wrote.
func mustRead(data []byte, v any) {
	if err := json.Unmarshal(data, v); err != nil {
		panic(err)
	}
}
