package prompt

import (
	"strings"
	"testing"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

func TestTemplate(t *testing.T) {
	req := &messages.Request{Tools: []messages.Tool{{Name: "now"}}, Messages: []messages.MessageParam{user("Hi {{tools}}")}}
	for _, f := range format.List {
		template := "Call so: " + f.CallOpener + "…" + f.CallCloser + "\nTools:\n{{tools}}\nThat is all."
		if err := CheckTemplate(template, f.Name); err != nil {
			t.Error(err)
		}
		p := mustRender(t, req, Target{ModelOptions: ModelOptions{Format: f.Name, Template: template, Language: "fr"}})
		got := p.System[0].Text
		if !strings.HasPrefix(got, "Call so: "+f.CallOpener+"…"+f.CallCloser+"\nTools:\n"+f.BeforeTools) || !strings.HasSuffix(got, f.AfterTools+"\nThat is all.") || !strings.Contains(got, "now") {
			t.Errorf("%s: %s", f.Name, got)
		}
	}
	for template, want := range map[string]string{
		"":             "0 times",
		"{{tools}}":    "Add <invoke>",
		"{{ tools }}":  "unknown placeholder {{ tools }}",
		"{{language}}": "unknown placeholder",
		"<invoke>{{tools}}{{tools}}</function_calls>": "2 times",
		"<invoke>{{tools}}":                           "Add </function_calls>",
	} {
		if err := CheckTemplate(template, format.Legacy); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", template, err)
		}
	}
	if err := CheckTemplate("{{tools}}", "xml"); err == nil {
		t.Error("a format that does not exist has a template")
	}
}
