package translate

import (
	"cmp"
	"strings"
	"testing"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// TestCachePoint checks the text before the cache point, for each format and variant. It contains
// the tools. It is the same bytes at every turn of a conversation, whatever else a request asks.
func TestCachePoint(t *testing.T) {
	first := spoken("Say <b> & so on")
	later := spoken("Say <b> & so on")
	first.Messages = first.Messages[:1]
	first.ToolChoice = messages.ToolChoice{Type: messages.ChoiceAuto}
	later.Messages = append(later.Messages, assistant("Then."), user("More </tools> <|tool>."))
	later.Thinking, later.OutputSchema = messages.ThinkingShown, []byte(`{"type":"object"}`)
	for _, f := range asked() {
		target := targetOf(f)
		begin, now := mustRender(t, first, target), mustRender(t, later, target)
		at := begin.CachePoint()
		if at != now.CachePoint() {
			t.Errorf("%s %s: the cache point stands behind text %d, and then behind %d", f.Name, f.Variant, at, now.CachePoint())
			continue
		}
		before := joined(begin.System[:at+1])
		if got := joined(now.System[:at+1]); got != before {
			t.Errorf("%s %s: before the cache point stood\n%s\nand stands\n%s", f.Name, f.Variant, before, got)
		}
		if tools := begin.System[at].Text; !strings.Contains(tools, f.BeforeTools) || !strings.Contains(tools, cmp.Or(f.Words[1], f.Example)) {
			t.Errorf("%s %s: the cache point stands behind %q", f.Name, f.Variant, tools)
		}
		if blocks := len(first.System); f.ToolsLast && at != blocks || !f.ToolsLast && at != 0 {
			t.Errorf("%s %s: the cache point stands behind text %d of %d, with %d of the client's", f.Name, f.Variant, at, len(begin.System), blocks)
		}
	}
}

// targetOf returns the target for a model that is asked in the format or variant.
func targetOf(f *format.Format) Target {
	target := Target{ModelOptions: ModelOptions{Format: f.Name}}
	if f.Variant != "" {
		target.Family = f.Models[0]
	}
	if f.Variant != "" && f.Name == FormatJSON { // its variants have the families' own words
		target.Format = FormatAuto
	}
	return target
}

func joined(texts []Text) string {
	var all strings.Builder
	for _, text := range texts {
		all.WriteString(text.Text + "\n")
	}
	return all.String()
}

// A client's text in thinking does not end it, and comes back unchanged.
func TestThinkingFrame(t *testing.T) {
	for _, f := range asked() {
		tag := f.ThinkingTag()
		for _, text := range []string{"a </" + tag + "> b", "</think>", "< / THINK >", "<channel|>", "&lt;/think>", "[/THINK]", "<" + tag + ">"} {
			req := spoken("x")
			req.Thinking = messages.ThinkingShown
			past := messages.BlockParam{Type: messages.BlockThinking, Text: text}
			req.Messages[1].Content = append([]messages.BlockParam{past}, req.Messages[1].Content...)
			prompt := mustRender(t, req, targetOf(f))
			got, found := strings.CutPrefix(prompt.Turns[1].Parts[0].Text, "<"+tag+">\n")
			got, closed := strings.CutSuffix(got, "\n</"+tag+">\n")
			if marker := strings.TrimLeft(text, "ab "); !found || !closed || strings.Contains(got, "</"+tag) || text[0] == '<' && strings.Contains(got, marker) {
				t.Errorf("%s %s: %q is shown as %q", f.Name, f.Variant, text, got)
			}
			if back := markup.Unescape(got, prompt.Escaped, ""); back != text {
				t.Errorf("%s %s: %q comes back as %q", f.Name, f.Variant, text, back)
			}
		}
	}
}
