package translate

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/testcost"
)

// ownCase is a line of testdata/corpus.jsonl: a completion, the expected blocks, and why. In a case
// with "repeat", @@ is replaced with a text that is repeated many times.
type ownCase struct {
	ID           string         `json:"id"`
	Why          string         `json:"why"`
	Tools        jsontext.Value `json:"tools"` // schemas by tool name
	Completion   string         `json:"completion"`
	Stop         messages.Stop  `json:"upstream_stop_reason"`
	StopSequence string         `json:"stop_sequence"`
	StopReason   messages.Stop  `json:"expected_stop_reason"`
	Expected     []struct {
		Type  string         `json:"type"`
		Text  string         `json:"text"`
		Name  string         `json:"name"`
		Input jsontext.Value `json:"input"`
	} `json:"expected"`
	Repeat struct {
		Text  string `json:"text"`
		Count int    `json:"count"`
	} `json:"repeat"`
}

// TestCorpus reads the completions of testdata/corpus.jsonl whole, and cut in two at every byte.
// Values must be exactly equal. Texts may differ in white space at their ends.
func TestCorpus(t *testing.T) {
	file, err := os.Open("testdata/corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	lines := bufio.NewScanner(file)
	for ; lines.Scan(); n++ {
		var c ownCase
		if err := json.Unmarshal(lines.Bytes(), &c, json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) { c.run(t) })
	}
	if err := lines.Err(); err != nil || n < 300 {
		t.Errorf("%d cases; the corpus has at least 300 (%v)", n, err)
	}
}

func (c *ownCase) run(t *testing.T) {
	req := &messages.Request{}
	for name, schema := range rawjson.NamedMembers(c.Tools) {
		req.Tools = append(req.Tools, messages.Tool{Name: name, InputSchema: schema})
	}
	repeated := strings.Repeat(c.Repeat.Text, c.Repeat.Count)
	if repeated != "" {
		quoted := strings.Trim(string(rawjson.AppendString(nil, repeated)), `"`)
		c.Completion = strings.Replace(c.Completion, "@@", repeated, 1)
		for i := range c.Expected {
			c.Expected[i].Input = jsontext.Value(strings.Replace(string(c.Expected[i].Input), "@@", quoted, 1))
		}
	}
	whole := parse(t, req, completion{c.Completion, c.Stop, c.StopSequence}, 0)
	c.check(t, whole)
	want := show(whole)
	if repeated != "" {
		for _, n := range []int{7, 4096} {
			if got := show(parse(t, req, completion{c.Completion, c.Stop, c.StopSequence}, n)); got != want {
				t.Errorf("pieces of %d give something else", n)
			}
		}
		return
	}
	for at := 1; at < len(c.Completion); at += testcost.Cases(3, 1) {
		chunks := whatever(func(yield func(Chunk, error) bool) {
			_ = yield(Chunk{Text: c.Completion[:at]}, nil) && yield(Chunk{Text: c.Completion[at:]}, nil) &&
				yield(Chunk{Stop: c.Stop, StopSequence: c.StopSequence}, nil)
		})
		m, err := messages.Collect(checked(t, Events(req, &Prompt{}, chunks)))
		if err != nil {
			t.Fatal(err)
		}
		if got := show(m); got != want {
			t.Fatalf("cut at byte %d:\n%s\nwhole:\n%s", at, got, want)
		}
	}
}

// check compares a message with the expected one.
func (c *ownCase) check(t *testing.T, m *messages.Message) {
	same := len(m.Content) == len(c.Expected) && m.StopReason == c.StopReason
	for i := 0; same && i < len(c.Expected); i++ {
		got, want := &m.Content[i], &c.Expected[i]
		same = got.Type == want.Type && got.Name == want.Name && strings.TrimSpace(got.Text) == strings.TrimSpace(want.Text) &&
			(want.Type != messages.BlockToolUse || sameInput(got.Input, want.Input))
	}
	if !same {
		t.Errorf("%s\n%.2000q\ngot\n%.2000s\nwant %s %.2000v", c.Why, c.Completion, show(m), c.StopReason, c.Expected)
	}
}
