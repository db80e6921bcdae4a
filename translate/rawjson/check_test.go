package rawjson_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dragoman/translate/rawjson"
)

// anything is a check that allows what I-JSON does.
var anything = rawjson.Check{MaxDepth: 5, MaxNames: 100, MaxMembers: 50, Known: []string{"a"}}

// FuzzCheck holds that what the check takes is an object in I-JSON for a decoder too, with the same
// members, and that texts decode to the same. What has no escapes in its names and is within the
// limits has to be taken.
func FuzzCheck(f *testing.F) {
	for _, text := range []string{
		`{}`, ` {"a" : [ ] , "b":{"c":-1.5e+3,"d":[null,true,false]} }` + "\n", `{"a":"\ud83c\udf0d\n\u00e9\\ é"}`, `{"a":"\u00e9\x"}`, `{"a":"\u00e9"}`, `{"a":"1234567\n"}`, `{"a":"\\\\\\\"","b":"\\"}`, `{"a":"\ud83c"}`, `{"a":"\udf0d\ud83c"}`,
		`{"a":1,"a":2}`, `{"b":{"abcdefgh":1,"abcdefgh":2}}`, `{"a":01}`, `{"a":1.}`, `{"a":-}`, `{"a":1e}`, `{"a":tru}`, `{"a":nulll}`, `{"a":1,}`, `{"a":[1,]}`, `{,}`,
		`{"a":"\x"}`, `{"a":"\u12"}`, `{"a":"` + "\x01" + `"}`, `{"a":"` + "\xff" + `"}`, `{"a`, `{"a":"b`, `{"a":"\`, `{"a":[}`, `[]`, `{}x`, `{}` + "\x00", "\xef\xbb\xbf{}", ``, `{"a":[[[[[]]]]]}`, `{"\u0061":1}`,
		object(48, ""), object(49, ""), object(20, `,"n3":0`), `{"b":` + object(60, `,"n59":1`) + `}`, `{"b":` + object(60, `,"n3":1`) + `}`, `{"b":[` + object(60, "") + `,` + object(60, "") + `]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		members, _, ok := anything.Members([]byte(text))
		value := jsontext.Value(text)
		valid := value.IsValid() && value.Kind() == '{'
		if !ok {
			if valid && !strings.Contains(text, `\`) && strings.Count(text, ":") < 50 && strings.Count(text, "{")+strings.Count(text, "[") <= 5 {
				t.Fatalf("%q is not taken", text)
			}
			return
		}
		if !valid {
			t.Fatalf("%q is taken, which is no object in I-JSON", text)
		}
		if diff := cmp.Diff(rawjson.ReadObject(bytes.TrimSpace(value)).Members, members, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", text, diff)
		}
	})
}

// object returns an object with n members, and more.
func object(n int, more string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`,"n` + strconv.Itoa(i) + `":` + strconv.Itoa(i))
	}
	return "{" + strings.TrimPrefix(b.String()+more, ",") + "}"
}

func TestCheckLimits(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		ok         bool
	}{
		{"depth", `{"a":[[[[]]]]}`, true},
		{"too deep", `{"a":[[[[[]]]]]}`, false},
		{"too deep with objects", `{"a":{"a":{"a":{"a":{"a":{}}}}}}`, false},
		{"members", object(50, ""), true},
		{"too many members", object(51, ""), false},
		{"names that are open", `{"a":` + object(99, "") + `}`, true},
		{"too many names that are open", `{"a":` + object(100, "") + `}`, false},
		{"names that are closed again", `{"a":[` + object(99, "") + `,` + object(99, "") + `]}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, ok := anything.Members([]byte(tt.text)); ok != tt.ok {
				t.Errorf("%v, want %v", ok, tt.ok)
			}
		})
	}
}

// TestCheckNames holds which names a check is asked about.
func TestCheckNames(t *testing.T) {
	asked := ""
	c := anything
	c.Name = func(name []byte) (ok, free bool) {
		asked += string(name) + " "
		return string(name) != "bad", string(name) == "free"
	}
	_, _, ok := c.Members([]byte(`{"a":[{"free":[{"bad":0}],"b":{}},{"c":0}],"free":1,"d":{"e":1,"bad":2,"f":3}}`))
	if want := "a free b c free d e bad "; ok || asked != want {
		t.Errorf("asked about %q, want %q", asked, want)
	}
}

// TestCheckStops holds that a long check can be left.
func TestCheckStops(t *testing.T) {
	calls := 0
	c := anything
	c.Continue = func() bool { calls++; return calls < 3 }
	if _, _, ok := c.Members([]byte(`{"a":[` + strings.Repeat("0,", 1<<20) + `0]}`)); ok || calls != 3 {
		t.Errorf("left: %v, after %d calls", !ok, calls)
	}
}
