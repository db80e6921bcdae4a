package held_test

import (
	"fmt"
	"strings"
	"testing"

	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// saidSlips formats slips as " a b"; "" if there are none.
func saidSlips(slips []messages.Reason) string {
	return strings.TrimRight(" "+strings.Trim(fmt.Sprint(slips), "[]"), " ")
}

// TestObjects reads calls that are one JSON object.
func TestObjects(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"book","arguments":{"note":"a"}}`:                             `book{"note":"a"}`,
		`{"tool_name":"book","parameters":{"note":"a"}}`:                       `book{"note":"a"}`,
		`{"type":"function","id":"call_1","name":"book","input":{"note":"a"}}`: `book{"note":"a"}`,
		`{"function":"book","arguments":{"note":"a"}}`:                         `book{"note":"a"}`,
		`{"function":{"name":"book","arguments":{"note":"a"}}}`:                `book{"note":"a"}`,
		`{"tool":"book","input":{"note":"a"}}`:                                 `book{"note":"a"}`,
		`{"action":"book","action_input":{"note":"a"}}`:                        `book{"note":"a"} argument_key`,
		`{"$TOOL_NAME":"book","arguments":{"note":"a"}}`:                       `book{"note":"a"}`,
		`{"tool_call":{"name":"book","arguments":{"note":"a"}}}`:               `book{"note":"a"}`,
		`{"book":{"note":"a"}}`:                                                `book{"note":"a"}`,
		`{"name":"book","args":{"note":"a"}}`:                                  `book{"note":"a"} argument_key`,
		`{"name":"book","note":"a","count":3}`:                                 `book{"count":3,"note":"a"} no_arguments`,
		`{"name":"book","arguments":{"note":"a"},"why":"so"}`:                  `book{"note":"a"} extra_element`,
		`{"name":"book","arguments":"{\"note\":\"a\"}"}`:                       `book{"note":"a"}`,
		`{{"name":"book","arguments":{{"note":"a"}}}}`:                         `book{"note":"a"}`,
		`{'name': 'book', 'arguments': {'note': 'a'}}`:                         `book{"note":"a"}`,
		`{"name":"ping"}`:                      `ping{}`,
		`{"name":"ping","arguments":null}`:     `ping{}`,
		`{"name":"other","arguments":{"x":1}}`: `other{"x":1}`,
		`{"name":"other"}`:                     `other no extra_element`,
		`{"name":"book","type":"string"}`:      `book no extra_element`,
		`{"name":"book","why":"so"}`:           `book no extra_element`,
		`{"name":"book","arguments":{"note":"a"},"parameters":{"note":"b"}}`: `book no extra_element`,
		`{"name":"book","arguments":{},"note":"a"}`:                          `book no extra_element`,
		`{"name":"book","arguments":"so"}`:                                   `book no`,
		`{"arguments":{"note":"a"}}`:                                         `no`,
		`{"name":7,"arguments":{}}`:                                          `no`,
		`["book"]`:                                                           `no`,
	} {
		got := "no"
		if o, ok := held.ReadObject(text, &tools); ok {
			tool := held.Tool{Name: o.Tool(), Schema: schemaOf(o.Tool())}
			if tool.Schema == nil {
				tool.Schema, tool.Unoffered = schema.ObjectOfStrings, true
			}
			input, slips, ok := tool.Arguments(&o)
			if got = o.Tool() + string(input); !ok {
				got += " no"
			}
			got += saidSlips(slips)
		}
		if got != want {
			t.Errorf("%s is %s; want %s", text, got, want)
		}
	}
}

// TestInputs reads texts as the input of a tool.
func TestInputs(t *testing.T) {
	for _, tt := range []struct{ tool, text, want string }{
		{"book", `{"note": "a"}`, `{"note":"a"}`},
		{"book", `{"note": "a",}`, `{"note":"a"}`},
		{"book", `{"note": "a"`, `no`},
		{"book", `{"note": "a" "count": 3}`, `no`},
		{"book", `{"free": "a" "count": 3}`, `no`},
		{"book", `{{"note":"a"}}`, `{"note":"a"} mended_json`},
		{"book", `"{\"note\":\"a\"}"`, `{"note":"a"}`},
		{"book", `{\"note\":\"a\"}`, `{"note":"a"} mended_json`},
		{"book", `{"arguments":{"note":"a"}}`, `{"note":"a"} extra_element`},
		{"book", `{"name":"book","input":{"note":"a"}}`, `{"note":"a"} extra_element`},
		{"book", `{"name":"other","input":{"note":"a"}}`, `{"name":"other","input":{"note":"a"}}`},
		{"book", `{"arguments":{"zz":"a"}}`, `{"arguments":{"zz":"a"}}`},
		{"book", `{"type":"object","properties":{"note":"a"}}`, `{"note":"a"} schema_shape`},
		{"book", `{"type":"object","properties":{"note":{"type":"string"}}}`, `{"type":"object","properties":{"note":{"type":"string"}}}`},
		{"book", `{"type":"object","properties":{"note":"a","free":{"x":1}}}`, `{"note":"a","free":{"x":1}} schema_shape`},
		{"book", `{"type":"object","properties":{"note":"a","free":{"type":"string"}}}`, `{"type":"object","properties":{"note":"a","free":{"type":"string"}}}`},
		{"book", `{"note":"a","tags":"[1]"}`, `{"note":"a","tags":[1]} json_string`},
		{"book", `{"note":"[1]"}`, `{"note":"[1]"}`},
		{"book", ``, `no`},
		{"ping", ``, `{} mended_json`},
		{"ping", `None`, `{} mended_json`},
		{"ping", `"{}"`, `{}`},
		{"ping", `so`, `no`},
	} {
		tool := held.Tool{Name: tt.tool, Schema: schemaOf(tt.tool)}
		input, slips, ok := tool.Input(tt.text)
		got := string(input) + saidSlips(slips)
		if !ok {
			got = "no"
		}
		if got != tt.want {
			t.Errorf("%s %s is %s; want %s", tt.tool, tt.text, got, tt.want)
		}
	}
	tool := held.Tool{Name: "book", Schema: schemaOf("book"), Braced: true}
	for text, want := range map[string]bool{`{"note":"a"}`: true, `{"note":"a","free":{"x":1}}`: true, `{"note":"a","free":{"x":1,"count":2}}`: false} {
		if _, _, ok := tool.Input(text); ok != want {
			t.Errorf("%s with a brace of our own is read: %t", text, ok)
		}
	}
}

// TestSearchedCalls finds calls and the shapes of calls in any text, and the beginnings of arguments.
func TestSearchedCalls(t *testing.T) {
	schemaOfTool := func(tool *messages.Tool) *schema.Schema { return schema.Compile(tool.InputSchema) }
	for text, want := range map[string]string{
		`So {"name":"book","arguments":{"note":"a"}} and {"name":"ping"}.`: `book 3-43, ping 48-63`,
		`{"name":"book","arguments":{"count":1}}`:                          ``,
		`{"name":"other","arguments":{}}`:                                  ``,
		`{"x":{"name":"ping"}}`:                                            `ping 5-20`,
		`{"name":"ping"`:                                                   ``,
	} {
		var got []string
		for f := range held.Find([]byte(text), &tools, schemaOfTool) {
			got = append(got, fmt.Sprintf("%s %d-%d", f.Tool, f.From, f.To))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s has %s; want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"Action: book\nAction Input: a": "book", "Action: other\nAction Input: a": "", "So Action: book\nAction Input: a": "", "Action: book\nThen": "",
		"[Calling tool: book(a)]": "book", "functions.book(a)": "book", "myfunctions.book(a)": "", `<tool_invocation id="1" name="book">`: "book", "<tool_call:x>book<": "book",
		"[TOOL_CALL]\n{": "a call", "<invoke>\n<parameters>": "a call", "<invoke>\n<p>": "",
	} {
		got := ""
		for f := range held.FindShapes([]byte(text), &tools) {
			if got = f.Tool; got == "" {
				got = "a call"
			}
		}
		if got != want {
			t.Errorf("%q has the shape of %q; want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`{"name":"f","arguments":{"a":1`: `{"a":1`, `{"name":"f","id":{"x":1},"input": {"a`: `{"a`, `{"name":"f","argu`: ``, `{"name":"f"`: ``, `[1`: ``,
	} {
		if got := held.CutArguments(text); got != want {
			t.Errorf("%s has %s; want %s", text, got, want)
		}
	}
	for text, want := range map[string]bool{"call_7f": true, "toolu_01": true, "0": true, "": true, "call_book": false, "book": false, "book1": false} {
		if got := held.IsCallID(text); got != want {
			t.Errorf("%q is an id: %t", text, got)
		}
	}
	for text, want := range map[string]bool{`{"a":{}, "b":1}`: true, `{"a":{}}`: false, `{}, {}`: false} {
		if got := held.ClosesWithin(text); got != want {
			t.Errorf("%s closes within: %t", text, got)
		}
	}
}

// TestDepth finds the end of objects, in pieces of every size.
func TestDepth(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"}"}x`: "9", `{"a":"\"}"}`: "11", `{"a":[1,{"b":2}]},`: "17", `{'a': '}', 'b': "it's"}`: "23", `{"a": it's}`: "11",
		`{"a":"x`: "more", `{"a":1`: "more", `{"a":1<`: "no at 6", `{"a":"<"}`: "9",
	} {
		for n := 1; n <= len(text); n++ {
			depth, at, v := held.DepthOf([]byte(text)), 0, markup.NeedMore
			for at < len(text) && v == markup.NeedMore {
				var read int
				read, v = depth.ReadObject([]byte(text[at:min(at+n, len(text))]))
				at += read
			}
			if got := [...]string{fmt.Sprint("no at ", at), "more", fmt.Sprint(at)}[v]; got != want {
				t.Errorf("%s in pieces of %d ends at %s; want %s", text, n, got, want)
			}
		}
	}
	for text, want := range map[string]string{`[1, "]"]`: "whole", ` {"a": 1} `: "whole", `{'a': '}'}`: "whole", `[1] x`: "json", `[1`: "json", `12`: "text", ` `: "nothing"} {
		var whole held.JSON
		whole.Advance([]byte(text))
		got := "nothing"
		switch {
		case whole.HasEnded():
			got = "whole"
		case whole.Is:
			got = "json"
		case whole.Begun:
			got = "text"
		}
		if got != want {
			t.Errorf("%s is %s; want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{"<|im_end|>x": "10", "</s>": "4", "<|im": "more", "<b>": "no", "": "no"} {
		if n, v := held.MatchEndMark([]byte(text), false); [...]string{"no", "more", fmt.Sprint(n)}[v] != want {
			t.Errorf("%q is %d, %d; want %s", text, n, v, want)
		}
	}
}
