package prompt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// Tools are different if their fields differ, even if the joined text is the same.
func TestMemoKeys(t *testing.T) {
	tools := [][]messages.Tool{
		{{Name: "ab", Description: "c"}},
		{{Name: "a", Description: "bc"}},
		{{Name: "a", Description: "b"}, {Name: "c"}},
		{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		{{Name: "a", InputSchema: jsontext.Value("{}")}},
		{{Name: "a", InputExamples: []jsontext.Value{jsontext.Value("{}")}}},
		{{Name: "a"}, {Description: "{}"}},
		{{Name: "a", Streaming: messages.StreamWhole}},
	}
	seen := map[string]int{}
	for i := range tools {
		r := renderer{req: &messages.Request{Tools: tools[i]}, format: format.List[0]}
		key := string(r.appendMemoKey(nil))
		if other, ok := seen[key]; ok {
			t.Errorf("tools %d and %d have one key", other, i)
		}
		seen[key] = i
	}
	for _, target := range []Target{{ModelOptions: ModelOptions{EscapeSpecialTokens: new(true)}}, {ModelOptions: ModelOptions{EscapeSpecialTokens: new(true), Family: "mistral"}}, {ModelOptions: ModelOptions{EscapeSpecialTokens: new(true), Family: "qwen2.5"}}} {
		r := renderer{req: &messages.Request{Tools: tools[0]}, format: format.List[0], target: target}
		key := string(r.appendMemoKey(nil))
		if _, ok := seen[key]; ok {
			t.Errorf("what is escaped for %+v has the key of others", target)
		}
		seen[key] = -1
	}
}

// A client cannot make a memo grow, or make it keep very long texts.
func TestMemoIsBounded(t *testing.T) {
	target := Target{Memo: NewMemo()}
	ask := func(name string, schema string) {
		req := &messages.Request{Tools: []messages.Tool{{Name: name, InputSchema: jsontext.Value(schema)}}, Messages: []messages.MessageParam{
			said("hi"), {Role: messages.RoleAssistant, Content: []messages.BlockParam{{Type: messages.BlockToolUse, ID: "a", Name: name, Input: jsontext.Value("{}")}}}, said("go on")}}
		if _, err := Render(req, target); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 * memoLists {
		ask(fmt.Sprint("f", i), fmt.Sprintf(`{"properties":{"p%d":{}}}`, i))
	}
	if n := target.Memo.descriptions.Len(); n != memoLists {
		t.Errorf("%d lists of tools are kept, and not %d", n, memoLists)
	}
	before := target.Memo.schemas.Len()
	ask("long", `{"description":"`+strings.Repeat("x", memoListMost)+`"}`)
	if n := target.Memo.schemas.Len(); n != before {
		t.Errorf("%d schemas are kept: %d before a long one", n, before)
	}
}

// A list of a thousand tools is cached.
func TestMemoKeepsManyTools(t *testing.T) {
	target := Target{Memo: NewMemo()}
	req := &messages.Request{Messages: []messages.MessageParam{said("hi")}}
	about := strings.Repeat("Writes a text file. ", 6)
	for i := range 1000 {
		input := fmt.Sprintf(`{"type":"object","properties":{"path":{"type":"string","description":%q},"content":{"type":"string","description":%q},"p%d":{"type":"array","items":{"type":"integer"}}}}`, about, about, i)
		req.Tools = append(req.Tools, messages.Tool{Name: fmt.Sprint("f", i), Description: about, InputSchema: jsontext.Value(input)})
	}
	if _, err := Render(req, target); err != nil {
		t.Fatal(err)
	}
	if target.Memo.descriptions.Len() != 1 {
		t.Error("the list is made anew each time")
	}
}

// said is a user message.
func said(text string) messages.MessageParam {
	return messages.MessageParam{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: text}}}
}
