package inspector

import (
	"context"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
)

// A case has the request and the completion without secrets, the calls in it, and everything that parsing it in the
// same way needs.
func TestSaveCase(t *testing.T) {
	const completion = "My key is sk-ant-api03-0123456789abcdefgh, ask ada@example.org.\n\n<function_calls>\n<invoke>\n" +
		"<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo\n& <i>Bergen</i></city>\n</parameters>\n</invoke>\n"
	w := watch(t, writes(completion, translate.CallsEnd), func(o *proxy.Options) { o.Routes[0].QuotedCalls = translate.QuotedRead })
	w.ask(strings.Replace(question, "Oslo?", "Oslo? Bearer abcdefghijklmnopqrstu", 1))
	id := w.ended(1)[0].ID
	got := w.see("exchanges/" + id + "/case")
	want := `{"id":"` + id + `","request":` + strings.Replace(question, "Oslo?", "Oslo? Bearer REDACTED", 1) +
		`,"completion":"My key is sk-REDACTED, ask REDACTED.\n\n<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n` +
		`<city>Oslo\n& <i>Bergen</i></city>\n</parameters>\n</invoke>\n","stop_reason":"stop_sequence","stop_sequence":"</function_calls>",` +
		`"format":"legacy","quoted_calls":"read","thinking":"marked","unasked_thinking":"text",` +
		`"expected":[{"name":"get_weather","input":{"city":"Oslo\n& <i>Bergen</i>"}}]}` + "\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A case has the form of the Messages API, whatever API the client used.
func TestSaveCaseOfOtherAPIs(t *testing.T) {
	w := watch(t, writes("It rains.", ""))
	w.post("/model/claude-2.1/converse", `{"messages":[{"role":"user","content":[{"text":"Hi"}]}],"inferenceConfig":{"maxTokens":9}}`)
	w.post("/model/claude-2.1/invoke", `{"anthropic_version":"bedrock-2023-05-31","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}`)
	w.post("/v1/chat/completions", `{"model":"claude-2.1","max_tokens":9,"temperature":2,"messages":[{"role":"user","content":"Hi"}]}`)
	for _, line := range w.ended(3) {
		if got := w.see("exchanges/" + line.ID + "/case"); !strings.Contains(got, `"model":"claude-2.1"`) || !strings.Contains(got, `"max_tokens":9`) || !strings.Contains(got, `"completion":"It rains."`) {
			t.Errorf("%s: %s", line.Dialect, got)
		}
	}
}

// An exchange without a completion cannot be saved, and the page gets the reason.
func TestNoCase(t *testing.T) {
	w := watch(t, model(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		yield(translate.Chunk{}, &upstream.Error{Status: 500, Type: messages.ErrorAPI, Message: "no"})
	}))
	w.ask(question)
	if got := w.see("exchanges/" + w.ended(1)[0].ID + "/case"); !strings.Contains(got, "is not complete") {
		t.Error(got)
	}
}

// The command has the original request, and a shell reads the same words.
func TestCurl(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	w := watch(t, simulated.New())
	body := strings.Replace(question, "Oslo?", `Oslo's $HOME \"x\"? `+"`id` \\\\ !", 1)
	w.ask(body, "Anthropic-Version", "2023-06-01", "X-Api-Key", secret)
	command := w.see("exchanges/" + w.ended(1)[0].ID + "/curl")
	for key, want := range map[string]string{"": "", "a key": "-H\nx-api-key: a key\n"} {
		run := exec.Command(shell, "-c", `curl() { printf '%s\n' "$@"; }; `+command)
		run.Env = []string{"ANTHROPIC_API_KEY=" + key}
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		got := string(out)
		if !strings.HasSuffix(got, want+"--data-binary\n"+body+"\n") || !strings.Contains(got, "\n"+w.clients.URL+"/v1/messages\n") ||
			!strings.Contains(got, "-H\nanthropic-version: 2023-06-01\n") || strings.Contains(got, secret) {
			t.Errorf("%s\n%s", command, got)
		}
	}
}

// An operator replays a request without a key, with another model or in another format. The new exchange says that it
// is a replay.
func TestReplay(t *testing.T) {
	w := watch(t, simulated.New(), func(o *proxy.Options) { o.Keys = []proxy.Key{proxy.NewKey(secret)} })
	w.ask(question, "X-Api-Key", secret)
	first := w.ended(1)[0]
	again := func(how string) string { return do(t, w.request("POST", "exchanges/"+first.ID+"/replay", how)) }

	if got := again(`{"model":"claude-instant","format":"attribute"}`); !strings.HasPrefix(got, `{"id":"req_`) {
		t.Fatal(got)
	}
	next := w.ended(2)[0]
	if next.Replay != first.ID || next.Model != "claude-instant" || next.Format != "attribute" || next.Status != 200 || next.KeyID != "" {
		t.Errorf("%+v", next)
	}
	if got := w.see("exchanges/" + next.ID + "/text?part=prompt"); !strings.Contains(got, `<invoke name=`) {
		t.Errorf("prompt %s", got)
	}
	if got, want := w.see("exchanges/"+next.ID+"/text?part=request"), question; got != want {
		t.Errorf("request %s", got)
	}
	again(`{"body":"{\"model\":\"claude-2.1\",\"max_tokens\":7,\"messages\":[{\"role\":\"user\",\"content\":\"Bergen?\"}]}"}`)
	changed := w.ended(3)[0]
	if got := w.see("exchanges/" + changed.ID + "/text?part=prompt"); changed.Replay != first.ID || changed.Status != 200 || !strings.Contains(got, "Bergen?") {
		t.Errorf("%+v with the prompt %s", changed, got)
	}
	for how, why := range map[string]string{`{"format":"none"}`: "format: unknown name", `{"modell":""}`: "the body is not", "": "the body is not"} {
		if got := again(how); !strings.Contains(got, why) {
			t.Errorf("%s: %s", how, got)
		}
	}
	w.server.Drain()
	if got := again(`{}`); !strings.Contains(got, "shutting down") {
		t.Error(got)
	}
	w.ended(3)
}

// Only a few replays run at once. A replay that ends with the server leaves nothing behind.
func TestReplaysAreFew(t *testing.T) {
	w := watch(t, model(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
		if yield(translate.Chunk{Text: "wait"}, nil) {
			<-ctx.Done()
			yield(translate.Chunk{}, ctx.Err())
		}
	}))
	asking, leave := context.WithCancel(context.Background())
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		r, err := http.NewRequestWithContext(asking, "POST", w.clients.URL+"/v1/messages", strings.NewReader(question))
		if err != nil {
			t.Error(err)
			return
		}
		if res, err := http.DefaultClient.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	}()
	first := w.lines(func(lines []Line) bool { return len(lines) == 1 && lines[0].Completion > 0 })[0]
	for i := range mostReplays + 1 {
		got := do(t, w.request("POST", "exchanges/"+first.ID+"/replay", "{}"))
		if refused := strings.Contains(got, "too many replays"); refused != (i == mostReplays) {
			t.Errorf("%d: %s", i, got)
		}
	}
	leave()
	<-asked
	w.server.Cut()
	for range mostReplays { // all places are free again
		w.in.replays <- struct{}{}
	}
}

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"sk-ant-api03-abcdefghijkl": "sk-REDACTED", "a sk-short b": "a sk-short b", "x AKIAIOSFODNN7EXAMPLE y": "x AKIAREDACTED y",
		"Authorization: Bearer abcdefghijklmnopqrs": "Authorization: Bearer REDACTED", "to ada.l@mail.example.org!": "to REDACTED!",
		"ghp_0123456789abcdefghij": "ghp_REDACTED", "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2Q": "eyJREDACTED",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY----- c": "-----BEGIN REDACTED c",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----":           "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
		`{"a":"b\nsk-abcdefghijklmnop\tx"}`:                                      `{"a":"b\nsk-REDACTED\tx"}`, "https://u:pass@host.example/?key=AIzaSyA0123456789012345": "https://u:REDACTED/?key=AIzaREDACTED",
		"npm i core@7.1.0 @types/node a@b": "npm i core@7.1.0 @types/node a@b", "ada@example.org. And": "REDACTED. And",
		"KEY=sk-0123456789abcdef;": "KEY=sk-REDACTED;", "my-risk-of-something-long": "my-risk-of-something-long",
		"<b>bold</b> risk-free task-list": "<b>bold</b> risk-free task-list",
	} {
		if got := redact(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A replay keeps the guardrail of its request. No upstream in this test has guardrails, so the replay fails.
func TestReplayWithGuardrail(t *testing.T) {
	w := watch(t, simulated.New())
	body := strings.NewReplacer(`"model":"claude-2.1",`, `"anthropic_version":"bedrock-2023-05-31",`, `"stream":true,`, "").Replace(question)
	for i, want := range []int{http.StatusOK, http.StatusBadRequest} {
		r, err := http.NewRequest("POST", w.clients.URL+"/model/claude-2.1/invoke", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if want != http.StatusOK {
			r.Header.Set("X-Amzn-Bedrock-GuardrailIdentifier", "gr1")
			r.Header.Set("X-Amzn-Bedrock-GuardrailVersion", "1")
		}
		do(t, r)
		first := w.ended(2*i + 1)[0]
		do(t, w.request("POST", "exchanges/"+first.ID+"/replay", `{}`))
		if again := w.ended(2*i + 2)[0]; first.Status != want || again.Status != want {
			t.Errorf("%d, and again %d; want %d", first.Status, again.Status, want)
		}
	}
}
