package constrain_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

var update = flag.Bool("update", false, "write testdata anew")

// formats are the formats with constraints.
var formats = []string{"legacy", "attribute", "json", "qwen3-coder", "glm", "kimi", "deepseek", "pythonic", "mistral", "llama", "harmony"}

// weather and now are tools. The second has no parameters.
var tools = []messages.Tool{
	{Name: "get_weather", InputSchema: jsontext.Value(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"],"additionalProperties":false}`)},
	{Name: "now", InputSchema: jsontext.Value(`{"type":"object","properties":{}}`)},
}

// ask returns the prompt of a request for these tools.
func ask(t testing.TB, format string, choice messages.ToolChoice, list []messages.Tool) *translate.Prompt {
	t.Helper()
	return asked(t, format, choice, list, nil)
}

// asked does what ask does, with a memo.
func asked(t testing.TB, format string, choice messages.ToolChoice, list []messages.Tool, memo *translate.Memo) *translate.Prompt {
	t.Helper()
	p, err := translate.Render(&messages.Request{ID: "msg_c", MaxTokens: 10, Tools: list, ToolChoice: choice, Messages: []messages.MessageParam{
		{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "Go."}}},
	}}, translate.Target{ModelOptions: translate.ModelOptions{Format: format}, Prefill: true, Memo: memo})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestForms shows the constraints of each format, for a forced call and for a free choice.
func TestForms(t *testing.T) {
	for _, format := range formats {
		var b strings.Builder
		for _, choice := range []messages.ToolChoice{{Type: messages.ChoiceTool, Name: "get_weather", DisableParallelToolUse: true}, {Type: messages.ChoiceAny}, {Type: messages.ChoiceAuto}} {
			p := ask(t, format, choice, tools)
			c, err := translate.Constrain(t.Context(), p, true)
			if err != nil {
				t.Fatal(format, err)
			}
			fmt.Fprintf(&b, "-- %s, behind %q --\n%s", choice.Type, p.Opening, c.Grammar)
			for _, trigger := range c.Triggers {
				fmt.Fprintf(&b, "trigger %q\n", trigger)
			}
			if c.Tag != nil {
				fmt.Fprintf(&b, "%s\n", c.Tag)
			}
		}
		name := "testdata/" + format + ".txt"
		if *update {
			if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s: go test ./translate/constrain -update writes\n%s", format, b.String())
		}
	}
}

// TestBound has tools with a grammar that is too large for servers.
func TestBound(t *testing.T) {
	var list []messages.Tool
	for i := range 900 {
		list = append(list, messages.Tool{Name: fmt.Sprint("tool_", i), InputSchema: jsontext.Value(fmt.Sprintf(`{"type":"object","properties":{"value_%d":{"type":"string"}},"required":["value_%d"]}`, i, i))})
	}
	if _, err := translate.Constrain(t.Context(), ask(t, "json", messages.ToolChoice{Type: messages.ChoiceAny}, list), false); err == nil || !strings.Contains(err.Error(), "the 65536 bytes that servers take") {
		t.Error(err)
	}
}

// TestUnlistedNames has a member with an escape in its name. Other names differ from it there, or
// end before it, or continue after it.
func TestUnlistedNames(t *testing.T) {
	odd := messages.Tool{Name: "t", InputSchema: jsontext.Value(`{"type":"object","properties":{"a\"b":{"type":"string"}},"additionalProperties":{"type":"integer"}}`)}
	c, err := translate.Constrain(t.Context(), ask(t, "json", messages.ToolChoice{Type: messages.ChoiceAny}, []messages.Tool{odd}), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []string{`[\x22] | [a] `, `[\x22] | [\x5C] [\x22] `, `[\x22] | [b] `} {
		if !strings.Contains(c.Grammar, rule) {
			t.Errorf("no %s in\n%s", rule, c.Grammar)
		}
	}
}

// TestNothing has requests that allow any answer.
func TestNothing(t *testing.T) {
	for _, choice := range []string{messages.ChoiceAuto, messages.ChoiceNone} {
		if c, err := translate.Constrain(t.Context(), ask(t, "json", messages.ToolChoice{Type: choice}, tools), false); err == nil {
			t.Error(choice, c)
		}
	}
	if c, err := translate.Constrain(t.Context(), ask(t, "gemma", messages.ToolChoice{Type: messages.ChoiceAny}, tools), false); err == nil {
		t.Error(c)
	}
}

// TestSchemaOfCall has a tool with a recursive schema, alone and with another tool.
func TestSchemaOfCall(t *testing.T) {
	tree := messages.Tool{Name: "tree", InputSchema: jsontext.Value(`{"type":"object","properties":{"below":{"$ref":"#/$defs/n"}},"$defs":{"n":{"items":{"$ref":"#"}}}}`)}
	for want, list := range map[string][]messages.Tool{
		`{"type":"object","properties":{"name":{"const":"tree"},"arguments":{"$ref":"#/$defs/tool0"}},"required":["name","arguments"],"additionalProperties":false,"$defs":{"tool0":{"type":"object","properties":{"below":{"$ref":"#/$defs/tool0/$defs/n"}},"$defs":{"n":{"items":{"$ref":"#/$defs/tool0"}}}}}}`:                                                                                                                                                                                                                 {tree},
		`{"anyOf":[{"type":"object","properties":{"name":{"const":"tree"},"arguments":{"$ref":"#/$defs/tool0"}},"required":["name","arguments"],"additionalProperties":false},{"type":"object","properties":{"name":{"const":"now"},"arguments":{"$ref":"#/$defs/tool1"}},"required":["name","arguments"],"additionalProperties":false}],"$defs":{"tool0":{"type":"object","properties":{"below":{"$ref":"#/$defs/tool0/$defs/n"}},"$defs":{"n":{"items":{"$ref":"#/$defs/tool0"}}}},"tool1":{"type":"object","properties":{}}}}`: {tree, tools[1]},
	} {
		p := ask(t, "json", messages.ToolChoice{Type: messages.ChoiceAny}, list)
		p.Opening = ""
		if c, err := translate.Constrain(t.Context(), p, false); err != nil || string(c.Schema) != want {
			t.Errorf("%v\n%s\n%s", err, c.Schema, want)
		}
	}
}
