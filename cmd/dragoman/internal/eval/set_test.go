package eval

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// set writes a test set and returns its path.
func set(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	loaded, err := Load(set(t, "own.jsonl", `
{"id": "a", "kind": "k", "source": "ours", "tools": [{"name": "f", "input_schema": {"type": "object", "properties": {"z": {}, "a": {"const": "<&>"}}}}], "question": "f < g & \"h\"?", "expected": []}

{"id": "b", "system": "Be brief.", "messages": [{"role": "user", "content": "Go."}], "expected": [{"name": "f", "input": {"x": 1.50}}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	list := loaded.Questions
	bodies := []string{
		`{"model":"eval","max_tokens":1024,"temperature":0,"tools":[{"name":"f","input_schema":{"type":"object","properties":{"z":{},"a":{"const":"<&>"}}}}],"messages":[{"content":"f < g & \"h\"?","role":"user"}]}`,
		`{"model":"eval","max_tokens":1024,"temperature":0,"system":"Be brief.","messages":[{"role":"user","content":"Go."}]}`,
	}
	for i, body := range bodies {
		if string(list[i].body) != body {
			t.Errorf("got  %s\nwant %s", list[i].body, body)
		}
	}
	if list[0].Kind != "k" || list[0].digest == list[1].digest {
		t.Errorf("got %+v", list)
	}
	if why := list[1].want.grade(calls(t, `[{"name": "f", "input": {"x": 1.5}}]`)); why != "" {
		t.Error(why)
	}
}

// TestLoadRefuses: the error names the line of a question that cannot be asked or graded.
func TestLoadRefuses(t *testing.T) {
	const ok = `{"id": "ok", "question": "?", "expected": []}` + "\n"
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "\n", "there is no question in it"},
		{"no JSON", ok + "id", "set:2: invalid character"},
		{"two values", ok + "{} {}", "set:2: more than one JSON value"},
		{"no id", `{"question": "?", "expected": []}`, "set:1: id: missing"},
		{"id twice", ok + ok, `set:2: a second question with the id "ok"`},
		{"no expectation", `{"id": "a", "question": "?"}`, "set:1: expected: missing"},
		{"a number as the id", `{"id": 1, "question": "?", "expected": []}`, "set:1: id: this should not be of the kind number"},
		{"no question", `{"id": "a", "expected": []}`, "set:1: question: missing; give question or messages"},
		{"question and messages", `{"id": "a", "question": "?", "messages": [], "expected": []}`, "set:1: question: missing; give question or messages"},
		{"question of another layout", `{"id": "a", "question": [[]], "expected": []}`, "set:1: question: not a string"},
		{"call without a name", `{"id": "a", "question": "?", "expected": [{"input": {}}]}`, "set:1: expected.0: name: missing"},
		{"optional and unknown", `{"id": "a", "question": "?", "expected": [{"name": "f", "optional": ["x"]}]}`, `set:1: expected.0: optional: input has no "x"`},
		{"answer without results", `{"id": "a", "question": "?", "expected": [], "answer": ["7"]}`, "set:1: answer: only a question with results has a last answer"},
		{"answer without a word", `{"id": "a", "question": "?", "expected": [], "results": [], "answer": ["7", "%"]}`, `set:1: answer.1: "%" has no word and no number`},
		{"result without a name", `{"id": "a", "question": "?", "expected": [], "results": [{"result": "7"}]}`, "set:1: results.0: name: missing"},
		{"result without a text", `{"id": "a", "question": "?", "expected": [], "results": [{"name": "f", "input": {}}]}`, "set:1: results.0: give either result or error"},
		{"result and error", `{"id": "a", "question": "?", "expected": [], "results": [{"name": "f", "result": "7", "error": "no"}]}`, "set:1: results.0: give either result or error"},
		{"no request", `{"id": "a", "tools": [{"name": "f"}], "question": "?", "expected": []}`, "set:1: tools.0.custom.input_schema: Field required"},
		{"BFCL without answers", `{"id": "simple_0", "question": [[{"role": "user", "content": "?"}]], "function": []}`, "the answers to "},
		{"BFCL in Java", `{"id": "simple_java_0", "question": [[]], "function": []}`, "the categories of Java and JavaScript are not read"},
		{"BFCL with turns", `{"id": "irrelevance_0", "question": [[], []], "function": []}`, "set:1: question: it has 2 turns"},
		{"BFCL with a type of its own", `{"id": "irrelevance_0", "question": [[{"role": "user", "content": "?"}]], "function": [{"name": "f", "parameters": {"type": "HashMap"}}]}`, `no question in it can be asked; the first: `},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := set(t, "set", test.text)
			if strings.Contains(test.name, "Java") {
				answer(t, path, "")
			}
			_, err := Load(path)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// answer writes the answers to the questions of a file.
func answer(t *testing.T, path, answers string) {
	t.Helper()
	beside := filepath.Join(filepath.Dir(path), "possible_answer")
	if err := os.Mkdir(beside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(beside, filepath.Base(path)), []byte(answers), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLoadBFCL(t *testing.T) {
	loaded, err := Load("testdata/bfcl/BFCL_v4_parallel_multiple.json")
	if err != nil {
		t.Fatal(err)
	}
	list := loaded.Questions
	want := `{"model":"eval","max_tokens":1024,"temperature":0,"system":"Be brief.","tools":[` +
		`{"name":"math_multiply","description":"Multiply.","input_schema":{"type":"object","properties":{"b":{"type":"number","description":"a factor"},"a":{"type":"integer"}},"required":["a","b"]}},` +
		`{"name":"book","description":"Book a room.","input_schema":{"type":"object","properties":{"guest":{"type":"object","properties":{"type":{"type":"string"},"ages":{"type":"array","items":{"type":"number"}}}},"note":{"default":{"type":"dict"}}}}}],` +
		`"messages":[{"content":"Multiply 3 by 2.5, and book a room.","role":"user"}]}`
	if got := string(list[0].body); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, q := range list {
		if q.Kind != "parallel_multiple" {
			t.Errorf("%s is of the kind %s", q.ID, q.Kind)
		}
	}

	asked := set(t, "questions.json", `{"id": "simple_1", "question": [[{"role": "user", "content": "?"}]], "function": [{"name": "f", "parameters": {"type": "dict"}}]}`)
	answer(t, asked, `{"id": "simple_0", "ground_truth": [{"f": {}}]}`)
	if _, err := Load(asked); err == nil || !strings.Contains(err.Error(), `:1: there is no answer with the id "simple_1"`) {
		t.Error(err)
	}

	// A question that cannot be asked is left out; an id may occur twice.
	const ask = `{"id": "irrelevance_0", "question": [[{"role": "user", "content": "%s"}]], "function": []}` + "\n"
	loaded, err = Load(set(t, "odd.json", fmt.Sprintf(ask+ask+ask, "a", "", "b")))
	if err != nil || len(loaded.Questions) != 2 || len(loaded.LeftOut) != 1 || !strings.Contains(loaded.LeftOut[0].Error(), "odd.json:2: messages.0") {
		t.Errorf("%v, got %+v", err, loaded)
	}
}

// TestBuiltin writes the expected calls of the built-in questions as a conversation's history, and reads them as an
// answer: each question can be answered exactly.
func TestBuiltin(t *testing.T) {
	list, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	few, err := Quick()
	if err != nil {
		t.Fatal(err)
	}
	list = append(list, few...)
	kinds := map[string]int{}
	for _, q := range list {
		kinds[q.Kind]++
		t.Run(q.ID, func(t *testing.T) {
			for _, format := range translate.Formats() {
				if why := q.want.grade(perfect(t, q, translate.Target{ModelOptions: translate.ModelOptions{Format: format}})); why != "" {
					t.Errorf("%s: %s", format, why)
				}
			}
			if len(q.want.calls) > 0 && q.want.grade(nil) == "" {
				t.Error("no call is as good")
			}
		})
	}
	for _, kind := range []string{"string", "markup", "script", "integer", "number", "boolean", "enum", "array", "object", "union", "optional", "no arguments", "code", "parallel", "choice", "turns", "none", "simple", "nested", "loop"} {
		if kinds[kind] == 0 {
			t.Errorf("there is no question of the kind %q", kind)
		}
	}
	if len(list) < 40 {
		t.Errorf("there are %d questions", len(list))
	}
}

// TestLoadAll reads files and folders as one set, each with its answers.
func TestLoadAll(t *testing.T) {
	own := set(t, "own.jsonl", `{"id": "a", "question": "?", "expected": []}`)
	folder := filepath.Join("testdata", "bfcl")
	loaded, err := LoadAll([]string{own, folder})
	if err != nil {
		t.Fatal(err)
	}
	one, err := Load(filepath.Join(folder, "BFCL_v4_parallel_multiple.json"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(loaded.Questions); n <= 1+len(one.Questions) || loaded.Questions[0].ID != "a" {
		t.Errorf("%d questions", n)
	}
	for _, test := range []struct {
		paths []string
		want  string
	}{
		{[]string{own, "none.jsonl"}, "none.jsonl: no such file"},
		{[]string{t.TempDir()}, "the folder has no file that ends in .json or .jsonl"},
	} {
		if _, err := LoadAll(test.paths); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// perfect writes the expected calls as an answer, and returns the calls that are read from it.
func perfect(t *testing.T, q Question, target translate.Target) []MadeCall {
	t.Helper()
	req, err := messages.Decode(q.body, messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	said := messages.MessageParam{Role: messages.RoleAssistant, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "Well."}}}
	for _, c := range q.want.calls {
		input := map[string]any{}
		for name, arg := range c.args {
			input[name] = arg.allowed[0]
		}
		said.Content = append(said.Content, messages.BlockParam{Type: messages.BlockToolUse, ID: "toolu_x" + c.name, Name: c.name, Input: []byte(marshal(input))})
	}
	history := *req
	history.Messages = append(history.Messages[:len(req.Messages):len(req.Messages)], said, messages.MessageParam{
		Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "Go on."}},
	})
	prompt, err := translate.Render(&history, target)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, part := range prompt.Turns[len(prompt.Turns)-2].Parts {
		text += part.Text
	}
	m, err := messages.Collect(translate.Events(req, prompt, func(*translate.Prompt) iter.Seq2[translate.Chunk, error] {
		return func(yield func(translate.Chunk, error) bool) {
			yield(translate.Chunk{Text: text, Stop: messages.StopEndTurn}, nil)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	var r Record
	r.add(m, 0)
	return r.Calls
}
