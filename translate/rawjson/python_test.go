package rawjson_test

import (
	"strings"
	"testing"
	"time"

	"dragoman/translate/rawjson"
)

func TestAppendPython(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`['a', "b's"]`, `["a","b's"]`},
		{`{'on': True, 'x': None, "y": false, 'z': [1, 2,],}`, `{"on":true,"x":null,"y":false,"z":[1,2]}`},
		{`()`, `[]`}, {`(1,)`, `[1]`}, {`(1, 'a')`, `[1,"a"]`}, {`((1, 2), (3,))`, `[[1,2],[3]]`}, {` [ ] `, `[]`}, {`{}`, `{}`}, {`[()]`, `[[]]`},
		{`12345678901234567890123`, `12345678901234567890123`}, {`-1.50`, `-1.50`}, {`+5`, `5`}, {`.5`, `0.5`}, {`5.`, `5.0`}, {`5.e3`, `5.0e3`}, {`1_000`, `1000`}, {`1e-7`, `1e-7`},
		{`'it\'s'`, `"it's"`}, {`"a\x41\101\0\u00e9\U0001F30D\d\
b"`, `"aAA\u0000é🌍\\db"`},
		{`'\ud83c\udf0d'`, `"🌍"`}, {`'''a'b "c"
d'''`, `"a'b \"c\"\nd"`}, {`"""x\"""y"""`, `"x\"\"\"y"`}, {`r'C:\new\'x'`, `"C:\\new\\'x"`}, {`''`, `""`}, {`""""""`, `""`}, {"'a\nb'", `"a\nb"`},
		{`'\é'`, `"\\é"`}, {`']'`, `"]"`}, {`True`, `true`}, {`null`, `null`},
		{``, ``}, {`x`, ``}, {`Truely`, ``}, {`nan`, ``}, {`0x1f`, ``}, {`007`, ``}, {`1__0`, ``}, {`1j`, ``}, {`('a')`, ``}, {`'\x4:'`, ``}, {`--1`, ``}, {`{1, 2}`, ``}, {`{1: 'a'}`, ``}, {`{'a': 1, 'a': 2}`, ``}, {`[,]`, ``}, {`[1 2]`, ``}, {`(,)`, ``},
		{`'a' 'b'`, ``}, {`f'{x}'`, ``}, {`b'x'`, ``}, {`'a`, ``}, {`'a\`, ``}, {`'\ud83c'`, ``}, {`'\N{DASH}'`, ``}, {`'\x4'`, ``}, {`'\xg0'`, ``}, {`'\U00110000'`, ``}, {`'\UFFFFFFFF'`, ``}, {`1 + 1`, ``}, {`[1`, ``}, {`['it's']`, ``}, {`r'\`, ``}, {`r'a\'`, ``},
	} {
		got, ok := rawjson.AppendPython([]byte("x"), tt.text)
		if string(got) != "x"+tt.want || ok != (tt.want != "") {
			t.Errorf("%s is %s %t, want %s", tt.text, got, ok, tt.want)
		}
	}
}

func TestAppendPythonArguments(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{``, `{}`}, {` `, `{}`}, {`note='a', count = 3,`, `{"note":"a","count":3}`}, {`**{"a b": 1}`, `{"a b":1}`}, {`a=1, **{'b': [2], 'c': ()}, d=None`, `{"a":1,"b":[2],"c":[],"d":null}`},
		{`größe=1`, `{"größe":1}`}, {`**{}`, `{}`}, {`a=1, **{}, b=2`, ``},
		{`2`, ``}, {`'a'`, ``}, {`a`, ``}, {`a=`, ``}, {`a=1, a=2`, ``}, {`a=f(1)`, ``}, {`a=1 b=2`, ``}, {`, a=1`, ``}, {`**[1]`, ``}, {`*{}`, ``}, {`="x"`, ``},
	} {
		got, ok := rawjson.AppendPythonArguments(nil, tt.text)
		if string(got) != tt.want || ok != (tt.want != "") {
			t.Errorf("%s is %s %t, want %s", tt.text, got, ok, tt.want)
		}
	}
}

// TestAppendPythonGrowth holds that time grows with the length of what is no literal after all.
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
