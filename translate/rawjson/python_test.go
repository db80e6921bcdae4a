package rawjson_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

func TestAppendPython(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`['a', "b's"]`, `["a","b's"]`},
		{`{'on': True, 'x': None, "y": false, 'z': [1, 2,],}`, `{"on":true,"x":null,"y":false,"z":[1,2]}`},
		{`()`, `[]`}, {`(1,)`, `[1]`}, {`(1, 'a')`, `[1,"a"]`}, {`((1, 2), (3,))`, `[[1,2],[3]]`}, {` [ ] `, `[]`}, {`{}`, `{}`}, {`[()]`, `[[]]`},
		{`12345678901234567890123`, `12345678901234567890123`}, {`-1.50`, `-1.50`}, {`+5`, `5`}, {`.5`, `0.5`}, {`5.`, `5.0`}, {`5.e3`, `5.0e3`}, {`1e-7`, `1e-7`},
		{`'it\'s'`, `"it's"`}, {`"a\x41\101\0\u00e9\U0001F30D\d\
b"`, `"aAA\u0000é🌍\\db"`},
		{`'\ud83c\udf0d'`, `"🌍"`}, {`'''a'b "c"
d'''`, `"a'b \"c\"\nd"`}, {`"""x\"""y"""`, `"x\"\"\"y"`}, {`r'C:\new\'x'`, `"C:\\new\\'x"`}, {`''`, `""`}, {`""""""`, `""`}, {"'a\nb'", `"a\nb"`},
		{`'\é'`, `"\\é"`}, {`']'`, `"]"`}, {`True`, `true`}, {`null`, `null`},
		{``, ``}, {`x`, ``}, {`Truely`, ``}, {`nan`, ``}, {`0x1f`, ``}, {`007`, ``}, {`1_000`, ``}, {`1j`, ``}, {`('a')`, ``}, {`'\x4:'`, ``}, {`--1`, ``}, {`{1, 2}`, ``}, {`{1: 'a'}`, ``}, {`{'a': 1, 'a': 2}`, ``}, {`[,]`, ``}, {`[1 2]`, ``}, {`(,)`, ``},
		{`'a' 'b'`, ``}, {`f'{x}'`, ``}, {`b'x'`, ``}, {`'a`, ``}, {`'a\`, ``}, {`'\ud83c'`, ``}, {`'\N{DASH}'`, ``}, {`'\x4'`, ``}, {`'\xg0'`, ``}, {`'\U00110000'`, ``}, {`'\UFFFFFFFF'`, ``}, {`1 + 1`, ``}, {`[1`, ``}, {`['it's']`, ``}, {`r'\`, ``}, {`r'a\'`, ``},
	} {
		got, ok := rawjson.AppendPython([]byte("x"), tt.text)
		if string(got) != "x"+tt.want || ok != (tt.want != "") {
			t.Errorf("%s is %s %t, want %s", tt.text, got, ok, tt.want)
		}
	}
}

func TestReadPythonCalls(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`[book(note='a', count = 3,), ping()]`, `book{"note":"a","count":3}ping{}`}, {` ping( ) `, `ping{}`}, {`f(a=1_000)`, `f{"a":1000}`}, {`[]`, ``}, {`[a-b.c(x=[1, (2,)]),]`, `a-b.c{"x":[1,[2]]}`},
		{`f(**{"a b": 1})`, `f{"a b":1}`}, {`f(a=1, **{'b': [2], 'c': ()}, d=None)`, `f{"a":1,"b":[2],"c":[],"d":null}`}, {`f(größe=1, x='f(a=1)]')`, `f{"größe":1,"x":"f(a=1)]"}`},
		{`f(a='x ' "y"
  r'\z', b={'c': "d" 'e'})`, `f{"a":"x y\\z","b":{"c":"de"}}`}, {`[f({"a": "b\/c", "d": [null]}), g( {'e': True} )]`, `f{"a": "b\/c", "d": [null]}g{"e":true}`},
		{`f(a='it''s')`, `no`}, {`f(a=1 'x')`, `no`}, {`f(a=['x' 'y'])`, `no`}, {`f(a='x' y)`, `no`}, {`f({"a": 1}, b=2)`, `no`}, {`f({"a": 1}, {"b": 1})`, `no`}, {`f({"a": 1}`, `no`},
		{`[f(2)]`, `no`}, {`f('a')`, `no`}, {`f(a)`, `no`}, {`f(a=)`, `no`}, {`f(a=1__0)`, `no`}, {`f(a=1, a=2)`, `no`}, {`f(a=g(1))`, `no`}, {`f(a=1 b=2)`, `no`}, {`f(, a=1)`, `no`}, {`f(**[1])`, `no`}, {`f(="x")`, `no`},
		{`(a=1)`, `no`}, {`f(a=1`, `no`}, {`[f(a=1), g(b=`, `f{"a":1}no`}, {`[f() g()]`, `f{}no`}, {`f() and`, `f{}no`}, {`f()g()`, `f{}no`}, {``, `no`}, {`[f()`, `f{}no`}, {`f(**{}, a=1)`, `no`},
	} {
		calls, ok := rawjson.ReadPythonCalls(tt.text)
		got := ""
		for _, c := range calls {
			got += c.Name + string(c.Arguments)
		}
		if !ok {
			got += "no"
		}
		if got != tt.want {
			t.Errorf("%s is %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestAppendAsPython(t *testing.T) {
	const value = `{"a":[true,false,null,"tr\"ue\/",-1.50],"b":{}}`
	got := rawjson.AppendAsPython(nil, jsontext.Value(value))
	if want := `{"a": [True, False, None, "tr\"ue/", -1.50], "b": {}}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if again, ok := rawjson.AppendPython(nil, string(got)); !ok || string(again) != `{"a":[true,false,null,"tr\"ue/",-1.50],"b":{}}` {
		t.Errorf("read as %s", again)
	}
}

// Strings have the quotes that Python chooses, and are read back.
func TestAppendRepr(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":[true,null,"it's"],"b":false}`: `{'a': [True, None, "it's"], 'b': False}`,
		`"a\n\t\r\\ é\u0001\u007f"`:          `'a\n\t\r\\ é\x01\x7f'`,
		`"it's \"so\""`:                      `'it\'s "so"'`,
		`12345678901234567890.50`:            `12345678901234567890.50`,
	} {
		got := string(rawjson.AppendRepr(nil, jsontext.Value(in)))
		if got != want {
			t.Errorf("%s is %s; want %s", in, got, want)
		}
		back, ok := rawjson.AppendPython(nil, got)
		if canonical, _ := jsontext.AppendFormat(nil, jsontext.Value(in)); !ok || string(back) != string(canonical) {
			t.Errorf("%s is read as %s", got, back)
		}
	}
}

// TestAppendPythonGrowth checks that time is linear in the length of text that is not a literal
// after all.
func TestAppendPythonGrowth(t *testing.T) {
	for _, unit := range []string{"[", "(", "('", "{'a':", `\`, "'''", "((1),", "1", "-", "r'"} {
		begin := time.Now()
		rawjson.AppendPython(nil, strings.Repeat(unit, (8<<20)/len(unit)))
		if d := time.Since(begin); d > 20*time.Second {
			t.Errorf("%s: %s", unit, d)
		}
	}
}

func FuzzAppendPython(f *testing.F) {
	for _, s := range []string{`{'a': [1, (2,), None]}`, `'\u00e9\x41'`, `"""a"""`, `r'\'`, `1_0.e5`, "'\xff'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := rawjson.AppendPython(nil, text); ok {
			if again, ok := rawjson.AppendPython(nil, string(got)); !ok || string(again) != string(got) {
				t.Errorf("%q is %s, and that is %s", text, got, again)
			}
		}
	})
}
