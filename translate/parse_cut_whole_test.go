package translate

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/tools/txtar"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
	"dragoman/translate/testcost"
)

// looksWhole cuts an answer at every byte. If a call looks complete then, the whole answer has the
// same call with the same input, and all calls before it. There are exceptions: later text may turn
// everything into text, such as a word after JSON that was the whole answer, or the end of
// thinking. Text behind a call on a line with other text shows the call. Later text may also continue a call that ends
// with its JSON.
func looksWhole(t *testing.T, prompt *Prompt, req *messages.Request, c completion) {
	t.Helper()
	read := func(c completion) (calls []string, text string) {
		for _, b := range parseIn(t, prompt, req, c, 0).Content {
			switch {
			case b.Type != messages.BlockToolUse:
				text += b.Text
			case b.Cut == nil:
				calls = append(calls, b.Name+string(b.Input))
			}
		}
		return calls, text
	}
	all, text := read(c)
	shown := slices.ContainsFunc(parseIn(t, prompt, req, c, 0).Outcomes, func(o messages.Outcome) bool { return o.Reason == messages.ReasonDiscussed })
	g := prompt.Declared.Spelling
	endless := g.IsJSON() && !g.Ends() || prompt.Declared == &format.JSONCalls || prompt.Declared == format.LlamaCalls
	for at := range c.text {
		if behind := strings.TrimSpace(c.text[:at]); endless && behind != "" && strings.Contains(`}"`, behind[len(behind)-1:]) {
			continue
		}
		got, _ := read(completion{c.text[:at], messages.StopMaxTokens, ""})
		if n := len(got); shown && n > 0 && n-1 <= len(all) && slices.Equal(got[:n-1], all[:n-1]) {
			continue
		}
		if (len(got) > len(all) || !slices.Equal(got, all[:len(got)])) && !strings.HasPrefix(text, string([]rune(strings.TrimSpace(withoutHalfTag(c.text[:at]))))) {
			t.Errorf("cut at %q, before %q: the calls\n%q look whole, of\n%q", c.text[:at], c.text[at:], got, all)
			return
		}
	}
}

// withoutHalfTag removes the start of a tag from the end of text, because it may begin a call.
func withoutHalfTag(text string) string {
	if i := strings.LastIndexByte(text, '<'); i >= 0 && !strings.Contains(text[i:], ">") {
		return text[:i]
	}
	return text
}

// TestCutGoldens cuts the completions of all golden files.
func TestCutGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/parse/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range goldenCases(t, txtar.Parse(data)) {
			if !c.model {
				t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar")+"/"+c.name, func(t *testing.T) { looksWhole(t, c.prompt, c.req, c.completion) })
			}
		}
	}
}

// TestCutValues cuts calls of all formats. Their values contain whole and broken markup of the
// format and of HTML. Some calls are damaged.
func TestCutValues(t *testing.T) {
	req := &messages.Request{ID: "msg_cut", Tools: []messages.Tool{
		{Name: "f", InputSchema: jsontext.Value(`{"type":"object","properties":{"s":{"type":"string"},"n":{"type":"integer"},"any":{}}}`)},
		{Name: "g", InputSchema: jsontext.Value(`{"type":"object","properties":{"s":{"type":"string"},"t":{"type":"string"}},"required":["s"]}`)},
	}}
	asked := append(slices.Clone(format.List[:]), format.Variants()...)
	asked = slices.DeleteFunc(asked, func(f *format.Format) bool { return f.Name == FormatJSON && f.Variant != "" }) // they write json's calls
	words := make([][]string, len(asked))
	for i, f := range asked {
		words[i] = markupOf(f, req)
	}
	for i := range testcost.Cases(300, 5000) {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		w := &cutWriter{Rand: r, format: asked[i%len(asked)], words: words[i%len(asked)]}
		prompt := &Prompt{Asking: asking{Declared: w.format, Target: Target{ModelOptions: ModelOptions{Thinking: [...]string{"", "", "", ThinkingMaybe}[r.IntN(4)]}}}}
		if r.IntN(3) == 0 {
			prompt.Reads = format.ReadsOf(w.format, format.All(), 0)
		}
		looksWhole(t, prompt, req, completion{w.answer(req), messages.StopEndTurn, ""})
		if t.Failed() {
			t.Fatalf("case %d: %s, thinking %q, others accepted: %t", i, w.format.Name, prompt.Target.Thinking, prompt.Reads != nil)
		}
	}
}

// markupOf returns the pieces of answers in the format: a call, its tags, and other words.
func markupOf(f *format.Format, req *messages.Request) []string {
	s := schema.Compile(req.Tools[0].InputSchema)
	call := func(input string) string {
		return f.BeforeCalls + writtenCall(f, &markup.Escaper{}, "f", 0, jsontext.Value(input), s) + f.AfterCalls
	}
	whole := call(`{"s":"x","n":1}`)
	words := []string{whole, call(`{}`), strings.TrimSpace(strings.TrimPrefix(whole, f.BeforeCalls)), " x ", " and ", "\n", "<b>", "</b>", "</div>", "<s>", "</s>", "`", "{", "}", `"`}
	for rest := whole; rest != ""; {
		i := strings.IndexAny(rest, "<[")
		n := strings.IndexAny(rest, ">]") + 1
		if i < 0 || n <= i {
			break
		}
		words = append(words, rest[i:n])
		rest = rest[n:]
	}
	return words
}

// cutWriter writes answers with calls in a format.
type cutWriter struct {
	*rand.Rand
	format *format.Format
	words  []string
}

func (w *cutWriter) word() string { return w.words[w.IntN(len(w.words))] }

// answer returns an answer with one or two calls, which may be damaged.
func (w *cutWriter) answer(req *messages.Request) string {
	text := []byte(w.format.BeforeCalls)
	for n := range 1 + w.IntN(2) {
		tool := &req.Tools[w.IntN(2)]
		input := []byte("{")
		for i, name := range [...]string{"s", "t", "n"} {
			switch {
			case i > 0 && w.IntN(2) == 0:
			case name == "n" && tool.Name == "f":
				input = append(input, `,"n":5`...)
			case name == "s" || tool.Name == "g" && name == "t":
				if i > 0 {
					input = append(input, ',')
				}
				var value strings.Builder
				for range w.IntN(7) {
					value.WriteString(w.word())
				}
				input = rawjson.AppendString(append(rawjson.AppendString(input, name), ':'), value.String())
			}
		}
		text = append(text, writtenCall(w.format, &markup.Escaper{}, tool.Name, n, append(input, '}'), schema.Compile(tool.InputSchema))...)
		if w.IntN(8) == 0 {
			text = append(text, w.word()...)
		}
	}
	answer := strings.ReplaceAll(string(text)+w.format.AfterCalls, "&lt;", "<") // models escape nothing
	for w.IntN(3) == 0 {
		at := w.IntN(len(answer))
		switch end := strings.IndexAny(answer[at:], ">]") + 1; w.IntN(3) {
		case 0:
			answer = answer[:at] + answer[min(len(answer), at+1+w.IntN(5)):]
		case 1:
			answer = answer[:at] + w.word() + answer[at:]
		default: // up to the end of a tag
			answer = answer[:at] + answer[at+end:]
		}
		answer += " "
	}
	return answer
}
