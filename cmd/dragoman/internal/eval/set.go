package eval

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"dragoman/translate/messages"
)

// The built-in questions: a few, of the kinds that distinguish formats; many, with values that are hard to write; and
// whole loops.
var (
	//go:embed quick.jsonl
	quick []byte
	//go:embed builtin.jsonl
	builtin []byte
	//go:embed loops.jsonl
	loops []byte
)

// Builtin returns the built-in questions.
func Builtin() ([]Question, error) { return embedded(builtin, loops) }

// Quick returns the built-in questions for a short run: simple calls, several calls, nested arguments, questions that
// no tool fits, and whole loops.
func Quick() ([]Question, error) { return embedded(quick, loops) }

// Loops returns the built-in loops.
func Loops() ([]Question, error) { return embedded(loops) }

// embedded returns the questions of files.
func embedded(files ...[]byte) ([]Question, error) {
	s, err := read(bytes.NewReader(bytes.Join(files, nil)), "the built-in questions", nil)
	return s.Questions, err
}

// Set is a loaded test set.
type Set struct {
	Questions []Question
	// LeftOut has the reasons for each BFCL question that cannot be asked: the Messages API does not accept it.
	LeftOut []error
}

// Load reads a test set: a file of JSON lines in our layout or in BFCL's. The answers to a BFCL file are in the file of
// the same name in the folder possible_answer beside it.
//
// A line in our layout is an object with the fields
//
//	id        a string, unique in the file
//	tools     [{"name", "description", "input_schema"}, …], as in the Messages API
//	question  what the user says; or instead of it messages (and system), as in that API
//	expected  [{"name", "input"}, …]: the calls to be made, in any order; [] for none
//	kind      optional: a word by which the report groups
//	results   optional: [{"name", "input", "result" or "error"}, …], what the tools return. The question is then a
//	          whole loop: expected are the calls that got a result until the model ends in words
//	answer    optional, with results: ["text", …], each of which the last answer must contain
//
// A case that the inspector saves has a request of that API instead of tools, question, messages and system.
//
// Every value of input must match, number by number and string by string. An element of expected may also have accept,
// {"argument": [other accepted values, …]}, and optional, ["argument that may be missing", …]. So may an element of
// results; without input, it matches every input. A loop compares strings by BFCL's rules, as a forgiving tool would.
func Load(path string) (Set, error) {
	file, err := os.Open(path)
	if err != nil {
		return Set{}, err
	}
	defer file.Close()
	truth := func() (map[string][]bfclCall, error) {
		return readTruth(filepath.Join(filepath.Dir(path), "possible_answer", filepath.Base(path)))
	}
	return read(file, path, truth)
}

// LoadAll reads several test sets as one. For a folder, it reads the files in it that end in .json or .jsonl.
func LoadAll(paths []string) (Set, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return Set{}, err
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		within, err := filepath.Glob(filepath.Join(path, "*.json*"))
		if err != nil || len(within) == 0 {
			return Set{}, fmt.Errorf("%s: the folder has no file that ends in .json or .jsonl", path)
		}
		files = append(files, within...)
	}
	var all Set
	for _, path := range files {
		set, err := Load(path)
		if err != nil {
			return Set{}, err
		}
		all.Questions, all.LeftOut = append(all.Questions, set.Questions...), append(all.LeftOut, set.LeftOut...)
	}
	return all, nil
}

// line is a line of either layout.
type line struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"`
	Tools    json.RawMessage `json:"tools"`
	System   json.RawMessage `json:"system"`
	Messages json.RawMessage `json:"messages"`
	Question json.RawMessage `json:"question"`
	Expected *[]expectedCall `json:"expected"`
	Results  []wantResult    `json:"results"`
	Answer   []string        `json:"answer"`
	Request  *request        `json:"request"`

	Function []bfclFunction `json:"function"`
}

// read reads questions from r; name is the file's name, for errors. It calls truth for the answers to BFCL questions,
// once, and only if a question has an answer.
func read(r io.Reader, name string, truth func() (map[string][]bfclCall, error)) (Set, error) {
	var (
		set     Set
		answers map[string][]bfclCall
		seen    = map[string]bool{}
	)
	err := eachLine(r, func(n int, data []byte) error {
		at := func(err error) error { return fmt.Errorf("%s:%d: %w", name, n, err) }
		var l line
		if err := unmarshal(data, &l); err != nil {
			return at(err)
		}
		if l.Function != nil && answers == nil && !unanswered(l.ID) {
			var err error
			if answers, err = truth(); err != nil {
				return fmt.Errorf("the answers to %s: %w", name, err)
			}
		}
		q, err := l.read(answers)
		if l.Function == nil && err == nil && seen[q.ID] { // BFCL itself has a duplicate id
			err = fmt.Errorf("a second question with the id %q", q.ID)
		}
		var unfit *unfitError
		switch {
		case errors.As(err, &unfit):
			set.LeftOut = append(set.LeftOut, at(err))
			return nil
		case err != nil:
			return at(err)
		}
		seen[q.ID] = true
		set.Questions = append(set.Questions, q)
		return nil
	})
	if err == nil && len(set.Questions) == 0 {
		err = fmt.Errorf("%s: there is no question in it", name)
		if len(set.LeftOut) > 0 {
			err = fmt.Errorf("%s: no question in it can be asked; the first: %w", name, set.LeftOut[0])
		}
	}
	return set, err
}

// read returns the question of a line in either layout. If the Messages API would reject the question, it returns the
// decoder's error.
func (l *line) read(answers map[string][]bfclCall) (Question, error) {
	if l.ID == "" {
		return Question{}, errors.New("id: missing")
	}
	read := l.own
	if l.Function != nil {
		read = func() (request, want, error) { return readBFCL(l.ID, l.Question, l.Function, answers) }
	}
	ask, want, err := read()
	if err != nil {
		return Question{}, err
	}
	kind := l.Kind
	if kind == "" && l.Function != nil {
		kind = bfclKind(l.ID)
	}
	played, err := l.loop()
	if err != nil {
		return Question{}, err
	}
	want.loose = want.loose || played != nil
	q := newQuestion(l.ID, kind, ask, want, played)
	_, err = messages.Decode(q.body, messages.DecodeOptions{Strict: true})
	if err != nil && l.Function != nil {
		err = &unfitError{err}
	}
	return q, err
}

// own returns the request of a line in our layout, and the expected answer.
func (l *line) own() (request, want, error) {
	r := request{System: l.System, Tools: l.Tools, Messages: l.Messages}
	if l.Request != nil {
		r = request{System: l.Request.System, Tools: l.Request.Tools, ToolChoice: l.Request.ToolChoice, Messages: l.Request.Messages}
		l.Messages = r.Messages
	}
	switch {
	case l.Expected == nil:
		return r, want{}, errors.New("expected: missing; write [] if no call should be made")
	case (l.Question == nil) == (l.Messages == nil):
		return r, want{}, errors.New("question: missing; give question or messages")
	case l.Question != nil:
		var text string
		if err := json.Unmarshal(l.Question, &text); err != nil {
			return r, want{}, errors.New("question: not a string, and not a line of BFCL, which has a function")
		}
		r.Messages = userSays(text)
	}
	var w want
	for i, e := range *l.Expected {
		c, err := e.read()
		if err != nil {
			return r, want{}, fmt.Errorf("expected.%d: %w", i, err)
		}
		w.calls = append(w.calls, c)
	}
	return r, w, nil
}

// loop returns what makes the line a loop; nil if it is none.
func (l *line) loop() (*loop, error) {
	switch {
	case l.Results == nil && l.Answer != nil:
		return nil, errors.New("answer: only a question with results has a last answer; give results, or leave answer out")
	case l.Results == nil:
		return nil, nil
	}
	for i, part := range l.Answer {
		if len(words(part)) == 0 {
			return nil, fmt.Errorf("answer.%d: %q has no word and no number", i, part)
		}
	}
	played := &loop{answer: l.Answer}
	for i, r := range l.Results {
		read, err := r.read()
		if err != nil {
			return nil, fmt.Errorf("results.%d: %w", i, err)
		}
		played.results = append(played.results, read)
	}
	return played, nil
}

// expectedCall is an element of expected: see [Load].
type expectedCall struct {
	Name     string           `json:"name"`
	Input    map[string]any   `json:"input"`
	Accept   map[string][]any `json:"accept"`
	Optional []string         `json:"optional"`
}

// read returns the call for grading: each argument with all accepted values.
func (e expectedCall) read() (wantCall, error) {
	c := wantCall{name: e.Name, args: map[string]wantArg{}}
	if e.Name == "" {
		return c, errors.New("name: missing")
	}
	for name, value := range e.Input {
		c.args[name] = wantArg{allowed: []any{value}}
	}
	for name, values := range e.Accept {
		a := c.args[name]
		a.allowed = append(a.allowed, values...)
		c.args[name] = a
	}
	for _, name := range e.Optional {
		a, known := c.args[name]
		if !known {
			return c, fmt.Errorf("optional: input has no %q", name)
		}
		a.optional = true
		c.args[name] = a
	}
	return c, nil
}

// userSays returns the messages of a request with one user text.
func userSays(text string) json.RawMessage {
	return marshal([]map[string]string{{"role": "user", "content": text}})
}
