package rawjson_test

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// FuzzWalk checks that a walk over well-formed JSON finds the same as a decoder: the same members
// and elements, each a part of the text, at every level.
func FuzzWalk(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, `[0]`, `{"a":[{"b":"\\\"]}"},-1.5e3, null ,true],"":{ } , "é\n":"]"}`, "[\t1 ,\r\n [ [] , {} ] ]", `"\\"`, `{"\u0061":1,"b":{"c":[[["}"]]]}}`, `{"":[[]],"a":0}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value := jsontext.Value(text)
		if !value.IsValid() {
			t.Skip()
		}
		want := value.Clone()
		if err := want.Compact(); err != nil {
			t.Fatal(err)
		}
		if got := rawjson.Compact(value); string(got) != string(want) || string(value) != text {
			t.Errorf("compact, %q is %q, want %q", text, got, want)
		}
		n := 0
		walk(t, value, &n)
		if count := rawjson.CountValues(value); count != n {
			t.Errorf("%d values and names, and %d are counted", n, count)
		}
	})
}

// walk compares a walk over one value with a decoder's result, and counts values and names.
func walk(t *testing.T, text jsontext.Value, n *int) {
	*n++
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	token, err := dec.ReadToken()
	if err != nil {
		t.Fatal(err)
	}
	read := func() jsontext.Value {
		v, err := dec.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		return v.Clone()
	}
	switch token.Kind() {
	case '"':
		if got := rawjson.Unquote(bytes.TrimSpace(text)); got != token.String() {
			t.Errorf("%s says %q, want %q", text, got, token.String())
		}
	case '[':
		for v := range rawjson.Elements(text) {
			if want := read(); string(v) != string(want) {
				t.Fatalf("element %s, want %s", v, want)
			}
			walk(t, v, n)
		}
	case '{':
		members := rawjson.AppendMembers(nil, text, nil, len(text))
		for name, v := range rawjson.Members(text) {
			*n++
			wantName, want := read(), read()
			if string(name) != string(wantName) || string(v) != string(want) {
				t.Fatalf("member %s: %s, want %s: %s", name, v, wantName, want)
			}
			if members[0].Name != rawjson.Unquote(name) || string(members[0].Value) != string(v) {
				t.Errorf("member %s: %s, want %s: %s", members[0].Name, members[0].Value, name, v)
			}
			members = members[1:]
			walk(t, v, n)
		}
	}
	if kind := dec.PeekKind(); kind != 0 && kind != ']' && kind != '}' {
		t.Fatalf("the walk ends before %v", kind)
	}
}

// TestBroken checks that each walk ends if the text is not well-formed.
func TestBroken(t *testing.T) {
	for _, text := range []string{``, `{`, `[`, `{"a"`, `{"a":`, `{"a":"\x","b":1}`, `["\x",1]`, `[1 2]`, `{"a":[tru]}`, `[[[`, `{"a":1]`, `"a`} {
		for range rawjson.Elements(jsontext.Value(text)) {
		}
		for range rawjson.Members(jsontext.Value(text)) {
		}
		rawjson.AppendMembers(nil, jsontext.Value(text), nil, 10)
		rawjson.AppendAsPython(nil, jsontext.Value(text))
		rawjson.CountValues(jsontext.Value(text))
	}
}
