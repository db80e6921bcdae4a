package upstream

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// FuzzPassOn holds that a text which stands in the request just as it will in the body for the upstream,
// and is passed on without being decoded, makes the same prompt and the same body on every wire as one
// that is written otherwise, and is decoded.
func FuzzPassOn(f *testing.F) {
	for _, s := range []string{
		"plain", "line\n", `"quoted" \ and \\`, "a < b && c", "<div\n  class=\"x\">", "</function_calls>", "<\n/\tresult>", "&lt;/result>", "&amp;\nlt;", "&lt;\nresult>",
		"<a:result>", "<a:\nresult>", "<result", "result>", "<", "</", "<\\result>", "<\"result>", "&", "&l", "t;result>", "<tool_call>", "\n\nHuman:", "\u0085 ", "é", "\t", "<system\f>",
	} {
		f.Add(s, s, uint8(0))
		f.Add(s, "<", uint8(1))
		f.Add("<\n", s, uint8(2))
	}
	f.Fuzz(func(t *testing.T, s, next string, choice uint8) {
		if !utf8.ValidString(s) || !utf8.ValidString(next) || s == "" {
			t.Skip()
		}
		passed, decoded := passOnRequest(s, next, passedOn), passOnRequest(s, next, foreign)
		for _, wire := range encoders() {
			wire.target.Format = translate.Formats()[int(choice)%len(translate.Formats())]
			p, body := wire.ask(t, passed)
			wantPrompt, wantBody := wire.ask(t, decoded)
			if diff := cmp.Diff(wantPrompt, p); diff != "" {
				t.Errorf("%s: the prompt (-decoded +passed on):\n%s", wire.name, diff)
			}
			if diff := cmp.Diff(wantBody, body); diff != "" {
				t.Errorf("%s: the body (-decoded +passed on):\n%s", wire.name, diff)
			}
		}
	})
}

// ask returns what is asked for a request, as `dragoman render` shows it, and the body for the upstream,
// or the error in their place.
func (e encoder) ask(t *testing.T, request string) (prompt, body string) {
	req, err := messages.Decode([]byte(request), messages.DecodeOptions{})
	if err != nil {
		return err.Error(), ""
	}
	p, err := translate.Render(req, e.target)
	if err != nil {
		return err.Error(), ""
	}
	shown, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	data, err := e.encode(p)
	if err != nil {
		return string(shown), err.Error()
	}
	return string(shown), string(data)
}

// passedOn writes a text as a JSON string that is passed on if it is long.
func passedOn(s string) string { return string(rawjson.AppendString(nil, s)) }

// foreign writes the same text so that it has to be decoded.
func foreign(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if r > 0xFFFF {
		return `"` + fmt.Sprintf(`\u%04x\u%04x`, 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF) + passedOn(s[size:])[1:]
	}
	return `"` + fmt.Sprintf(`\u%04x`, r) + passedOn(s[size:])[1:]
}

// passOnRequest returns a request with texts wherever they may be long, each written by quote. Texts
// begin and end with s; next begins and ends those that follow one. An input is shown as it is written.
func passOnRequest(s, next string, quote func(string) string) string {
	blanks := strings.Repeat("  ", 200)
	text, after := quote(s+blanks+s), quote(next+blanks+next)
	return strings.NewReplacer("INPUT", passedOn(s), "TEXT", text, "AFTER", after, "FILLER", strings.Repeat("x", 8<<10)).Replace(
		`{"model":"m","max_tokens":9,"metadata":{"user_id":"FILLER"},"thinking":{"type":"enabled","budget_tokens":1024},
"system":[{"type":"text","text":TEXT},{"type":"text","text":AFTER}],
"tools":[{"name":"f","input_schema":{"type":"object"}}],
"messages":[{"role":"user","content":TEXT},{"role":"user","content":[{"type":"text","text":AFTER},{"type":"text","text":TEXT}]},
{"role":"assistant","content":[{"type":"thinking","thinking":TEXT,"signature":"s"},{"type":"text","text":TEXT},{"type":"tool_use","id":"1","name":"f","input":{"a":INPUT}},{"type":"tool_use","id":"2","name":"f","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":TEXT},
{"type":"tool_result","tool_use_id":"2","is_error":true,"content":[{"type":"text","text":TEXT},{"type":"text","text":AFTER}]},{"type":"text","text":AFTER},
{"type":"document","source":{"type":"content","content":[{"type":"text","text":TEXT}]},"title":"t"},{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":TEXT}]}]},
{"role":"system","content":TEXT},{"role":"assistant","content":[{"type":"text","text":AFTER}]},{"role":"user","content":[{"type":"text","text":TEXT},{"type":"text","text":AFTER}]}]}`)
}

// TestPassOn holds that most texts are passed on, and which are not.
func TestPassOn(t *testing.T) {
	for _, tt := range []struct {
		text   string
		passes bool
	}{
		{"a long line\n\twith \"quotes\", \\ and é", true},
		{"if a < b && c <\nd { return \"<\" + `<` }", false}, // white space behind a `<`
		{"if a < b && c < d { return \"<\" + `<` }", true},
		{"<Button\n\tonClick=\"go\">&nbsp;&lt;b&gt;</Button>", true},
		{"<result>", false},
		{"a\x00b", false},
	} {
		req, err := messages.Decode([]byte(passOnRequest(tt.text, "x", passedOn)), messages.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := translate.Render(req, translate.Target{})
		if err != nil {
			t.Fatal(err)
		}
		if _, passes := p.Turns[0].Parts[0].Text.InJSON(); passes != tt.passes {
			t.Errorf("%q is passed on: %v", tt.text, passes)
		}
	}
}
