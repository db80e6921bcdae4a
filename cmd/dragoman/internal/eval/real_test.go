package eval

import (
	"bufio"
	"encoding/json"
	"iter"
	"os"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// TestRealCompletions grades the calls in a real model's answers (translate/testdata). testdata/real-wrong.tsv lists
// the wrong answers with their faults. The list may only shrink: an answer outside it must be right, and an answer
// inside it must be wrong. With -update, the right answers are removed from the list.
func TestRealCompletions(t *testing.T) {
	const list = "testdata/real-wrong.tsv"
	data, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("../../../../translate/testdata/real-completions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	known := map[string]string{}
	for line := range strings.Lines(string(data)) {
		id, cause, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		known[id] = cause
	}
	var kept strings.Builder
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c realCompletion
		if err := unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		wrong := c.grade(t)
		cause, listed := known[c.ID]
		delete(known, c.ID)
		switch {
		case wrong != "" && !listed:
			t.Errorf("%s: %s", c.ID, wrong)
		case wrong == "" && listed && !*update:
			t.Errorf("%s is right, and stands in %s: run the test with -update", c.ID, list)
		case wrong != "":
			kept.WriteString(c.ID + "\t" + cause + "\n")
		}
	}
	if lines.Err() != nil || len(known) > 0 {
		t.Errorf("no answers to %v (%v)", known, lines.Err())
	}
	if *update {
		if err := os.WriteFile(list, []byte(kept.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// realCompletion is a line of translate/testdata/real-completions.jsonl.
type realCompletion struct {
	ID         string          `json:"id"`
	Asked      string          `json:"asked_in"` // a format; "native": the model's own template
	Request    json.RawMessage `json:"request"`
	Completion string          `json:"completion"`
	Stop       messages.Stop   `json:"stop_reason"`
	Right      []bfclCall      `json:"right_answer"`
}

// grade returns what is wrong with the calls in the answer; "" if nothing is.
func (c *realCompletion) grade(t *testing.T) string {
	t.Helper()
	req, err := messages.Decode(c.Request, messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := translate.Render(req, translate.Target{ModelOptions: translate.ModelOptions{Format: strings.Replace(c.Asked, "native", translate.FormatJSON, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := messages.Collect(translate.Events(req, prompt, func(*translate.Prompt) iter.Seq2[translate.Chunk, error] {
		return func(yield func(translate.Chunk, error) bool) {
			yield(translate.Chunk{Text: c.Completion, Stop: c.Stop}, nil)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	id, _, _ := strings.Cut(c.ID, "/")
	w, err := bfclWant(id, map[string][]bfclCall{id: c.Right})
	if err != nil {
		t.Fatal(err)
	}
	var r Record
	r.add(m, 0)
	return w.grade(r.Calls)
}
