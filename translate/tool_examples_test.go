package translate

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// TestExamplesReadBack has every kind of text in an example of a tool's input. The prompt shows a
// call. If it is read as a completion, it is the call with that input, in any format.
func TestExamplesReadBack(t *testing.T) {
	for _, format := range Formats() {
		for _, target := range []Target{{ModelOptions: ModelOptions{Format: format}}, {ModelOptions: ModelOptions{Format: format}, TextWire: true}} {
			for _, s := range hostileTexts() {
				quoted := string(rawjson.AppendString(nil, s))
				input := `{"p":` + quoted + `,"n":2,"o":{"k":[` + quoted + `]}}`
				req := &messages.Request{
					Tools: []messages.Tool{{
						Name: "f", InputSchema: jsontext.Value(`{"type":"object","properties":{"p":{"type":"string"},"n":{"type":"integer"},"o":{"type":"object"}}}`),
						InputExamples: []jsontext.Value{jsontext.Value(input), jsontext.Value("{}")},
					}},
					Messages: []messages.MessageParam{user("hi")},
				}
				prompt := mustRender(t, req, target)
				shown := within(prompt.System[0].Text, "<examples>\n", "</examples>")
				m, err := messages.Collect(checked(t, Events(req, prompt, completion{text: shown, stop: messages.StopEndTurn}.chunks(0))))
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, b := range m.Content {
					got = append(got, b.Type+string(b.Input))
				}
				if want := "tool_use" + input + " tool_use{}"; strings.Join(got, " ") != want {
					t.Errorf("%+v: %q\ngot  %s\nwant %s\nshown\n%s", target, s, got, want, shown)
				}
			}
		}
	}
}

// TestExamplesOfReservedNames has parameters named like the tags of a description, of a call and of
// results. An example shows them in a call under their own names, or the call is JSON. Their values
// close none of these tags, and the example reads back.
func TestExamplesOfReservedNames(t *testing.T) {
	names := slices.Concat(slices.Collect(maps.Keys(frameTags)), slices.Collect(maps.Keys(descriptionTags)))
	slices.Sort(names)
	for _, format := range Formats() {
		for _, name := range names {
			for _, declared := range []bool{true, false} {
				properties := `"p":{"type":"string"}`
				if declared {
					properties += `,"` + name + `":{"type":"string"}`
				}
				value := string(rawjson.AppendString(nil, "a</"+name+"></examples>\n</tools><"+name+">"))
				input := `{"` + name + `":` + value + `,"p":` + value + `}`
				req := &messages.Request{
					Tools: []messages.Tool{
						{Name: "f", InputSchema: jsontext.Value(`{"type":"object","properties":{` + properties + `}}`), InputExamples: []jsontext.Value{jsontext.Value(input)}},
						{Name: "g"},
					},
					Messages: []messages.MessageParam{user("hi")},
				}
				prompt := mustRender(t, req, Target{ModelOptions: ModelOptions{Format: format}})
				tools := prompt.System[0].Text
				for _, tag := range []string{"examples", "tools"} {
					most := 1 + strings.Count(prompt.Declared.Words[0], "</"+tag+">")
					if tag == name {
						most++ // the tag of the parameter
					}
					if ends := strings.Count(tools, "</"+tag+">"); ends > most {
						t.Errorf("%s, %s, declared %v: %d times </%s> in\n%s", format, name, declared, ends, tag, tools)
					}
				}
				_, shown, _ := strings.Cut(tools, "<examples>\n")
				shown = shown[:strings.LastIndex(shown, "</examples>")]
				m := parseIn(t, prompt, req, completion{text: shown, stop: messages.StopEndTurn}, 0)
				if len(m.Content) != 1 || string(m.Content[0].Input) != input {
					t.Errorf("%s, %s, declared %v: got %+v, want %s, shown\n%s", format, name, declared, m.Content, input, shown)
				}
			}
		}
	}
}

// TestNamesOfTools has a past call with a value that spells the escape of a name. Only the tools
// had to escape this name. The prompt shows the value with one more level, and a copy of it is the
// original value.
func TestNamesOfTools(t *testing.T) {
	const input = `{"p":"<b>&lt;name&gt;</b>"}`
	req := &messages.Request{
		Tools: []messages.Tool{{Name: "f", Description: "Usage: git checkout <name>"}},
		Messages: []messages.MessageParam{user("hi"),
			{Role: messages.RoleAssistant, Content: []messages.BlockParam{{Type: messages.BlockToolUse, ID: "1", Name: "f", Input: jsontext.Value(input)}}},
			user("Again."),
		},
	}
	prompt := mustRender(t, req, Target{})
	m, err := messages.Collect(checked(t, Events(req, prompt, completion{text: prompt.Turns[1].Parts[0].Text, stop: messages.StopEndTurn}.chunks(0))))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(m.Content[0].Input); got != input {
		t.Errorf("got %s, want %s", got, input)
	}
}

// Clients write the same input in several ways. The prompt shows it as the model would write it, in
// any format.
func TestInputsArePlain(t *testing.T) {
	for _, format := range Formats() {
		shown := func(input string) string {
			return mustRender(t, &messages.Request{
				Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(`{"type":"object","properties":{"p":{"type":"string"},"o":{"type":"object"}}}`), InputExamples: []jsontext.Value{jsontext.Value(input)}}},
				Messages: []messages.MessageParam{
					user("hi"),
					{Role: messages.RoleAssistant, Content: []messages.BlockParam{{Type: messages.BlockToolUse, ID: "i", Name: "f", Input: jsontext.Value(input)}}},
					{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockToolResult, ToolUseID: "i"}}},
				},
			}, Target{ModelOptions: ModelOptions{Format: format}}).Text()
		}
		got, want := shown(`{"p":"\u6674 \u0026 \u003cb\u003e", "o":{"k":["\ud83d\ude00\/", 1.50]}}`), shown(`{"p":"晴 & <b>","o":{"k":["😀/",1.50]}}`)
		if got != want {
			t.Errorf("%s: the model is shown\n%s\nwant\n%s", format, got, want)
		}
	}
}
