package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The layout of the Berkeley Function Calling Leaderboard (BFCL): a file of questions
//
//	{"id", "question": [[{"role", "content"}, …]], "function": [{"name", "description", "parameters"}, …]}
//
// and a file of answers
//
//	{"id", "ground_truth": [{"function": {"argument": [accepted value, …]}}, …]}
//
// The value "" means that the argument may be missing. An object has such a list for each of its fields. The schemas
// use Python's names of types. Function names contain dots. For APIs that do not allow dots in names, each dot becomes
// an underscore.
//
// Package eval reads the categories with one turn that are graded by comparing calls. It does not read the categories
// with several turns, or those for Java and JavaScript, whose values are source text.

// bfclFunction is a tool.
type bfclFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// bfclCall is an expected call: the accepted values, by function and argument.
type bfclCall map[string]map[string][]any

// unanswered reports whether the question belongs to a category without answers. In category irrelevance no tool may be
// called; in relevance any tool may.
func unanswered(id string) bool { return strings.Contains(id, "relevance") }

// bfclKind returns the category of a question from its id: the part before the number, such as "simple" of "simple_12".
func bfclKind(id string) string {
	return strings.TrimRight(strings.TrimRight(id, "0123456789-"), "_")
}

// readTruth reads a file of answers. It returns the expected calls by question id.
func readTruth(path string) (map[string][]bfclCall, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all := map[string][]bfclCall{}
	err = eachLine(file, func(n int, data []byte) error {
		var answer struct {
			ID    string     `json:"id"`
			Truth []bfclCall `json:"ground_truth"`
		}
		if err := unmarshal(data, &answer); err != nil {
			return fmt.Errorf("%s:%d: not an answer to a question with one turn: %w", path, n, err)
		}
		all[answer.ID] = answer.Truth
		return nil
	})
	return all, err
}

// readBFCL returns the request for a question with this id and these tools, and the expected answer. question and
// functions are as in the file of questions.
func readBFCL(id string, question json.RawMessage, functions []bfclFunction, answers map[string][]bfclCall) (request, want, error) {
	var (
		r     request
		turns [][]struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		}
	)
	if strings.Contains(id, "java") {
		return r, want{}, errors.New("the categories of Java and JavaScript are not read: their values are source text")
	}
	if err := unmarshal(question, &turns); err != nil {
		return r, want{}, fmt.Errorf("question: %w", err)
	}
	if len(turns) != 1 {
		return r, want{}, fmt.Errorf("question: it has %d turns; only questions with one turn are supported", len(turns))
	}
	var system []string
	var messages []map[string]string
	for _, m := range turns[0] {
		if m.Role == "system" {
			system = append(system, m.Content)
			continue
		}
		messages = append(messages, map[string]string{"role": m.Role, "content": m.Content})
	}
	tools, err := bfclTools(functions)
	if err != nil {
		return r, want{}, err
	}
	r.Tools, r.Messages = marshal(tools), marshal(messages)
	if system != nil {
		r.System = marshal(strings.Join(system, "\n\n"))
	}
	w, err := bfclWant(id, answers)
	return r, w, err
}

// bfclWant returns the expected answer to the question with this id.
func bfclWant(id string, answers map[string][]bfclCall) (want, error) {
	w := want{loose: true}
	if unanswered(id) {
		w.any = !strings.Contains(id, "irrelevance")
		return w, nil
	}
	truth, known := answers[id]
	if !known {
		return w, fmt.Errorf("there is no answer with the id %q", id)
	}
	for _, call := range truth {
		for function, args := range call {
			c := wantCall{name: bfclName(function), args: map[string]wantArg{}}
			for name, allowed := range args {
				c.args[name] = wantArg{allowed: allowed, optional: slices.Contains(allowed, any(""))}
			}
			w.calls = append(w.calls, c)
		}
	}
	return w, nil
}

// bfclName returns the name of a function as a tool name.
func bfclName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// tool is a tool of a Messages request.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// bfclTools returns the functions as tools. The error is an *unfitError.
func bfclTools(functions []bfclFunction) ([]tool, error) {
	tools := []tool{}
	for _, f := range functions {
		schema, err := jsonSchema(jsontext.Value(f.Parameters))
		if err != nil {
			return nil, &unfitError{fmt.Errorf("function %s: %w", f.Name, err)}
		}
		tools = append(tools, tool{bfclName(f.Name), f.Description, json.RawMessage(schema)})
	}
	return tools, nil
}
