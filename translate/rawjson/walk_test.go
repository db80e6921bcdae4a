package rawjson_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// FuzzWalk holds that a walk over well-formed JSON finds what a decoder finds: the same
// members and elements, each a part of the text, to the last level.
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
		walk(t, nil, rawjson.TrimSeparators(value), &n)
		if size := rawjson.CountValues(value); size < n {
			t.Errorf("%d values and names in a text of size %d", n, size)
		}
	})
}

// TestIndex holds that a walk by an index finds what a decoder finds, where values are long and short,
// nested and side by side, and have escapes.
func TestIndex(t *testing.T) {
	value := `{"a":[],"b":"short","c":"` + strings.Repeat(`long \"text\\`, 50) + `\\"}`
	for range 12 {
		value = `{"list":[` + value + `,1,"` + strings.Repeat("x", 300) + `",{"s":"\n"}],"free":{"x":` + value + `}}`
		if len(value) > 32<<10 {
			break
		}
	}
	check := rawjson.Check{MaxDepth: 100, MaxNames: 1000, MaxMembers: 10}
	for _, name := range []string{"", "free"} {
		check.Name = func(n []byte) (ok, free bool) { return true, string(n) == name }
		_, index, ok := check.Members([]byte(value))
		if !ok || index == nil {
			t.Fatal("there is no index")
		}
		n := 0
		walk(t, index, jsontext.Value(value), &n)
	}
}

// walk compares the walk over one value, by an index, with what a decoder makes of it, and counts.
func walk(t *testing.T, index *rawjson.Index, text jsontext.Value, n *int) {
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
		return v
	}
	switch token.Kind() {
	case '"':
		if got := rawjson.Unquote(bytes.TrimSpace(text)); got != token.String() {
			t.Errorf("%s says %q, want %q", text, got, token.String())
		}
	case '[':
		for v := range index.Elements(text) {
			if want := read(); string(v) != string(want) {
				t.Fatalf("element %s, want %s", v, want)
			}
			walk(t, index, v, n)
		}
		end(t, dec, ']')
	case '{':
		for name, v := range index.Members(text) {
			*n++
			wantName, want := read().Clone(), read()
			if string(name) != string(wantName) || string(v) != string(want) {
				t.Fatalf("member %s: %s, want %s: %s", name, v, wantName, want)
			}
			walk(t, index, v, n)
		}
		end(t, dec, '}')
		members, length := index.AppendMembers(nil, text, nil, *n+1)
		if text[length-1] != '}' || len(bytes.TrimSpace(text[length:])) > 0 {
			t.Errorf("the object %s has a length of %d", text, length)
		}
		i := 0
		for name, v := range index.Members(text) {
			if members[i].Name != rawjson.Unquote(name) || string(members[i].Value) != string(v) {
				t.Errorf("member %d is %s: %s", i, members[i].Name, members[i].Value)
			}
			i++
		}
	}
}

func end(t *testing.T, dec *jsontext.Decoder, kind jsontext.Kind) {
	if got := dec.PeekKind(); got != kind {
		t.Fatalf("the walk ends before %v", got)
	}
}
