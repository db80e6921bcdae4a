package translate

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"dragoman/translate/messages"
	"dragoman/translate/testcost"
)

var updateRender = flag.Bool("update-render", false, "write what Render gives into testdata/render")

// TestRenderGolden renders request.json of every archive. The last line of the archive's comment
// names the target ("target: prefill textwire"). The other files are the expected results:
// prompt.json is the prompt, prompt.txt its Text, raw.txt the string in a chat template, and error
// the error.
func TestRenderGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/render/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := renderArchive(t, archive)
			if *updateRender {
				if err := os.WriteFile(path, txtar.Format(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(got))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func renderArchive(t *testing.T, archive *txtar.Archive) *txtar.Archive {
	got := &txtar.Archive{Comment: archive.Comment, Files: slices.Clone(archive.Files)}
	req, err := messages.Decode(got.Files[0].Data, messages.DecodeOptions{})
	if err != nil {
		t.Fatalf("%s: %v", got.Files[0].Name, err)
	}
	prompt, err := renderAlike(t, req, archiveTarget(t, string(archive.Comment)))
	for i := range got.Files[1:] {
		f := &got.Files[i+1]
		switch {
		case f.Name == "error":
			f.Data = fmt.Appendln(nil, err)
		case err != nil:
			t.Fatal(err)
		case f.Name == "prompt.txt":
			f.Data = append([]byte(prompt.Text()), '\n')
		case f.Name == "raw.txt":
			raw := prompt.Raw()
			f.Data = []byte(raw.BOS + raw.Text + "\n")
		case f.Name == "prompt.json":
			if f.Data, err = json.Marshal(prompt, jsontext.WithIndent("  ")); err != nil {
				t.Fatal(err)
			}
			f.Data = append(f.Data, '\n')
		default:
			t.Fatalf("unknown file %s", f.Name)
		}
	}
	return got
}

func archiveTarget(t *testing.T, comment string) (target Target) {
	_, words, ok := strings.Cut(comment, "target:")
	if !ok {
		t.Fatal("the comment names no target")
	}
	for _, word := range strings.Fields(words) {
		switch word {
		case "prefill":
			target.Prefill = true
		case "textwire":
			target.TextWire = true
		case "specialtokens":
			target.EscapeSpecialTokens = new(true)
		default:
			if language, ok := strings.CutPrefix(word, "language="); ok {
				target.Language = language
			} else if model, ok := strings.CutPrefix(word, "model="); ok {
				target.Family = model
			} else if name, ok := strings.CutPrefix(word, "template="); ok {
				target.ChatTemplate, target.Family = name, name
			} else if target.Format, ok = strings.CutPrefix(word, "format="); !ok {
				t.Fatalf("unknown capability %q", word)
			}
		}
	}
	return target
}

// user and assistant return messages with one text.
func user(text string) messages.MessageParam {
	return messages.MessageParam{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: text}}}
}

func assistant(text string) messages.MessageParam {
	return messages.MessageParam{Role: messages.RoleAssistant, Content: []messages.BlockParam{{Type: messages.BlockText, Text: text}}}
}

func mustRender(t testing.TB, req *messages.Request, target Target) *Prompt {
	t.Helper()
	prompt, err := Render(req, target)
	if err != nil {
		t.Fatal(err)
	}
	return prompt
}

func TestRenderUnknownFormat(t *testing.T) {
	_, err := Render(&messages.Request{Messages: []messages.MessageParam{user("hi")}}, Target{ModelOptions: ModelOptions{Format: "modern"}})
	var invalid *messages.InvalidRequestError
	if err == nil || errors.As(err, &invalid) || !strings.Contains(err.Error(), `"modern"`) {
		t.Errorf("err = %v; want a plain error that names the format", err)
	}
	mustRender(t, &messages.Request{Messages: []messages.MessageParam{user("hi")}}, Target{ModelOptions: ModelOptions{Format: FormatLegacy}})
}

// What Decode would reject is rejected here too, not dropped.
func TestRenderInvalid(t *testing.T) {
	result := messages.MessageParam{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockToolResult, ToolUseID: "t1"}}}
	badTool := []messages.Tool{{Name: "a"}, {Name: "b", Index: 1, InputSchema: jsontext.Value(`{"a":1,"a":2}`)}}
	for name, tt := range map[string]struct {
		req  messages.Request
		path string
	}{
		"no messages":   {messages.Request{}, "messages"},
		"nothing said":  {messages.Request{Messages: []messages.MessageParam{{Role: messages.RoleUser}}}, "messages"},
		"orphan result": {messages.Request{Messages: []messages.MessageParam{user("hi"), assistant("x"), result}}, "messages.2.content.0"},
		"call of a user": {messages.Request{Messages: []messages.MessageParam{
			{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockToolUse, Name: "a"}}}}}, "messages.0.content.0"},
		"schema": {messages.Request{Messages: []messages.MessageParam{user("hi")}, Tools: badTool}, "tools.1.input_schema"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Render(&tt.req, Target{Prefill: true})
			var invalid *messages.InvalidRequestError
			if !errors.As(err, &invalid) || invalid.Path != tt.path {
				t.Errorf("err = %v; want an InvalidRequestError at %s", err, tt.path)
			}
		})
	}
}

// A message without blocks, because all were dropped, does not break the alternation of roles.
func TestRenderSkipsEmptyMessages(t *testing.T) {
	req := &messages.Request{Messages: []messages.MessageParam{
		user("one"), {Role: messages.RoleAssistant}, user("two"), {Role: messages.RoleAssistant, Content: []messages.BlockParam{{Type: messages.BlockText}}},
	}}
	prompt := mustRender(t, req, Target{})
	want := "\n\nHuman: one\ntwo\n\nAssistant:"
	if got := prompt.Text(); got != want {
		t.Errorf("Text() = %q; want %q", got, want)
	}
}

// The tools are the same bytes, however a client formats their JSON and whatever else it asks.
func TestRenderToolsAreByteStable(t *testing.T) {
	spellings := []string{
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"}],"tools":[{"name":"f","description":"Né <b>.",` +
			`"input_schema":{"type":"object","properties":{"x":{"type":"string","enum":["é","<1"]},"y":{"type":"integer","minimum":1}},` +
			`"required":["y"]}}]}`,
		`{"tools": [ {"input_schema": { "required" : [ "y" ],"type":"object", "properties": {
			"x": {"type": "string", "enum": ["\u00e9", "\u003c1"]}, "y": {"type":"integer","minimum": 1}}
		}, "description": "N\u00e9 \u003cb\u003e.", "name": "f"}],
		"max_tokens": 7, "model": "m", "system": "s", "messages": [{"role":"user","content":"<tools> b"}]}`,
	}
	var first string
	for i, body := range spellings {
		req, err := messages.Decode([]byte(body), messages.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		tools := mustRender(t, req, Target{}).System[0].Text
		if i == 0 {
			first = tools
		} else if diff := cmp.Diff(first, tools); diff != "" {
			t.Errorf("spelling %d:\n%s", i, diff)
		}
	}
	for _, want := range []string{"Né <b>.", `["é","<1"]`, `"minimum":1`} {
		if !strings.Contains(first, want) {
			t.Errorf("%s is not in\n%s", want, first)
		}
	}
}

// Render does not change the request.
func TestRenderLeavesRequest(t *testing.T) {
	schema := []byte("{ \"type\": \"object\", \"properties\": {\"a\": {\"type\":\"string\"}} }")
	req := &messages.Request{
		Messages: []messages.MessageParam{user("hi")},
		Tools:    []messages.Tool{{Name: "f", InputSchema: bytes.Clone(schema)}},
	}
	mustRender(t, req, Target{})
	if !bytes.Equal(req.Tools[0].InputSchema, schema) {
		t.Errorf("input_schema is now %s", req.Tools[0].InputSchema)
	}
}

func TestRenderStopSequences(t *testing.T) {
	req := &messages.Request{
		Messages:      []messages.MessageParam{user("hi")},
		StopSequences: []string{"END", CallsEnd, "END", "\n\nHuman:"},
		Tools:         []messages.Tool{{Name: "f"}},
	}
	for choice, want := range map[string][]string{
		messages.ChoiceAuto: {CallsEnd, "END", "\n\nHuman:"},
		messages.ChoiceNone: {CallsEnd, "END", "\n\nHuman:"},
	} {
		req.ToolChoice.Type = choice
		if diff := cmp.Diff(want, mustRender(t, req, Target{}).StopSequences); diff != "" {
			t.Errorf("%s: -want +got:\n%s", choice, diff)
		}
	}
}

// References that name each other many times do not make the prompt explode. Beyond the limit, a
// definition is listed once by name.
func TestRenderRefBomb(t *testing.T) {
	const inlined = 4 << 10 // more than the schema
	schema := refBomb(20, 10)
	req := &messages.Request{Messages: []messages.MessageParam{user("hi")}, Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(schema)}}}
	text := mustRender(t, req, Target{}).System[0].Text
	if limit := 8*len(schema) + 3*inlined; len(text) > limit {
		t.Errorf("%d bytes for a schema of %d", len(text), len(schema))
	}
	_, definitions, _ := strings.Cut(text, "<definitions>")
	for i := range 20 {
		name := fmt.Sprintf(`"#/$defs/d%d"`, i+1)
		if strings.Contains(text, `{"$ref":`+name+`}`) && strings.Count(definitions, name+":") != 1 {
			t.Errorf("%s is not given", name)
		}
	}
}

// deepRefs returns a chain of definitions that each name the next.
func deepRefs(n int) string {
	var defs strings.Builder
	for i := range n {
		fmt.Fprintf(&defs, `"d%d":{"$ref":"#/$defs/d%d"},`, i, i+1)
	}
	return fmt.Sprintf(`{"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{%s"d%d":{"const":"deep"}}}`, defs.String(), n)
}

func TestRenderDeepRefs(t *testing.T) {
	for _, n := range []int{1, 31, 32, 33, 5000} {
		req := &messages.Request{Messages: []messages.MessageParam{user("hi")}, Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(deepRefs(n))}}}
		if text := mustRender(t, req, Target{}).System[0].Text; !strings.Contains(text, `"const":"deep"`) {
			t.Errorf("%d definitions: the last is lost", n)
		}
	}
}

// benchRequests yields the requests of the benchmarks by name.
func benchRequests(b *testing.B) iter.Seq2[string, *messages.Request] {
	return func(yield func(string, *messages.Request) bool) {
		for _, load := range testcost.Loads() {
			req, err := messages.Decode([]byte(load.Body), messages.DecodeOptions{})
			if err != nil {
				b.Fatal(err)
			}
			if !yield(load.Name, req) {
				return
			}
		}
	}
}

func BenchmarkRender(b *testing.B) {
	for name, req := range benchRequests(b) {
		for kind, target := range map[string]Target{"cold": {}, "warm": {Memo: NewMemo()}, "textwire": {TextWire: true, Memo: NewMemo()}} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				b.SetBytes(int64(len(mustRender(b, req, target).Text())))
				b.ReportAllocs()
				for b.Loop() {
					mustRender(b, req, target)
				}
			})
		}
	}
}

func BenchmarkPromptText(b *testing.B) {
	for name, req := range benchRequests(b) {
		b.Run(name, func(b *testing.B) {
			prompt := mustRender(b, req, Target{})
			b.SetBytes(int64(len(prompt.Text())))
			b.ReportAllocs()
			for b.Loop() {
				_ = prompt.Text()
			}
		})
	}
}
