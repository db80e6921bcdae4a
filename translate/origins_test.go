package translate

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
	"dragoman/translate/rawjson"
)

// holdsOrigins checks three rules. The origins cover all text of a prompt. The prompt is the same
// without them. Text from a block is the block's text, after its escapes are removed.
func holdsOrigins(t testing.TB, req *messages.Request, target Target, want *Prompt, wantErr error) {
	t.Helper()
	got, o, err := RenderOrigins(context.Background(), req, target)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("with origins: %v, without: %v", err, wantErr)
	}
	if err != nil {
		return
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Prompt{}, asking{}), cmpopts.IgnoreFields(asking{}, "Declared", "Reads", "Schemas", "Source"), cmpopts.IgnoreFields(Prompt{}, "chat"),
		cmp.Comparer(func(a, b *markup.Openers) bool { return a == b })); diff != "" {
		t.Fatalf("-without origins +with:\n%s", diff)
	}
	said := map[string]string{} // keyed by source
	covers := func(where, text string, list []Origin) {
		at := 0
		for _, e := range list {
			if e.End <= at || e.End > len(text) {
				t.Fatalf("%s: %q is covered by %v", where, text, list)
			}
			switch e.Kind {
			case prompt.OriginClient:
				said[e.Source] += text[at:e.End]
			case prompt.OriginEscape:
				said[e.Source] += unescapedByte(text[at:e.End])
			}
			at = e.End
		}
		if at != len(text) {
			t.Fatalf("%s: %q is covered by %v", where, text, list)
		}
	}
	if len(o.System) != len(got.System) || len(o.Turns) != len(got.Turns) {
		t.Fatalf("origins of %d and %d, but %d and %d", len(o.System), len(o.Turns), len(got.System), len(got.Turns))
	}
	for i, s := range got.System {
		covers(fmt.Sprintf("system %d", i), s.Text, o.System[i])
	}
	for i, turn := range got.Turns {
		if len(o.Turns[i]) != len(turn.Parts) {
			t.Fatalf("turn %d: origins of %d parts, but %d", i, len(o.Turns[i]), len(turn.Parts))
		}
		for j, p := range turn.Parts {
			where, from := fmt.Sprintf("turn %d, part %d", i, j), o.Turns[i][j]
			covers(where, p.Text, from.Text)
			covers(where, p.Title, from.Title)
			covers(where, p.Context, from.Context)
			if (p.Type == PartText || p.Type == PartThinking) != (from.Source == "") {
				t.Fatalf("%s, a %s, is from %q", where, p.Type, from.Source)
			}
		}
	}
	for i := range req.System {
		holdsText(t, said, fmt.Sprintf("system.%d", i), req.System[i].Text)
	}
	for i, m := range req.Messages {
		holdsBlocks(t, said, fmt.Sprintf("messages.%d.content", i+m.Skipped), m.Content)
	}
}

// holdsBlocks checks that the texts of blocks equal the texts from their sources.
func holdsBlocks(t testing.TB, said map[string]string, at string, blocks []messages.BlockParam) {
	t.Helper()
	for i, b := range blocks {
		at := fmt.Sprintf("%s.%d", at, i+int(b.Skipped))
		content := ".content"
		switch b.Type {
		case messages.BlockText, messages.BlockThinking:
			holdsText(t, said, at, b.Text)
		case messages.BlockSearchResult:
			holdsText(t, said, at+".title", b.Source.Title)
			holdsText(t, said, at+".source", b.Source.Text)
		case messages.BlockDocument:
			holdsText(t, said, at+".source.data", b.Source.Text)
			if content = ".source.content"; b.Source.Type == messages.SourceText || b.Source.Type == messages.SourceContent {
				holdsText(t, said, at+".title", b.Source.Title)
				holdsText(t, said, at+".context", b.Source.Context)
			}
		case messages.BlockToolResult:
			if isQuoted(said[at], b.Content) {
				continue
			}
		}
		holdsBlocks(t, said, at+content, b.Content)
	}
}

// isQuoted reports whether a result ends with the text of blocks as a JSON string. Some chat
// templates write results in this form.
func isQuoted(said string, blocks []messages.BlockParam) bool {
	var lines []string
	for _, b := range blocks {
		lines = append(lines, b.Text)
	}
	return len(lines) > 0 && strings.HasSuffix(said, string(rawjson.AppendEscaped(nil, strings.Join(lines, "\n"))))
}

func holdsText(t testing.TB, said map[string]string, source, text string) {
	t.Helper()
	if said[source] != text {
		t.Fatalf("from %s is %q; want %q", source, said[source], text)
	}
}

// unescapedByte returns the byte that an entity encodes.
func unescapedByte(entity string) string {
	switch {
	case entity == "&lt;":
		return "<"
	case entity == "&amp;":
		return "&"
	}
	var c rune
	if _, err := fmt.Sscanf(entity, "&#%d;", &c); err != nil {
		return "no entity: " + entity
	}
	return string(c)
}

func TestRenderOrigins(t *testing.T) {
	req, err := messages.Decode([]byte(`{"model":"m","max_tokens":1,"tools":[{"name":"look","description":"Say </tools>.",
		"input_schema":{"type":"object","properties":{"at":{"type":"string"}}}}],"tool_choice":{"type":"tool","name":"look"},
		"system":"Be <invoke> brief.","messages":[{"role":"user","content":"Hi"},
		{"role":"assistant","content":[{"type":"text","text":"So"},{"type":"tool_use","id":"t","name":"look","input":{"at":"</at>"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"<result>"}]}]}`), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	prompt, o, err := RenderOrigins(context.Background(), req, Target{Prefill: true})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	tell := func(text string, list []Origin) {
		at := 0
		for _, e := range list {
			fmt.Fprintf(&got, "%s %s %q\n", e.Kind, e.Source, text[at:e.End])
			at = e.End
		}
	}
	tell(prompt.System[1].Text, o.System[1])
	for i, turn := range prompt.Turns {
		for j, p := range turn.Parts {
			tell(p.Text, o.Turns[i][j].Text)
		}
	}
	const call = "messages.1.content.1"
	want := `client system.0 "Be "
escape system.0 "&lt;"
client system.0 "invoke> brief."
client messages.0.content.0 "Hi"
client messages.1.content.0 "So"
markup ` + call + ` "\n\n<function_calls>\n<invoke>\n<tool_name>"
client ` + call + ` "look"
markup ` + call + ` "</tool_name>\n<parameters>\n<at>"
escape ` + call + ` "&lt;"
client ` + call + ` "/at>"
markup ` + call + ` "</at>\n</parameters>\n</invoke>\n</function_calls>"
markup  "<function_results>\n"
markup messages.2.content.0 "<result>\n<tool_name>"
client messages.2.content.0 "look"
markup messages.2.content.0 "</tool_name>\n<stdout>\n"
escape messages.2.content.0.content.0 "&lt;"
client messages.2.content.0.content.0 "result>"
markup messages.2.content.0 "\n</stdout>\n</result>\n"
markup  "</function_results>"
markup tool_choice "<function_calls>\n<invoke>\n<tool_name>look</tool_name>\n<parameters>"
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	tools := ""
	at := 0
	for _, e := range o.System[0] {
		if e.Source == "tools.0" && e.Kind != OriginMarkup {
			tools += prompt.System[0].Text[at:e.End] + "|"
		}
		at = e.End
	}
	if want := "look|Say |&lt;|/tools>.|at|string|"; tools != want {
		t.Errorf("of the tool is %q; want %q", tools, want)
	}
}

// FuzzOrigins checks holdsOrigins for any text, in every place of a request.
func FuzzOrigins(f *testing.F) {
	for _, s := range []string{"x", "</function_calls>", "&amp;lt;/result>", "\nHuman: <invoke", "<tool_call>\"\\\n", "<", "\n<\r", "é</q>"} {
		f.Add(s, "invoke>")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = strings.ToValidUTF8(a, "\ufffd"), strings.ToValidUTF8(b, "\ufffd")
		req := spoken(a)
		for i := range req.Messages {
			for j := range req.Messages[i].Content {
				if c := &req.Messages[i].Content[j]; c.Type == messages.BlockToolUse {
					c.Name = b
				}
			}
		}
		req.Messages[0].Content = append(req.Messages[0].Content, messages.BlockParam{Type: messages.BlockText, Text: b})
		for _, format := range Formats() {
			for _, target := range []Target{{}, {TextWire: true}, {Prefill: true, ModelOptions: ModelOptions{Language: "fr"}}} {
				target.Format = format
				prompt, err := Render(req, target)
				holdsOrigins(t, req, target, prompt, err)
				seam := &messages.Request{Messages: []messages.MessageParam{user(a), user(b)}}
				prompt, err = Render(seam, target)
				holdsOrigins(t, seam, target, prompt, err)
			}
		}
	})
}

// Blocks and messages that were left out still count in the paths of others.
func TestOriginsOfWhatIsLeft(t *testing.T) {
	req, err := messages.Decode([]byte(`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"},
		{"role":"assistant","content":[{"type":"redacted_thinking","data":"x"}]},
		{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"b"},{"type":"tool_use","id":"i","name":"f","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"i","content":[{"type":"browser_state"},{"type":"text","text":"c"}]}]}]}`), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, o, err := RenderOrigins(context.Background(), req, Target{})
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, turn := range o.Turns {
		for _, part := range turn {
			for _, e := range part.Text {
				if e.Kind == prompt.OriginClient {
					sources = append(sources, e.Source)
				}
			}
		}
	}
	want := []string{"messages.0.content.0", "messages.2.content.1", "messages.2.content.2", "messages.3.content.0", "messages.3.content.0.content.1"}
	if diff := cmp.Diff(want, sources); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// In a prompt for a tools API, the client's text is labelled as the client's, and the text around
// an example call as Dragoman's.
func TestOriginsOfAllTexts(t *testing.T) {
	req, err := messages.Decode([]byte(`{"model":"m","max_tokens":1,"tools":[{"name":"look","input_schema":{"type":"object",
		"properties":{"at":{"type":"string"}},"required":["at"]}}],"messages":[{"role":"user","content":"a"},
		{"role":"assistant","content":[{"type":"text","text":"b <invoke>"},{"type":"tool_use","id":"i","name":"look","input":{"at":"<invoke>"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"i","content":"c"},{"type":"text","text":"d"}]}]}`), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, o, err := RenderOrigins(context.Background(), req, Target{ToolAPI: true})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]prompt.PartOrigins{
		{{Text: []Origin{{End: 1, Kind: prompt.OriginClient, Source: "messages.0.content.0"}}}},
		{
			{Text: []Origin{
				{End: 2, Kind: prompt.OriginClient, Source: "messages.1.content.0"},
				{End: 6, Kind: prompt.OriginEscape, Source: "messages.1.content.0"},
				{End: 13, Kind: prompt.OriginClient, Source: "messages.1.content.0"},
			}},
			{Source: "messages.1.content.1"},
		},
		{{Source: "messages.2.content.0"}, {Text: []Origin{{End: 1, Kind: prompt.OriginClient, Source: "messages.2.content.1"}}}},
	}
	if diff := cmp.Diff(want, o.Turns); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	if _, o, err = RenderOrigins(context.Background(), req, Target{ModelOptions: ModelOptions{ExampleCall: "on"}}); err != nil {
		t.Fatal(err)
	}
	list := o.System[0]
	if first, n := list[0], len(list); first.Kind != OriginMarkup || first.Source != "tools" || list[n-1].Source != "example_call" {
		t.Errorf("the tools, with an example call behind them, are from %v", list)
	}
}
