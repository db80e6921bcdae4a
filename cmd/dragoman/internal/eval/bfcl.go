package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The layout of the Berkeley Function Calling Leaderboard (BFCL): a file of
// questions
//
//	{"id", "question": [[{"role", "content"}, …]], "function": [{"name", "description", "parameters"}, …]}
//
// and one of answers
//
//	{"id", "ground_truth": [{"function": {"argument": [value that will do, …]}}, …]}
//
// in which "" among the values says that the argument may be missing, and an object
// has such a list for each of its members. Its schemas name types in Python's way.
// Functions have dots in their names; as for other APIs that know no such names, a
// dot becomes an underscore.
//
// What has one turn and is graded by comparing calls is read: not the categories
// with several turns, and not Java and JavaScript, whose values are source text.

// bfclFunction is a tool.
type bfclFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// bfclCall is a call that is expected: the values that will do, by function and argument.
type bfclCall map[string]map[string][]any

// unanswered reports whether the questions of a category have no answers: nothing is
// to be called, or anything.
func unanswered(id string) bool { return strings.Contains(id, "relevance") }

// bfclKind is the category of a question, which stands before its number.
func bfclKind(id string) string {
	return strings.TrimRight(strings.TrimRight(id, "0123456789-"), "_")
}

// readTruth reads a file of answers, by the ids of the questions.
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

// bfcl reads a line in BFCL's layout.
func (l *line) bfcl(answers map[string][]bfclCall) (request, want, error) {
	var (
		r     request
		turns [][]struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		}
	)
	if strings.Contains(l.ID, "java") {
		return r, want{}, errors.New("the categories of Java and JavaScript are not read: their values are source text")
	}
	if err := json.Unmarshal(l.Question, &turns); err != nil {
		return r, want{}, fmt.Errorf("question: %w", err)
	}
	if len(turns) != 1 {
		return r, want{}, fmt.Errorf("question: it has %d turns; those with one alone are read", len(turns))
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
	tools, err := bfclTools(l.Function)
	if err != nil {
		return r, want{}, err
	}
	r.Tools, r.Messages = marshal(tools), marshal(messages)
	if system != nil {
		r.System = marshal(strings.Join(system, "\n\n"))
	}
	w, err := bfclWant(l.ID, answers)
	return r, w, err
}

// bfclWant is what is expected of the answer to a question.
func bfclWant(id string, answers map[string][]bfclCall) (want, error) {
	w := want{Loose: true}
	if unanswered(id) {
		w.Any = !strings.Contains(id, "irrelevance")
		return w, nil
	}
	truth, known := answers[id]
	if !known {
		return w, fmt.Errorf("there is no answer with the id %q", id)
	}
	for _, call := range truth {
		for function, args := range call {
			c := wantCall{Name: bfclName(function), Args: map[string]wantArg{}}
			for name, allowed := range args {
				c.Args[name] = wantArg{Allowed: allowed, Optional: slices.Contains(allowed, any(""))}
			}
			w.Calls = append(w.Calls, c)
		}
	}
	return w, nil
}

func bfclName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// tool is a tool of a Messages request.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

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

// jsonTypes are JSON Schema's names of the types; "" stands for no type.
var jsonTypes = map[string]string{
	"dict": "object", "float": "number", "tuple": "array", "any": "",
	"string": "string", "integer": "integer", "boolean": "boolean", "array": "array", "object": "object", "number": "number", "null": "null",
}

// jsonSchema makes a JSON Schema of a schema whose types have Python's names. Its
// members stay in their order, in which the model is told of them.
func jsonSchema(schema jsontext.Value) (jsontext.Value, error) {
	var out bytes.Buffer
	c := schemaCopy{jsontext.NewDecoder(bytes.NewReader(schema)), jsontext.NewEncoder(&out)}
	if err := c.schema(); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

type schemaCopy struct {
	from *jsontext.Decoder
	to   *jsontext.Encoder
}

// schema copies a schema, which may also be true or false.
func (c schemaCopy) schema() error {
	return c.members(func(name string) error {
		switch {
		case name == "type" && c.from.PeekKind() == '"':
			return c.typeName()
		case name == "items" || name == "additionalProperties":
			return c.named(name, c.schema)
		case name == "properties":
			return c.named(name, func() error {
				return c.members(func(name string) error { return c.named(name, c.schema) })
			})
		}
		return c.named(name, c.value)
	})
}

// members copies an object, and leaves each member, whose name has been read, to member.
// It copies what is no object as it is.
func (c schemaCopy) members(member func(name string) error) error {
	if c.from.PeekKind() != '{' {
		return c.value()
	}
	if err := c.token(); err != nil {
		return err
	}
	for c.from.PeekKind() != '}' {
		name, err := c.from.ReadToken()
		if err == nil {
			err = member(name.String())
		}
		if err != nil {
			return err
		}
	}
	return c.token()
}

// named writes a name and copies the value behind it.
func (c schemaCopy) named(name string, value func() error) error {
	if err := c.to.WriteToken(jsontext.String(name)); err != nil {
		return err
	}
	return value()
}

func (c schemaCopy) value() error {
	v, err := c.from.ReadValue()
	if err != nil {
		return err
	}
	return c.to.WriteValue(v)
}

func (c schemaCopy) token() error {
	t, err := c.from.ReadToken()
	if err != nil {
		return err
	}
	return c.to.WriteToken(t)
}

func (c schemaCopy) typeName() error {
	t, err := c.from.ReadToken()
	if err != nil {
		return err
	}
	name, known := jsonTypes[t.String()]
	switch {
	case !known:
		return fmt.Errorf("type: %q is none that is read", t.String())
	case name == "":
		return nil
	}
	return c.named("type", func() error { return c.to.WriteToken(jsontext.String(name)) })
}
