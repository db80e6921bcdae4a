package translate

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/tools/txtar"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// TestRealCompletions reads the answers of a real model (Qwen2.5-Coder-1.5B-Instruct, to questions
// of BFCL; both are under Apache-2.0) in testdata/real-completions.jsonl. Each is read in the
// format that the model was asked in; "native" is json. testdata/real-completions.txtar has the
// blocks and outcomes of each. cmd/dragoman/internal/eval grades which calls are right.
func TestRealCompletions(t *testing.T) {
	const goldens = "testdata/real-completions.txtar"
	file, err := os.Open("testdata/real-completions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data, err := os.ReadFile(goldens)
	if err != nil && !*update {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range txtar.Parse(data).Files {
		want[f.Name] = string(f.Data)
	}
	written := &txtar.Archive{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c realCompletion
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		got := c.read(t, 0) + "\n"
		written.Files = append(written.Files, txtar.File{Name: c.ID, Data: []byte(got)})
		if !*update && got != want[c.ID] {
			t.Errorf("%s: got\n%swant\n%s", c.ID, got, want[c.ID])
		}
		for _, n := range []int{1, 7} {
			if again := c.read(t, n) + "\n"; again != got {
				t.Errorf("%s: pieces of %d give\n%sat once\n%s", c.ID, n, again, got)
			}
		}
	}
	if n := len(written.Files); lines.Err() != nil || n < 395 {
		t.Errorf("%d completions (%v)", n, lines.Err())
	}
	if *update {
		if err := os.WriteFile(goldens, txtar.Format(written), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// realCompletion is a line of testdata/real-completions.jsonl.
type realCompletion struct {
	ID         string         `json:"id"`
	Asked      string         `json:"asked_in"`
	Request    jsontext.Value `json:"request"`
	Completion string         `json:"completion"`
	Stop       messages.Stop  `json:"stop_reason"`
}

// read returns what the client gets, in pieces of n bytes.
func (c *realCompletion) read(t *testing.T, n int) string {
	t.Helper()
	var request struct {
		Tools []struct {
			Name        string         `json:"name"`
			InputSchema jsontext.Value `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(c.Request, &request); err != nil {
		t.Fatal(err)
	}
	asked, err := format.Named(strings.Replace(c.Asked, "native", FormatJSON, 1))
	if err != nil {
		t.Fatal(err)
	}
	req := &messages.Request{ID: "msg_golden"}
	for _, tool := range request.Tools {
		req.Tools = append(req.Tools, messages.Tool{Name: tool.Name, InputSchema: tool.InputSchema})
	}
	return show(parseIn(t, &Prompt{Asking: asking{Declared: asked}}, req, completion{text: c.Completion, stop: c.Stop}, n))
}
