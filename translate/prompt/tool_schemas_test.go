package prompt

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// A prompt carries the schemas of its past calls, so that reading the answer compiles none again.
func TestToolSchemasAreCompiledOnce(t *testing.T) {
	req := &messages.Request{
		Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(`{"properties":{"n":{"type":"integer"}}}`)}, {Name: "g"}},
		Messages: []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "hi"}}}, {Role: messages.RoleAssistant, Content: []messages.BlockParam{
			{Type: messages.BlockToolUse, ID: "1", Name: "f", Input: jsontext.Value(`{"n":1}`)},
			{Type: messages.BlockToolUse, ID: "2", Name: "gone", Input: jsontext.Value(`{"n":1}`)},
		}}},
	}
	prompt, err := Render(req, Target{Prefill: true})
	if err != nil {
		t.Fatal(err)
	}
	schemas := prompt.Schemas
	if len(schemas.compiled) != 1 {
		t.Errorf("%d schemas are compiled; want that of f alone", len(schemas.compiled))
	}
	f := schemas.named("f")
	if f != schemas.Of(&req.Tools[0]) || f != schemas.compiled[&req.Tools[0]] {
		t.Error("f has two schemas")
	}
	if _, _, declared := f.PropertyByTag("n"); !declared {
		t.Error("the schema of f does not know its parameter")
	}
	if _, _, declared := schemas.named("gone").PropertyByTag("n"); declared {
		t.Error("a tool that is not offered has a schema")
	}
}

// A prompt made by hand has no schemas.
func TestToolSchemasOfNoRequest(t *testing.T) {
	var schemas ToolSchemas
	tool := messages.Tool{Name: "f", InputSchema: jsontext.Value(`{"properties":{"n":{}}}`)}
	if s := schemas.Of(&tool); s != schemas.Of(&tool) {
		t.Error("a schema is compiled twice")
	}
	if s := schemas.named("f"); s == nil {
		t.Error("no schema for an unknown name")
	}
}
