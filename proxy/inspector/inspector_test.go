package inspector

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const question = `{"model":"claude-2.1","max_tokens":400,"stream":true,"messages":[{"role":"user","content":"What is the weather in Oslo?"}],` +
	`"tools":[{"name":"get_weather","description":"Weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}`

// few are limits that tests can reach soon.
var few = Limits{Exchanges: 100, Bytes: 64 << 20}

// watched is a server with an inspector, with both its listeners.
type watched struct {
	t              *testing.T
	in             *Inspector
	server         *proxy.Server
	clients, admin *httptest.Server
}

// watch serves an upstream until the test ends.
func watch(t *testing.T, up proxy.Upstream, change ...func(*proxy.Options)) *watched {
	t.Helper()
	w := &watched{t: t, in: New(few)}
	opt := proxy.Options{
		Routes:    []proxy.Route{{Name: "claude-*", UpstreamModel: proxy.UpstreamModel{Upstream: "east"}}},
		Upstreams: map[string]proxy.Upstream{"east": up},
		Attempts:  1,
		Observe:   []proxy.Observe{w.in.Observe}, Inspector: w.in,
		Loopback: true, AdminLoopback: true,
	}
	for _, f := range change {
		f(&opt)
	}
	server, err := proxy.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	w.server = server
	w.clients, w.admin = httptest.NewServer(server.Handler()), httptest.NewServer(server.Admin())
	w.in.Watch(func() Server {
		return Server{Server: server, URL: w.clients.URL, Models: []string{"claude-2.1"}, Flags: []string{"--config", "my file.yaml"}, FileWith: func(pattern, asked, model, keys string) (string, error) {
			return pattern + " " + asked + " " + model + " " + keys, nil
		}}
	})
	t.Cleanup(func() {
		server.Cut() // ends the feeds
		w.clients.Close()
		w.admin.CloseClientConnections()
		w.admin.Close()
	})
	return w
}

// ask sends a client's request of the Messages API, and returns the answer.
func (w *watched) ask(body string, header ...string) string {
	w.t.Helper()
	return w.post("/v1/messages", body, header...)
}

// post sends a client's request to a path, and returns the answer.
func (w *watched) post(path, body string, header ...string) string {
	w.t.Helper()
	r, err := http.NewRequest("POST", w.clients.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return do(w.t, r)
}

func do(t *testing.T, r *http.Request) string {
	t.Helper()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// request returns a request to the inspector's API, with the token.
func (w *watched) request(method, path, body string) *http.Request {
	r, err := http.NewRequest(method, w.admin.URL+Path+"api/"+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.in.token)
	return r
}

// see returns an answer of the API.
func (w *watched) see(path string) string {
	w.t.Helper()
	return do(w.t, w.request("GET", path, ""))
}

// lines returns the list, newest first, as soon as enough accepts it.
func (w *watched) lines(enough func([]Line) bool) []Line {
	w.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		var list struct{ Lines []Line }
		if err := json.Unmarshal([]byte(w.see("exchanges")), &list); err != nil {
			w.t.Fatal(err)
		}
		if enough(list.Lines) {
			return list.Lines
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the list stays %+v", list.Lines)
		}
		time.Sleep(time.Millisecond)
	}
}

// ended returns the list of n exchanges after all have ended.
func (w *watched) ended(n int) []Line {
	w.t.Helper()
	return w.lines(func(lines []Line) bool {
		for _, l := range lines {
			if l.Open {
				return false
			}
		}
		return len(lines) == n
	})
}

// open returns an exchange in the page's form.
func (w *watched) open(id string) (x shownExchange) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(w.see("exchanges/"+id)), &x); err != nil {
		w.t.Fatal(err)
	}
	return x
}

// writes returns an upstream that writes a completion, and stops at a sequence or, without one, at the end.
func writes(completion, sequence string) upstream.Func {
	return model(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		end := translate.Chunk{Stop: messages.StopEndTurn}
		if sequence != "" {
			end = translate.Chunk{Stop: messages.StopSequence, StopSequence: sequence}
		}
		_ = yield(translate.Chunk{Text: completion}, nil) && yield(end, nil)
	})
}

// model returns an upstream that writes what the function yields.
func model(f func(ctx context.Context, yield func(translate.Chunk, error) bool)) upstream.Func {
	return func(ctx context.Context, _ upstream.Model, _ *translate.Prompt) iter.Seq2[translate.Chunk, error] {
		return func(yield func(translate.Chunk, error) bool) { f(ctx, yield) }
	}
}

// The page gets the whole exchange: the request, the model's text and how it was read, the client's events, and the
// times.
func TestExchange(t *testing.T) {
	w := watch(t, simulated.New())
	answer := w.ask(question, "User-Agent", "my-agent/1.0")
	line := w.ended(1)[0]
	if line.Client != "my-agent/1.0" || line.Status != 200 || line.StopReason != "tool_use" || line.Upstream != "east" ||
		fmt.Sprint(line.Tools) != "[get_weather]" || !line.Kept || line.Duration == 0 || line.OutputTokens == 0 {
		t.Errorf("%+v", line)
	}
	x := w.open(line.ID)
	if got := w.see("exchanges/" + line.ID + "/text?part=request"); got != question {
		t.Errorf("request %s", got)
	}
	prompt := w.see("exchanges/" + line.ID + "/text?part=prompt")
	if len(x.Asked) != 1 || int64(len(prompt)) != x.Asked[0].Size || !strings.Contains(prompt, "<tool_name>get_weather</tool_name>") {
		t.Errorf("%+v, prompt %s", x.Asked, prompt)
	}
	if n := len(x.Asked[0].Sections); n != 2 || x.Asked[0].Sections[1].Path != "turns[0].parts[0]" || prompt[x.Asked[0].Sections[0].End:] != "What is the weather in Oslo?" {
		t.Errorf("sections %+v", x.Asked[0].Sections)
	}
	completion := w.see("exchanges/" + line.ID + "/text?part=completion")
	var read struct{ Spans []Span }
	if err := json.Unmarshal([]byte(w.see("exchanges/"+line.ID+"/spans")), &read); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	from := int64(0)
	for _, s := range read.Spans {
		kinds[s.Kind] += completion[from:s.End]
		from = s.End
	}
	if from != int64(len(completion)) || kinds["value"] != "Oslo" || strings.TrimSpace(kinds["text"]) != "[simulated] I will call get_weather." {
		t.Errorf("%q was read as %q", completion, kinds)
	}
	var events struct{ Events []shownEvent }
	if err := json.Unmarshal([]byte(w.see("exchanges/"+line.ID+"/events")), &events); err != nil {
		t.Fatal(err)
	}
	if len(events.Events) != line.Events || strings.Count(answer, "event: ") != line.Events {
		t.Errorf("%d events are shown, %d counted, and the client got\n%s", len(events.Events), line.Events, answer)
	}
	if c := x.Upstreams; len(c) != 1 || c[0].FirstChunk == 0 || c[0].Ended < c[0].FirstChunk || c[0].Error != "" {
		t.Errorf("calls %+v", c)
	}
}

// The tokens of a prompt include those that the upstream read from its cache or wrote to it.
func TestCachedTokens(t *testing.T) {
	w := watch(t, model(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		usage := messages.Usage{InputTokens: 10, CacheReadInputTokens: 900, CacheCreationInputTokens: 90, OutputTokens: 7}
		yield(translate.Chunk{Text: "It rains.", Stop: messages.StopEndTurn, Usage: usage}, nil)
	}))
	w.ask(question)
	if line := w.ended(1)[0]; line.InputTokens != 1000 || line.CachedTokens != 900 || line.OutputTokens != 7 {
		t.Errorf("%+v", line)
	}
}

// If a model is asked to continue, the page gets each prompt and the reason, although the request is no longer in
// memory by then.
func TestContinuedExchange(t *testing.T) {
	pieces := []string{
		"I look.\n\n<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo ",
		" Bergen</city>\n</parameters>\n</invoke>\n",
	}
	asked := 0
	w := watch(t, model(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		asked++
		_ = yield(translate.Chunk{Text: pieces[min(asked, 2)-1]}, nil) && yield(translate.Chunk{Stop: messages.StopSequence, StopSequence: translate.CallsEnd}, nil)
	}), func(o *proxy.Options) { o.Routes[0].Features.With = upstream.Prefill })
	answer := w.ask(question)
	line := w.ended(1)[0]
	x := w.open(line.ID)
	if line.Status != 200 || line.Prompts != 2 || asked != 2 || len(x.Asked) != 2 || x.Asked[1].Again != translate.ReasonStopped {
		t.Fatalf("%+v\n%s", x, answer)
	}
	if got := w.see("exchanges/" + line.ID + "/text?part=completion&asked=1"); got != pieces[1] {
		t.Errorf("it went on with %q", got)
	}
	if len(x.Outcomes) != 1 || x.Outcomes[0].Kind != "continued" || fmt.Sprint(x.Misread) != "[continued]" {
		t.Errorf("%+v", x.Outcomes)
	}
	if sections := x.Asked[1].Sections; len(sections) == 0 || len(sections[0].Sources) == 0 {
		t.Errorf("it is not said where the second prompt is from: %+v", sections)
	}
}

// A failed exchange has its error, and the error that the client got.
func TestFailedExchange(t *testing.T) {
	w := watch(t, model(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		yield(translate.Chunk{}, &upstream.Error{Status: 400, Type: messages.ErrorInvalidRequest, Message: "no key sk-1234567890abcdef here"})
	}))
	w.ask(question)
	w.ask(strings.Replace(question, "claude", "gpt", 1))
	lines := w.ended(2)
	if lines[0].Status != 404 || lines[1].Status != 400 {
		t.Errorf("%+v", lines)
	}
	if f := w.open(lines[0].ID).Failure; f == nil || !strings.Contains(f.Message, "no model of this name") {
		t.Errorf("%+v", f)
	}
	c := w.open(lines[1].ID).Upstreams
	if len(c) != 1 || !strings.Contains(c[0].Error, "no key sk-REDACTED here") {
		t.Errorf("%+v", c)
	}
}

// secret is in every place of a request that may carry a credential.
const secret = "the-secret-of-a-client-0123456789"

// No credential of a client is kept, wherever it was.
func TestSecretsAreNotKept(t *testing.T) {
	w := watch(t, simulated.New(), func(o *proxy.Options) { o.Keys = []proxy.Key{proxy.NewKey(secret)} })
	w.ask(question, "X-Api-Key", secret, "Cookie", "session="+secret, "X-Amz-Security-Token", secret, "X-Goog-Api-Key", secret, "Proxy-Authorization", "Basic "+secret)
	w.ask(question, "Authorization", "Bearer "+secret, "Anthropic-Version", "2023-06-01")
	r, err := http.NewRequest("POST", w.clients.URL+"/v1/messages?key="+secret, strings.NewReader(question))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", secret)
	do(t, r)
	all := w.see("exchanges")
	for _, line := range w.ended(3) {
		for _, path := range []string{"", "/text?part=request", "/text?part=prompt", "/events", "/curl", "/case", "/why"} {
			all += w.see("exchanges/" + line.ID + path)
		}
	}
	if strings.Contains(all, secret) || strings.Contains(all, w.in.token) {
		t.Error("a secret is shown")
	}
	if !strings.Contains(all, "2023-06-01") {
		t.Error("the version is not kept")
	}
}

// Clients that fail authentication are in the list, and push out nothing that is kept.
func TestStrangersTakeNoRoom(t *testing.T) {
	w := watch(t, simulated.New(), func(o *proxy.Options) { o.Keys = []proxy.Key{proxy.NewKey(secret)} })
	w.ask(question, "X-Api-Key", secret)
	for range few.Exchanges {
		w.ask(question, "User-Agent", "stranger")
	}
	lines := w.ended(few.Exchanges + 1)
	if first := w.open(lines[few.Exchanges].ID); first.Body == 0 || len(first.Asked) == 0 {
		t.Errorf("of the request that was answered, %+v is kept", first)
	}
}

// A page gets the changes of an exchange in progress, and its end.
func TestLive(t *testing.T) {
	goOn := make(chan struct{})
	w := watch(t, model(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
		if !yield(translate.Chunk{Text: "Good "}, nil) {
			return
		}
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		yield(translate.Chunk{Text: "day.", Stop: messages.StopEndTurn}, nil)
	}))
	res, err := http.DefaultClient.Do(w.request("GET", "live", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	told := make(chan Line)
	go func() {
		defer close(told)
		for s := bufio.NewScanner(res.Body); s.Scan(); {
			if data, ok := strings.CutPrefix(s.Text(), "data: "); ok {
				var line Line
				if json.Unmarshal([]byte(data), &line) == nil {
					told <- line
				}
			}
		}
	}()
	answered := make(chan string)
	go func() { answered <- w.ask(question) }()
	until := func(as func(Line) bool) {
		for line := range told {
			if as(line) {
				return
			}
		}
		t.Fatal("the feed has ended")
	}
	until(func(l Line) bool { return l.Open && l.Completion == 5 && l.Events > 0 })
	goOn <- struct{}{}
	until(func(l Line) bool { return !l.Open && l.Completion == 9 && l.Status == 200 })
	<-answered
	w.server.Cut()
	w.admin.CloseClientConnections()
	for range told { // until the feed ends
	}
}

// A page that does not read holds nobody up. When it reads again, it gets the latest state.
func TestSlowFeed(t *testing.T) {
	in := New(few)
	f := in.store.watch()
	var last *keptExchange
	for range 3 * mostListed {
		last = in.store.begin(Line{ID: fmt.Sprint(in.store.number)})
		for range 3 {
			in.store.touch(last)
		}
	}
	if len(f.changed) > mostListed {
		t.Errorf("%d changes wait", len(f.changed))
	}
	news := string(in.store.news(f))
	if !strings.HasPrefix(news, "event: clear\n") || !strings.Contains(news, `"id":"`+last.line.ID+`"`) {
		t.Errorf("%.300s", news)
	}
	if len(in.store.news(f)) != 0 {
		t.Error("told twice")
	}
	in.store.leave(f)
	if in.store.watching.Load() != 0 {
		t.Error("it still watches")
	}
}

// Clearing also removes exchanges in progress.
func TestClear(t *testing.T) {
	w := watch(t, simulated.New())
	w.ask(question)
	id := w.ended(1)[0].ID
	do(t, w.request("DELETE", "exchanges", ""))
	if got := w.see("exchanges"); got != `{"lines":[]}` {
		t.Error(got)
	}
	if got := w.see("exchanges/" + id); !strings.Contains(got, "no longer kept") {
		t.Error(got)
	}
	w.ask(question)
	if lines := w.ended(1); lines[0].Number != 2 || !lines[0].Kept {
		t.Errorf("%+v", lines)
	}
}
