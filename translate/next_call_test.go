package translate

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/tagged"
	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// tagForm is how a format with tags writes calls. NAME and VALUE are placeholders.
type tagForm struct {
	format              string // read-only formats are accepted beside legacy
	wrap, unwrap        string // around all calls; "" if each call has its own wrapper
	call, param         string
	shutParam, shutCall string
}

var tagForms = []tagForm{
	{"legacy", "<function_calls>\n", "</function_calls>", "<invoke>\n<tool_name>NAME</tool_name>\n<parameters>\n", "<NAME>VALUE", "</NAME>\n", "</parameters>\n</invoke>\n"},
	{"attribute", "<function_calls>\n", "</function_calls>", "<invoke name=\"NAME\">\n", "<parameter name=\"NAME\">VALUE", "</parameter>\n", "</invoke>\n"},
	{"minimax", "<minimax:tool_call>\n", "</minimax:tool_call>", "<invoke name=\"NAME\">\n", "<parameter name=\"NAME\">VALUE", "</parameter>\n", "</invoke>\n"},
	{"dsml", "<｜DSML｜tool_calls>\n", "</｜DSML｜tool_calls>", "<｜DSML｜invoke name=\"NAME\">\n", "<｜DSML｜parameter name=\"NAME\" string=\"true\">VALUE", "</｜DSML｜parameter>\n", "</｜DSML｜invoke>\n"},
	{"qwen3-coder", "", "", "<tool_call>\n<function=NAME>\n", "<parameter=NAME>\nVALUE\n", "</parameter>\n", "</function>\n</tool_call>\n"},
	{"seed-oss", "", "", "<seed:tool_call>\n<function=NAME>\n", "<parameter=NAME>VALUE", "</parameter>\n", "</function>\n</seed:tool_call>\n"},
	{"glm", "", "", "<tool_call>NAME\n", "<arg_key>NAME</arg_key>\n<arg_value>VALUE", "</arg_value>\n", "</tool_call>\n"},
	{"minicpm", "", "", "<function name=\"NAME\">", "<param name=\"NAME\">VALUE", "</param>\n", "</function>\n"},
	{"kimi-k3", "<|open|>tools<|sep|>", "<|close|>tools<|sep|>", "<|open|>call tool=\"NAME\" index=\"1\"<|sep|>", "<|open|>argument key=\"NAME\" type=\"string\"<|sep|>VALUE", "<|close|>argument<|sep|>", "<|close|>call<|sep|>"},
	{"minimax-m3", "]<]minimax[>[<tool_call>", "]<]minimax[>[</tool_call>", "]<]minimax[>[<invoke name=\"NAME\">", "]<]minimax[>[<NAME>VALUE", "]<]minimax[>[</NAME>", "]<]minimax[>[</invoke>"},
	{"step3", "<｜tool_calls_begin｜>\n", "<｜tool_calls_end｜>", "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"NAME\">", "<steptml:parameter name=\"NAME\">VALUE", "</steptml:parameter>", "</steptml:invoke><｜tool_call_end｜>\n"},
}

// writeCall returns a call with one parameter, up to the end of its value.
func (f *tagForm) writeCall(tool, param, value string) string {
	return strings.ReplaceAll(f.call, "NAME", tool) + f.writeParam(param, value)
}

func (f *tagForm) writeParam(name, value string) string {
	return strings.NewReplacer("NAME", name, "VALUE", value).Replace(f.param)
}

// shut returns the closing tag of the value of a parameter.
func (f *tagForm) shut(param string) string { return strings.ReplaceAll(f.shutParam, "NAME", param) }

// read returns what the client gets from an answer in this form, to a request with a few tools. It checks that pieces of other lengths give the same.
func (f *tagForm) read(t *testing.T, text string) *messages.Message {
	t.Helper()
	req := &messages.Request{ID: "msg_golden"}
	for name, param := range map[string]string{"shell": "command", "read": "path", "write": "content"} {
		req.Tools = append(req.Tools, messages.Tool{Name: name, InputSchema: jsontext.Value(`{"type":"object","properties":{"` + param + `":{"type":"string"},"note":{"type":"string"}},"required":["` + param + `"]}`)})
	}
	asked, err := format.Named(f.format)
	var accepts []*format.Format
	if err != nil {
		asked = format.List[0]
		if accepts, err = format.AcceptedBy([]string{f.format}); err != nil {
			t.Fatal(err)
		}
	}
	prompt := &Prompt{Asking: asking{Declared: asked, Reads: format.NewReads(asked, accepts, 0)}}
	c := completion{text: text, stop: messages.StopEndTurn}
	m := parseIn(t, prompt, req, c, 0)
	for _, n := range []int{1, 7} {
		if got := show(parseIn(t, prompt, req, c, n)); got != show(m) {
			t.Errorf("%q\nin pieces of %d\n%s\nwhole\n%s", text, n, got, show(m))
		}
	}
	return m
}

// TestNextCall checks that a call whose end is misspelt or missing ends before the next call.
func TestNextCall(t *testing.T) {
	for _, f := range tagForms {
		if f.format == "minimax-m3" { // a call with text between its marks is refused
			continue
		}
		for _, end := range []string{"", "</x>\n", "</tool_cal>\n", "</tool_cal\n", "</tool_calls>\n", "</function>\n", "</_call>\n", "ok\n", "}\n", "<\\/invoke>\n"} {
			if strings.Contains(f.shutCall, strings.TrimSpace(end)) && end != "" {
				continue
			}
			for _, tool := range []string{"read", "shell"} { // another tool, and the same tool again
				param := map[string]string{"read": "path", "shell": "command"}[tool]
				text := f.wrap + f.writeCall("shell", "command", "make") + f.shut("command") + end + f.writeCall(tool, param, "a") + f.shut(param) + f.shutCall + f.unwrap
				want := "shell {\"command\":\"make\"}\n" + tool + ` {"` + param + `":"a"}` + "\ntool_use\n"
				if got := show(f.read(t, text)); !strings.HasPrefix(got, want) {
					t.Errorf("%s: %q\n%s\nwant\n%s", f.format, text, got, want)
				}
			}
		}
	}
}

// TestShownCall checks that a value may contain whole calls, however many, if its own closing tag follows. The tags behind
// the limit on doubtful text are paired, too.
func TestShownCall(t *testing.T) {
	for _, f := range tagForms {
		call := f.wrap + f.writeCall("shell", "command", "ls") + f.shut("command") + f.shutCall + f.unwrap
		shown := []string{"To list:\n" + call + "\nThat is all."}
		if f.format != "minimax-m3" { // its marks are no text: they show only a short call
			shown = append(shown, strings.Repeat("So:\n"+call+"\n", tagged.MaxDoubt/len(call))+".")
		}
		for _, shown := range shown {
			text := f.wrap + f.writeCall("write", "content", shown) + f.shut("content") + f.shutCall + f.unwrap
			if m := f.read(t, text); len(m.Content) != 1 || m.Content[0].Type != messages.BlockToolUse || !sameInput(m.Content[0].Input, contentOf(shown)) {
				t.Errorf("%s: %.300q\n%.300s", f.format, text, show(m))
			}
		}
	}
}

func contentOf(text string) jsontext.Value {
	quoted, _ := jsontext.AppendQuote(nil, text)
	return jsontext.Value(`{"content":` + string(quoted) + `}`)
}

// TestTextBetweenCalls checks that a call is read behind a sentence or an unknown tag after the call before it.
func TestTextBetweenCalls(t *testing.T) {
	for _, f := range tagForms {
		for _, between := range []string{"Now the file.", "<zz>", "<zz>a</zz>"} {
			first := f.wrap + f.writeCall("shell", "command", "make") + f.shut("command") + f.shutCall + f.unwrap
			text := first + "\n" + between + "\n" + f.wrap + f.writeCall("read", "path", "a") + f.shut("path") + f.shutCall + f.unwrap
			want := "shell {\"command\":\"make\"}\ntext \"" + between + "\"\nread {\"path\":\"a\"}\ntool_use"
			if got := show(f.read(t, text)); got != want {
				t.Errorf("%s: %q\n%s\nwant\n%s", f.format, text, got, want)
			}
		}
	}
}

// TestNamelessCall checks that a call without a name behind another call has an outcome, and the call after it is read.
func TestNamelessCall(t *testing.T) {
	for _, f := range tagForms {
		call := func(tool, param, value string) string {
			return f.writeCall(tool, param, value) + f.shut(param) + f.shutCall
		}
		text := f.wrap + call("shell", "command", "make") + call("", "path", "x") + call("read", "path", "a") + f.unwrap
		m := f.read(t, text)
		got := show(m)
		lost := slices.ContainsFunc(m.Outcomes, func(o messages.Outcome) bool { return o.InText })
		if !strings.HasPrefix(got, "shell {\"command\":\"make\"}\n") || !strings.Contains(got, "\nread {\"path\":\"a\"}\ntool_use") || !lost {
			t.Errorf("%s: %q\n%s", f.format, text, got)
		}
	}
}

// TestHalfCloser checks that a closing tag without its last character ends a value, if the next parameter follows on
// the next line.
func TestHalfCloser(t *testing.T) {
	for _, f := range tagForms {
		shut := strings.TrimSpace(f.shut("command"))
		if !strings.HasSuffix(shut, ">") || f.format == "kimi-k3" || f.format == "minimax-m3" { // their tags have markers
			continue
		}
		text := f.wrap + f.writeCall("shell", "command", "one\n\ntwo") + shut[:len(shut)-1] + "\n" + f.writeParam("note", "a") + f.shut("note") + f.shutCall + f.unwrap
		if got, want := show(f.read(t, text)), `shell {"command":"one\n\ntwo","note":"a"}`+"\ntool_use\n# repaired shell tag_bracket"; got != want {
			t.Errorf("%s: %q\n%s\nwant\n%s", f.format, text, got, want)
		}
	}
}
