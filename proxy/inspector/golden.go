package inspector

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/tools/txtar"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/golden"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// An exchange is saved in the two forms of goldens that this project has: its completions with what
// was made of them, for translate/testdata/parse, and its request with the prompt, for
// translate/testdata/render. Both are redacted first, and what stands in them as the result is what is
// made of the redacted text: a golden that is saved passes.

// toolsOf returns the schemas of the tools of a request, by their names, as an object in JSON.
func toolsOf(req *messages.Request) []byte {
	tools := []byte("{")
	for i, tool := range req.Tools {
		if i > 0 {
			tools = append(tools, ",\n"...)
		}
		tools = append(rawjson.AppendString(tools, tool.Name), ':')
		tools = append(tools, cmp.Or(string(tool.InputSchema), "{}")...)
	}
	return append(tools, '}')
}

// goldenOf returns what a golden says of a prompt.
func goldenOf(m proxy.UpstreamModel, req *messages.Request) (g goldenWords) {
	switch choice := req.ToolChoice; {
	case choice.Type == messages.ChoiceTool:
		g.choice = "tool " + choice.Name
	case choice.Type == messages.ChoiceAny, choice.Type == messages.ChoiceNone:
		g.choice = choice.Type
	case choice.DisableParallelToolUse:
		g.choice = "one"
	}
	g.quoted = m.Quoted == proxy.QuotedRead
	n := len(req.Messages)
	g.opensCall = req.MustCall() && n > 0 && req.Messages[n-1].Role == messages.RoleUser
	target := m.Target(m.Spec())
	g.target = "target:"
	if target.Prefill {
		g.target += " prefill"
	}
	if target.TextWire {
		g.target += " textwire"
	}
	if target.SpecialTokens {
		g.target += " specialtokens model=" + strings.ReplaceAll(target.Model, " ", "-")
	}
	if target.Language != "" {
		g.target += " language=" + target.Language
	}
	if target.Format != "" && target.Format != translate.Formats()[0] {
		g.target += " format=" + target.Format
	}
	return g
}

// golden answers with a golden of the exchange: with form=render of its request, else of its
// completions.
func (in *Inspector) golden(w http.ResponseWriter, r *http.Request) error {
	x, err := in.opened(r)
	if err != nil {
		return err
	}
	save := x.parseGolden
	if r.URL.Query().Get("form") == "render" {
		save = x.renderGolden
	}
	archive, err := save(r.Context())
	if err != nil {
		return err
	}
	data := txtar.Format(archive)
	if again := txtar.Parse(data); len(again.Files) != len(archive.Files) {
		return &problem{http.StatusConflict, "a line of it is a marker of the form txtar: it cannot be saved"}
	}
	respondText(w, data)
	return nil
}

// completed is a completion that is saved.
type completed struct {
	text, stop, sequence string
	choice, format       string
	quoted               bool
	tools                jsontext.Value
}

// parseGolden returns the completions of the exchange, and what is made of each alone.
func (x *exchange) parseGolden(ctx context.Context) (*txtar.Archive, error) {
	cases, err := x.completions()
	if err != nil {
		return nil, err
	}
	first := cases[0]
	archive := &txtar.Archive{Comment: []byte("Saved from an exchange.\n")}
	add := func(name, data string) {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(data + "\n")})
	}
	add("tools", string(first.tools))
	if format := first.format; first.quoted {
		add("format", format+" quoted_calls")
	} else if format != translate.Formats()[0] {
		add("format", format)
	}
	for i, c := range cases {
		name := fmt.Sprintf("saved-%d", i+1)
		want, err := c.message(ctx)
		if err != nil {
			return nil, err
		}
		add(name+"/stop", strings.TrimSpace(c.stop+" "+c.sequence))
		if c.choice != "" {
			add(name+"/choice", c.choice)
		}
		add(name+"/completion", c.text)
		add(name+"/want", want)
	}
	return archive, nil
}

// completions returns the completions of the exchange, redacted. The exchange, which may go on, waits
// while they are copied, and no longer.
func (x *exchange) completions() ([]completed, error) {
	cases, err := x.copied()
	for i, c := range cases {
		cases[i].text, cases[i].tools = redact(c.text), jsontext.Value(redact(string(c.tools)))
	}
	return cases, err
}

// copied returns the completions of the exchange as they came.
func (x *exchange) copied() ([]completed, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var cases []completed
	for _, p := range x.prompts {
		if p.native || p.stop == "" {
			continue
		}
		c := completed{
			text: string(p.completion.all()), stop: p.stop, sequence: p.stopSequence,
			choice: p.golden.choice, format: p.format, quoted: p.golden.quoted, tools: p.tools.all(),
		}
		if p.golden.opensCall {
			c.text = p.opening() + c.text
		}
		cases = append(cases, c)
	}
	switch {
	case len(cases) == 0:
		return nil, &problem{http.StatusConflict, "no completion of a prompt has come to its end: there is nothing to save"}
	case x.line.LeftOut > 0:
		return nil, &problem{http.StatusConflict, "the exchange is too long: it is not kept whole"}
	}
	return cases, nil
}

// opening returns the beginning of a call with which the prompt ends, "" if it does not.
func (p *prompt) opening() string {
	n := len(p.sections)
	if n == 0 || p.sections[n-1].Role != messages.RoleAssistant {
		return ""
	}
	from := int64(0)
	if n > 1 {
		from = p.sections[n-2].End
	}
	return string(p.text.read(from, int(p.text.size-from)))
}

// message returns what is made of the completion, as a golden has it.
func (c completed) message(ctx context.Context) (string, error) {
	req := &messages.Request{ID: "msg_golden", MaxTokens: 1, Messages: []messages.MessageParam{
		{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "?"}}},
	}}
	for name, schema := range rawjson.NamedMembers(c.tools) {
		req.Tools = append(req.Tools, messages.Tool{Name: name, InputSchema: schema})
	}
	typ, name, _ := strings.Cut(c.choice, " ")
	req.ToolChoice = messages.ToolChoice{Type: typ, Name: name, DisableParallelToolUse: typ == "one"}
	prompt, err := translate.RenderContext(ctx, req, translate.Target{Format: c.format, QuotedCalls: c.quoted})
	if err != nil {
		return "", &problem{http.StatusConflict, "the tools cannot be saved: " + err.Error()}
	}
	ask := func(*translate.Prompt) iter.Seq2[translate.Chunk, error] {
		return func(yield func(translate.Chunk, error) bool) {
			_ = yield(translate.Chunk{Text: c.text}, nil) && yield(translate.Chunk{Stop: messages.Stop(c.stop), StopSequence: c.sequence}, nil)
		}
	}
	m, err := messages.Collect(translate.Events(req, prompt, ask))
	if err != nil {
		return "", &problem{http.StatusConflict, "the completion cannot be saved: " + err.Error()}
	}
	return golden.Message(m), nil
}

// renderGolden returns the request of the exchange, and the prompt that it becomes.
func (x *exchange) renderGolden(ctx context.Context) (*txtar.Archive, error) {
	x.mu.Lock()
	body, dialect, words := x.body.all(), x.line.Dialect, ""
	if len(x.prompts) > 0 {
		words = x.prompts[0].golden.target
	}
	x.mu.Unlock()
	switch {
	case words == "" || dialect != "messages":
		return nil, &problem{http.StatusConflict, "only a request of the Messages API that became a prompt can be saved in this form"}
	case len(body) == mostBody:
		return nil, errTooLong
	}
	value := jsontext.Value(redact(string(body)))
	if err := value.Indent(jsontext.WithIndent(" ")); err != nil {
		return nil, &problem{http.StatusConflict, "the request is no JSON"}
	}
	prompt, err := rendered(ctx, value, words)
	if err != nil {
		return nil, &problem{http.StatusConflict, "the request cannot be saved: " + err.Error()}
	}
	return &txtar.Archive{
		Comment: []byte("Saved from an exchange.\n" + words + "\n"),
		Files:   []txtar.File{{Name: "request.json", Data: append(value, '\n')}, {Name: "prompt.json", Data: append(prompt, '\n')}},
	}, nil
}

// rendered returns the prompt for a request and a target, in JSON.
func rendered(ctx context.Context, body []byte, words string) ([]byte, error) {
	req, err := messages.Decode(bytes.Clone(body), messages.DecodeOptions{})
	if err != nil {
		return nil, err
	}
	var target translate.Target
	for _, word := range strings.Fields(words)[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "prefill":
			target.Prefill = true
		case "textwire":
			target.TextWire = true
		case "specialtokens":
			target.SpecialTokens = true
		case "model":
			target.Model = value
		case "language":
			target.Language = value
		case "format":
			target.Format = value
		}
	}
	prompt, err := translate.RenderContext(ctx, req, target)
	if err != nil {
		return nil, err
	}
	return json.Marshal(prompt, jsontext.WithIndent("  "))
}
