package translate

import (
	"bufio"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// TestSharedCorpus reads completions of real models from the directory in DRAGOMAN_CORPUS, in
// pieces of several sizes. The corpus is not part of this repository. Its README says how to
// compare.
func TestSharedCorpus(t *testing.T) {
	dir := os.Getenv("DRAGOMAN_CORPUS")
	if dir == "" {
		t.Skip("DRAGOMAN_CORPUS is not set")
	}
	file, err := os.Open(filepath.Join(dir, "legacy-completions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c corpusCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			for _, n := range []int{0, 1, 7} {
				m := parse(t, c.request(), completion{c.Completion, c.Stop, c.StopSequence}, n)
				if string(m.StopReason) != c.StopReason && (c.StopReason != "tool_use" || !c.matchesAlternative(m)) {
					t.Errorf("pieces of %d: stop_reason %q, want %q", n, m.StopReason, c.StopReason)
				}
				if !c.matches(m) {
					t.Errorf("pieces of %d:\n got %s\nwant %v", n, show(m), c.Expected)
				}
			}
		})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

type corpusCase struct {
	ID           string          `json:"id"`
	Tools        []corpusTool    `json:"tools"`
	Completion   string          `json:"completion"`
	Stop         messages.Stop   `json:"upstream_stop_reason"`
	StopSequence string          `json:"stop_sequence"`
	StopReason   string          `json:"expected_stop_reason"`
	Expected     []corpusBlock   `json:"expected"`
	Alternatives [][]corpusBlock `json:"alternatives"`
}

type corpusTool struct {
	Name        string         `json:"name"`
	InputSchema jsontext.Value `json:"input_schema"`
}

type corpusBlock struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Name  string `json:"name"`
	Input any    `json:"input"`
}

func (c *corpusCase) request() *messages.Request {
	req := &messages.Request{MaxTokens: 1}
	for _, tool := range c.Tools {
		req.Tools = append(req.Tools, messages.Tool{Name: tool.Name, InputSchema: tool.InputSchema})
	}
	return req
}

func (c *corpusCase) matches(m *messages.Message) bool {
	return reflect.DeepEqual(plainBlocks(m), joinText(c.Expected)) || c.matchesAlternative(m)
}

func (c *corpusCase) matchesAlternative(m *messages.Message) bool {
	for _, alt := range c.Alternatives {
		if reflect.DeepEqual(plainBlocks(m), joinText(alt)) {
			return true
		}
	}
	return false
}

func plainBlocks(m *messages.Message) []corpusBlock {
	var list []corpusBlock
	for _, b := range m.Content {
		c := corpusBlock{Type: b.Type, Text: b.Text, Name: b.Name}
		if b.Type == messages.BlockToolUse {
			if json.Unmarshal(b.Input, &c.Input) != nil {
				c.Input = "invalid"
			}
		}
		list = append(list, c)
	}
	return joinText(list)
}

// joinText trims texts, joins adjacent ones and drops empty blocks.
func joinText(list []corpusBlock) (out []corpusBlock) {
	for _, b := range list {
		if n := len(out) - 1; n >= 0 && b.Type == messages.BlockText && out[n].Type == messages.BlockText {
			out[n].Text += b.Text
		} else {
			out = append(out, b)
		}
	}
	kept := out[:0]
	for _, b := range out {
		b.Text = strings.TrimSpace(b.Text)
		if b.Type != messages.BlockText || b.Text != "" {
			kept = append(kept, b)
		}
	}
	return kept
}
