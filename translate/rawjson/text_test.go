package rawjson_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"dragoman/translate/rawjson"
)

// inJSON returns the text of a JSON string that stands in a long object, as a reader of the object gets
// it, and reports whether it was left in its JSON.
func inJSON(t *testing.T, quoted string) (rawjson.Text, bool) {
	body := []byte(`{"a":` + quoted + `,"b":"` + strings.Repeat(" ", 8<<10) + `"}`)
	members, index, ok := rawjson.Check{MaxDepth: 1, MaxNames: 2, MaxMembers: 2}.Members(body)
	if !ok {
		t.Fatalf("%s is refused", quoted)
	}
	return index.Text(members[0].Value)
}

// FuzzText holds that a text which is left in its JSON is the same as when it is decoded, alone and behind
// other texts, and that whoever writes it writes the same.
func FuzzText(f *testing.F) {
	for _, s := range []string{"a", " ", "\n", "\\", "\"", "\\n", "\\\\n", "é", "/", "\x00", "\x7f", "\u2028", "\t<b>\b\f\r", "\u0085", "🌍"} {
		f.Add(s, s, true)
	}
	f.Fuzz(func(t *testing.T, s, before string, around bool) {
		if !utf8.ValidString(s) || !utf8.ValidString(before) {
			t.Skip()
		}
		blanks := strings.Repeat(" ", 300)
		if s = blanks + s; around {
			s = strings.TrimSpace(s) + blanks + s + strings.TrimSpace(s)
		}
		quoted := string(rawjson.AppendString(nil, s))
		text, ok := inJSON(t, quoted)
		if ok == strings.Contains(strings.ReplaceAll(quoted, `\\`, ""), `\u`) {
			t.Fatalf("%s: left in its JSON: %v", quoted, ok)
		}
		checkText(t, rawjson.Quoted([]byte(s)), s)
		checkText(t, rawjson.Quoted([]byte(before)), before)
		if !ok {
			return
		}
		if inside, ok := text.InJSON(); !ok || string(inside) != quoted[1:len(quoted)-1] {
			t.Errorf("%s stands as %s", quoted, inside)
		}
		var b rawjson.TextBuilder
		b.Plain = append(b.Plain, before...)
		b.Add(text)
		for want, got := range map[string]rawjson.Text{s: text, before + s: b.Take(), s + before: text.Then(before)} {
			checkText(t, got, want)
		}
		for range 2 { // a builder is empty once it is taken from
			b.Add(text)
			b.Add(text.Then(before))
			b.Add(rawjson.Plain(before))
			checkText(t, b.Take(), s+s+before+before)
		}
	})
}

// checkText compares a text with the string that it is to be.
func checkText(t *testing.T, text rawjson.Text, want string) {
	t.Helper()
	if got := text.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	escaped, ok := text.AppendEscaped(nil)
	if wantEscaped := rawjson.AppendEscaped(nil, want); !ok || string(escaped) != string(wantEscaped) {
		t.Errorf("%q is written %s, want %s", want, escaped, wantEscaped)
	}
	if data, err := json.Marshal(text); err != nil {
		t.Error(err)
	} else if err := json.Unmarshal(data, &text); err != nil || text.String() != want {
		t.Errorf("%q comes back as %q: %v", want, text, err)
	}
	if text.Len() != len(want) || text.IsZero() != (want == "") || text.IsBlank() != (strings.TrimSpace(want) == "") {
		t.Errorf("%q: %d bytes, empty %v, blank %v", want, text.Len(), text.IsZero(), text.IsBlank())
	}
	for _, c := range "\n\\\"/n " {
		if text.BeginsWith(byte(c)) != strings.HasPrefix(want, string(c)) || text.EndsWith(byte(c)) != strings.HasSuffix(want, string(c)) {
			t.Errorf("%q, %q: at the beginning %v, at the end %v", want, c, text.BeginsWith(byte(c)), text.EndsWith(byte(c)))
		}
	}
}

// TestTextHasToBeNative holds that a string is decoded which another encoder has written otherwise.
func TestTextHasToBeNative(t *testing.T) {
	for _, escape := range []string{`\/`, `\u0041`, `\u000a`, `\u003c`, `\ud83c\udf0d`, `\u0000`} {
		quoted := `"` + strings.Repeat(" ", 300) + escape + `"`
		if _, ok := inJSON(t, quoted); ok {
			t.Errorf("%s is left as it is", escape)
		}
	}
	if _, ok := inJSON(t, `"short"`); ok {
		t.Error("a short string is left as it is")
	}
	if (rawjson.Text{}).String() != "" || !(rawjson.Text{}).Equal(rawjson.Plain("")) {
		t.Error("the zero value is not the empty text")
	}
	if _, ok := rawjson.Plain("\xff").AppendEscaped(nil); ok {
		t.Error("what is not UTF-8 is written")
	}
}
