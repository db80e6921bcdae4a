package rawjson

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestAppendSlipped checks which slips have only one reading. All others are rejected.
func TestAppendSlipped(t *testing.T) {
	for _, tt := range []struct {
		text, want string // "" if it is rejected
		guessed    bool
	}{
		{`{'a': 'it\'s', 'b': True, 'c': None, 'd': [1, 2.5, -3]}`, `{"a":"it's","b":true,"c":null,"d":[1,2.5,-3]}`, false},
		{`{a: 1, b_2: "x"}`, `{"a":1,"b_2":"x"}`, false},
		{`{"a": "He said "no" to me"}`, `{"a":"He said \"no\" to me"}`, true},
		{`{"a": "<b class="x">", "b": 1}`, `{"a":"<b class=\"x\">","b":1}`, true},
		{`{"a": "f("x", "y")"}`, ``, false},          // the quote before the comma may end it
		{`{"a": "say "hi"", "b "c"": 1}`, ``, false}, // the name of a member
		{`{"a": "\d+\s"}`, `{"a":"\\d+\\s"}`, false},
		{`{"a": "\d+\n"}`, ``, false},           // \n may be a backslash and an n
		{`{"a": "C:\Windows\temp"}`, ``, false}, // and \t
		{`{'a': 'a\xa0b'}`, ``, false},          // an escape that only Python has
		{`{'a': 'a\/b'}`, ``, false},            // an escape in JSON, and none in Python
		{`{"a": "print "x", "b": "y""}`, ``, false},
		{`{"a": "Pa" + "ris"}`, ``, false},
		{`{"a": "C:\Users\new"}`, ``, false}, // \n may be a newline
		{`{"a": "\bfoo\d"}`, ``, false},      // \b may be a backspace
		{"{\"a\": \"two\nlines\"}", `{"a":"two\nlines"}`, false},
		{`{"a": "\u00e9\'"}`, `{"a":"\u00e9'"}`, false},
		{`{"a": """say "hi", you""", "b": ""}`, `{"a":"say \"hi\", you","b":""}`, false},
		{`{"a": 1} and`, ``, false},
		{`{"a": 1, /* b */ "c": 2}`, ``, false},
		{`{"a": 1`, ``, false},
		{`{"a": [1}`, ``, false},
		{`{"a": word}`, ``, false},
		{`{"a": 12345678901234567890}`, `{"a":12345678901234567890}`, false},
		{`{"name="f", "a": 1}`, `{"name":"f","a":1}`, false},
		{`{"name=f", "a": 1}`, ``, false},
		{strings.Repeat("[", maxPythonDepth+1), ``, false},
		{``, ``, false},
	} {
		got, guessed, ok := AppendSlipped([]byte("x"), tt.text)
		if want := "x" + tt.want; string(got) != want || guessed != tt.guessed || ok != (tt.want != "") {
			t.Errorf("%s: %s, guessed %t, %t; want %s, %t", tt.text, got, guessed, ok, want, tt.guessed)
		}
	}
}

// FuzzAppendSlipped checks that the result is JSON, and that valid JSON is read unchanged.
func FuzzAppendSlipped(f *testing.F) {
	f.Add(`{"a": "He said "no"", 'b': None}`)
	f.Add(`[1, {"a": "\d\u00e9"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		got, _, ok := AppendSlipped(nil, text)
		switch value := jsontext.Value(text); {
		case ok && !jsontext.Value(got).IsValid():
			t.Fatalf("%q is no JSON", got)
		case ok && value.IsValid() && value.Compact() == nil && string(value) != compact(t, got):
			t.Fatalf("%s is read as %s", value, got)
		}
	})
}

// compact returns JSON without white space.
func compact(t *testing.T, value jsontext.Value) string {
	if err := value.Compact(); err != nil {
		t.Fatal(err)
	}
	return string(value)
}
