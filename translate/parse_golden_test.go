package translate

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/tools/txtar"

	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

var update = flag.Bool("update", false, "write what is parsed into the golden files")

// TestParseGolden reads the completions in testdata/parse. Every case is read in pieces of every
// size up to 16 bytes, and at once. The last newline of a completion is not part of it.
//
// Parts of a file:
//
//	tools            a JSON object of input schemas by tool name
//	format           the prompt's format, if not the default; "quoted_calls" after it turns them on
//	accept           other formats that are read
//	NAME/completion  a case, with its result in NAME/want
//	NAME/model       a case with everything that the model would write: see writer
//	NAME/stop        the upstream's stop reason and sequence; default: the format's stop sequence
//	NAME/choice      tool_choice: "none", "tool NAME", or "one" for disable_parallel_tool_use
//	NAME/prefill     the text that the completion continues
//	NAME/thinking    Target.Thinking; "asked" or "omitted" after it: the client asks for thinking
//	NAME/unasked     Target.UnaskedThinking
func TestParseGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/parse/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			archive := txtar.Parse(data)
			for _, c := range goldenCases(t, archive) {
				t.Run(c.name, c.run)
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// goldenCase is a case of a golden file.
type goldenCase struct {
	name   string
	req    *messages.Request
	prompt *Prompt
	completion
	model bool // the text is everything that the model would write
	want  *txtar.File
}

// goldenCases returns the cases of a golden file: see TestParseGolden.
func goldenCases(t *testing.T, archive *txtar.Archive) (cases []*goldenCase) {
	req := &messages.Request{ID: "msg_golden"}
	files := map[string]*txtar.File{}
	for i := range archive.Files {
		files[archive.Files[i].Name] = &archive.Files[i]
	}
	if tools := files["tools"]; tools != nil {
		var raw jsontext.Value
		if err := json.Unmarshal(tools.Data, &raw); err != nil {
			t.Fatal("tools:", err)
		}
		for name, schema := range rawjson.NamedMembers(raw) {
			req.Tools = append(req.Tools, messages.Tool{Name: name, InputSchema: schema})
		}
	}
	asked, quoted, accepts := format.List[0], false, []*format.Format(nil)
	if f := files["format"]; f != nil {
		name, rest, _ := strings.Cut(strings.TrimSpace(string(f.Data)), " ")
		var err error
		if asked, err = format.Named(name); err != nil {
			t.Fatal(err)
		}
		quoted = rest == "quoted_calls"
	}
	if f := files["accept"]; f != nil {
		var err error
		if accepts, err = format.AcceptedBy(strings.Split(strings.TrimSpace(string(f.Data)), ",")); err != nil {
			t.Fatal(err)
		}
	}
	for i := range archive.Files {
		name, kind, _ := strings.Cut(archive.Files[i].Name, "/")
		if kind != "completion" && kind != "model" {
			continue
		}
		c := &goldenCase{name: name, model: kind == "model", want: files[name+"/want"]}
		if c.want == nil {
			t.Errorf("%s has no want", name)
			continue
		}
		c.completion = completion{strings.TrimSuffix(string(archive.Files[i].Data), "\n"), messages.StopSequence, asked.StopSequence}
		if f := files[name+"/stop"]; f != nil {
			stop, sequence, _ := strings.Cut(strings.TrimSpace(string(f.Data)), " ")
			c.stop, c.sequence = messages.Stop(stop), sequence
		}
		r := *req
		c.req = &r
		if f := files[name+"/choice"]; f != nil {
			typ, name, _ := strings.Cut(strings.TrimSpace(string(f.Data)), " ")
			r.ToolChoice = messages.ToolChoice{Type: typ, Name: name, DisableParallelToolUse: typ == "one"}
		}
		c.prompt = &Prompt{Asking: asking{Declared: asked, Reads: format.NewReads(asked, accepts, 0), Target: Target{ModelOptions: ModelOptions{QuotedCalls: when(quoted, QuotedRead)}}}}
		if f := files[name+"/prefill"]; f != nil {
			c.prompt.Turns = []Turn{{Role: messages.RoleAssistant, Parts: []Part{{Type: PartText, Text: string(f.Data)}}}}
		}
		if f := files[name+"/thinking"]; f != nil {
			thinking, rest, _ := strings.Cut(strings.TrimSpace(string(f.Data)), " ")
			switch c.prompt.Target.Thinking = thinking; rest {
			case "asked":
				r.Thinking = messages.ThinkingShown
			case "omitted":
				r.Thinking = messages.ThinkingOmitted
			}
		}
		if f := files[name+"/unasked"]; f != nil {
			c.prompt.Target.UnaskedThinking = strings.TrimSpace(string(f.Data))
		}
		cases = append(cases, c)
	}
	return cases
}

// run reads the case at once and in pieces, and compares both with the expected result.
func (c *goldenCase) run(t *testing.T) {
	read := func(n int) string {
		if !c.model {
			return show(parseIn(t, c.prompt, c.req, c.completion, n)) + "\n"
		}
		w := &writer{t: t, asksIn: c.prompt.Declared, text: c.text, pieces: n}
		return show(w.message(c.req)) + fmt.Sprintf("\n# asked %d\n", len(w.asked))
	}
	got := read(0)
	if *update {
		c.want.Data = []byte(got)
	}
	if got != string(c.want.Data) {
		t.Errorf("got\n%swant\n%s", got, c.want.Data)
	}
	for n := 1; n <= 16; n++ {
		if again := read(n); again != got {
			t.Errorf("pieces of %d give\n%sat once\n%s", n, again, got)
		}
	}
}
