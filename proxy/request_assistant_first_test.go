package proxy

import (
	"strings"
	"testing"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

// A conversation may begin with an assistant message, in each client API.
func TestAssistantFirst(t *testing.T) {
	const asked = `{"role":"user","content":"What is the weather in Oslo?"}`
	first := strings.NewReplacer(asked, `{"role":"assistant","content":"Hello!"},`+asked,
		`"messages":[{"role":"user","content":[{"text":`, `"messages":[{"role":"assistant","content":[{"text":"Hello!"}]},{"role":"user","content":[{"text":`)
	for _, d := range cutDialects {
		up := &answering{answers: []string{"Cold."}}
		if w := postTo(newServer(t, up), d.whole, first.Replace(d.question)); w.StatusCode != 200 || len(up.prompts) != 1 {
			t.Errorf("%s: %d %s", d.name, w.StatusCode, read(t, w.Body))
		} else if turns := up.prompts[0].Turns; len(turns) != 3 || turns[0].Role != messages.RoleUser || turns[1].Parts[0].Text != "Hello!" {
			t.Errorf("%s: asked %+v", d.name, turns)
		}
	}
}

// Clients count messages one by one. A count never continues an assistant message, so the model need not support a
// prefill.
func TestCountAssistant(t *testing.T) {
	up := &counting{}
	s := newServer(t, up, func(o *Options) { o.Routes[0].Features = upstream.Override{Without: upstream.Prefill} })
	for _, content := range []string{"You are a helpful assistant.", "Hello!\n"} {
		body := strings.Replace(`{"model":"claude-2.1","messages":[{"role":"assistant","content":"…"}]}`, "…", strings.ReplaceAll(content, "\n", `\n`), 1)
		w := countTokens(s, body)
		if w.Code != 200 || len(up.prompt.Turns) != 2 || up.prompt.Turns[1].Parts[0].Text != content {
			t.Errorf("%d %s: counted %+v", w.Code, w.Body, up.prompt)
		}
	}
}
