package held_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

var tools = format.ToolNames{List: []messages.Tool{
	{Name: "book", InputSchema: jsontext.Value(`{"type":"object","properties":{"note":{"type":"string"},"count":{"type":"integer"},` +
		`"tags":{"type":"array"},"lines":{"type":"object","additionalProperties":{"type":"integer"}},"free":{"type":"object"}},"required":["note"]}`)},
	{Name: "ping", InputSchema: jsontext.Value(`{"type":"object","properties":{}}`)},
}}

func schemaOf(name string) *schema.Schema {
	tool, _ := tools.Find(name)
	if tool == nil {
		return nil
	}
	return schema.Compile(tool.InputSchema)
}

// said formats calls on one line, each with its slips.
func said(calls []held.Literal, ok bool) string {
	var list []string
	for _, c := range calls {
		list = append(list, strings.TrimSpace(c.Name+string(c.Input)+" "+strings.Trim(fmt.Sprint(c.Slips), "[]")))
	}
	if !ok {
		list = append(list, "no")
	}
	return strings.Join(list, "; ")
}

func TestLiterals(t *testing.T) {
	python := held.Literals{Syntax: format.PythonLiteral, Tools: &tools, SchemaOf: schemaOf, Marked: true}
	gemma := held.Literals{Syntax: format.GemmaLiteral, Tools: &tools, SchemaOf: schemaOf, Marked: true, Marks: true, Ended: true}
	bare := python
	bare.Bare, bare.Marked = true, false
	unclosed := gemma
	unclosed.Unclosed = true
	for _, tt := range []struct {
		known      held.Literals
		text, want string
	}{
		{python, `[book(note='a', count="3"), ping()]`, `book{"note":"a","count":3}; ping{}`},
		{python, `[book(note='make ' 'test')]`, `book{"note":"make test"}`},
		{python, `[book(note='a'), other(x=1)]`, `book{"note":"a"}; other{"x":1}`},
		{python, `[book(note='a'), book(note=`, `book{"note":"a"}; no`},
		{python, `[book({"note":"a","count":3})]`, `book{"note":"a","count":3} json_call`},
		{python, `[book({"count":3})]`, `no`},
		{python, `[book({"deep":1})]`, `no`},
		{python, `[other({"a":1})]`, `no`},
		{bare, `[book(note='a')]`, `book{"note":"a"}`},
		{bare, `[book(count=1)]`, `book{"count":1}; no`},
		{bare, `[other(x=1)]`, `no`},
		{bare, `[book(note='a'), other(x=1), ping()]`, `book{"note":"a"}; other{"x":1}; ping{}`},
		{gemma, `call:ping`, `ping{}`},
		{gemma, `call:book`, `book{}; no`},
		{gemma, `call:book{note:<|"|>a<|"|>,count:3}`, `book{"note":"a","count":3}`},
		{gemma, `call:book{note:<|"|>a<|"|> count:3}`, `book{"note":"a","count":3} missing_comma`},
		{gemma, `call:book{note:a b<|"|>}`, `book{"note":"a b"} unquoted_value`},
		{gemma, `call:book{note:a b}`, `book{"note":"a b"} unquoted_value`},
		{gemma, `call:book{note:a, count:x}`, `no`},
		{unclosed, `call:book{note:<|"|>a<|"|>`, `book{"note":"a"} missing_brace`},
		{unclosed, `call:book{note:<|"|>a<|"|>,free:{a:1,count:2}`, `no`},
		{gemma, `call:book{note:<|"|>a<|"|>,lines:{f(x):1,b=c:2,it's:3}}`, `book{"note":"a","lines":{"f(x)":1,"b=c":2,"it's":3}}`},
		{gemma, `call:book{note:<|"|>a<|"|>,lines:{main.go:12:1,1,5:2}}`, `no`},
		{gemma, `call:book{note:<|"|>a<|"|>,lines:{main.go:12:1}}`, `book{"note":"a","lines":{"main.go:12":1}}`},
		{gemma, `call:book{note:<|"|>a<|"|>,free:{main.go:12:1}}`, `no`},
		{gemma, `call:book{note:<|"|>a<|"|>,free:{std::sort:<|"|>b<|"|>}}`, `book{"note":"a","free":{"std::sort":"b"}}`},
		{gemma, `call:book{note:<|"|>a<|"|>,free:{a: b:<|"|>c<|"|>}}`, `no`},
		{gemma, `call:book{note(s):<|"|>a<|"|>}`, `no`},
	} {
		if got := said(tt.known.Read(tt.text)); got != tt.want {
			t.Errorf("%s is %s; want %s", tt.text, got, tt.want)
		}
	}
}

func TestLiteralsWithoutQuotes(t *testing.T) {
	known := held.Literals{Syntax: format.GemmaLiteral, Tools: &tools, SchemaOf: schemaOf, Bare: true}
	for text, want := range map[string]string{
		`call:book{note:a, b,count:3}call:ping{}<end_of_turn>`: `book{"note":"a, b","count":3}; ping{}`,
		`call:book{count:3}`:       `no`,
		`call:book{note:a} I say.`: `no`,
	} {
		if got := said(known.ReadErased(text)); got != want {
			t.Errorf("%s is %s; want %s", text, got, want)
		}
	}
	known.Bare, known.Marks = false, true
	for text, want := range map[string]string{
		`call:book{count:3,note:<|"|>a}<tool_call|>`: `book{"count":3,"note":"a"} missing_closer`,
		`call:book{note:<|"|>a,count:3}`:             `no`,
		`call:book{note:<|"|>a`:                      `no`,
	} {
		if got := said(known.ReadUnclosed(text)); got != want {
			t.Errorf("%s is %s; want %s", text, got, want)
		}
	}
}

// The time grows with the length of a name that contains punctuation.
func TestSignedNameGrowth(t *testing.T) {
	known := held.Literals{Syntax: format.GemmaLiteral, Tools: &tools, SchemaOf: schemaOf, Marked: true, Marks: true}
	for _, unit := range []string{"a:", "(", "a,", "1:", "a(:1,", "<|\"|>", "f(x):{"} {
		known.Read(fmt.Sprintf("call:book{note:<|\"|>a<|\"|>,free:{%s:1}}", strings.Repeat(unit, (1<<20)/len(unit))))
	}
}
