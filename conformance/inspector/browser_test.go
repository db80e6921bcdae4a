// Package inspector drives the inspector's pages in a real Chromium, because Go tests cannot show what a
// browser does with them. This folder pins axe-core, which checks accessibility.
package inspector

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"dragoman/conformance/install"
	"dragoman/proxy"
	"dragoman/proxy/inspector"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

const question = `{"model":"claude-2.1","max_tokens":400,"stream":true,"messages":[{"role":"user","content":"What is the weather in Oslo?"}],` +
	`"tools":[{"name":"get_weather","description":"Weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}`

// answer is a model's answer in pieces, with its stop reason.
type answer struct {
	pieces iter.Seq[string]
	stop   translate.Chunk
	err    error // instead of an answer
}

// Invoke answers any prompt.
func (a answer) Invoke(context.Context, upstream.Model, *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		for piece := range a.pieces {
			if !yield(translate.Chunk{Text: piece}, nil) {
				return
			}
		}
		yield(a.stop, a.err)
	}
}

// texts yields pieces.
func texts(pieces ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range pieces {
			if !yield(p) {
				return
			}
		}
	}
}

var endOfCall = translate.Chunk{Stop: messages.StopSequence, StopSequence: translate.CallsEnd, Usage: messages.Usage{InputTokens: 90, OutputTokens: 40}}

var endOfTurn = translate.Chunk{Stop: messages.StopEndTurn}

// weather is an answer with a call.
var weather = answer{pieces: texts("Let me look.\n\n<function", "_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n",
	"<city>Oslo</city>\n</parameters>\n</invoke>\n"), stop: endOfCall}

// server is a proxy with an inspector.
type server struct {
	t       *testing.T
	clients *httptest.Server
	url     string // the URL of the page, with the token
}

// serve answers from an upstream until the test ends.
func serve(t *testing.T, up answer) *server {
	t.Helper()
	chat := proxy.UpstreamModel{Upstream: "east", Wire: proxy.WireChat}
	in := inspector.New(inspector.Limits{Exchanges: 100, Bytes: 64 << 20})
	s, err := proxy.New(proxy.Options{
		Routes:    []proxy.Route{{Name: "claude-2.1", UpstreamModel: chat}, {Name: "*", UpstreamModel: proxy.UpstreamModel{Upstream: "east"}}},
		Upstreams: map[string]proxy.Upstream{"east": upstream.Func(up.Invoke), chat.UpstreamKey(): upstream.Func(up.Invoke)},
		Observe:   []proxy.Observe{in.Observe}, Inspector: in,
		Loopback: true, AdminLoopback: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	clients, admin := httptest.NewServer(s.Handler()), httptest.NewServer(s.Admin())
	in.Watch(func() inspector.Server {
		return inspector.Server{Server: s, URL: clients.URL, Models: []string{"claude-2.1"}, Flags: []string{"--base-url", "http://127.0.0.1:1/v1"}, FileWith: func(_, model, _, keys string) (string, error) {
			return "models:\n  - name: " + model + "\n    " + keys + "\n", nil
		}}
	})
	t.Cleanup(func() {
		s.Cut()
		clients.Close()
		admin.CloseClientConnections()
		admin.Close()
	})
	return &server{t, clients, admin.URL + inspector.Path + in.Fragment()}
}

// ask sends a request as a client, and reads the answer.
func (s *server) ask(body string) string {
	r, err := http.NewRequest("POST", s.clients.URL+"/v1/messages", strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return ""
	}
	r.Header.Set("User-Agent", "a-client/1.0")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Error(err)
		return ""
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Error(err)
	}
	return string(data)
}

// tab is a page in a browser.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string // messages in the browser's log, such as a violated policy
}

// chromium returns the path of a browser. Without a browser, the test is skipped; in CI, it fails.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	install.Need(t, "chromium")
	return ""
}

// open opens a page in a new browser, in a window of this size.
func open(t *testing.T, url string, width, height int) *tab {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(chromium(t)), chromedp.WindowSize(width, height), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	alone, closeBrowser := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(closeBrowser)
	ctx, closeTab := chromedp.NewContext(alone)
	t.Cleanup(closeTab)
	p := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.hear); err != nil { // this starts the browser
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.EmulateViewport(int64(width), int64(height)), chromedp.Navigate(url))
	return p
}

// hear stores the browser's complaints.
func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		p.problems = append(p.problems, e.Entry.Text)
	case *runtime.EventConsoleAPICalled:
		p.problems = append(p.problems, "console: "+string(e.Type))
	}
}

// do runs steps on the page.
func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 2*time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%v; the browser says %q", err, p.said())
	}
}

// said returns the browser's complaints.
func (p *tab) said() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.problems
}

// eval returns the value of an expression on the page. It awaits a promise.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%v; the browser says %q", err, p.said())
	}
	return value
}

// text returns the value of an expression as text.
func (p *tab) text(expression string) string {
	p.t.Helper()
	return eval[string](p, "String("+expression+")")
}

// await waits until an expression is true.
func (p *tab) await(expression string) {
	p.t.Helper()
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(time.Minute))); err != nil {
		p.t.Fatalf("%s: %v; the browser says %q", expression, err, p.said())
	}
}

// press presses keys, one after another.
func (p *tab) press(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		p.do(chromedp.KeyEvent(key))
	}
}

// accessible fails the test if axe-core finds a serious problem.
func (p *tab) accessible(where string) {
	p.t.Helper()
	source, err := os.ReadFile(filepath.Join(install.Node(p.t, "."), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		p.t.Fatal(err)
	}
	p.do(chromedp.Evaluate[chromedp.Void](string(source))) // through the debugger, which the page's policy does not restrict
	found := eval[string](p, `axe.run().then(r => JSON.stringify(r.violations.map(v => ({id: v.id, impact: v.impact, at: v.nodes.map(n => n.html.slice(0, 120)).slice(0, 3)}))))`)
	var violations []struct {
		ID, Impact string
		At         []string
	}
	if err := json.Unmarshal([]byte(found), &violations); err != nil {
		p.t.Fatal(err)
	}
	for _, v := range violations {
		if v.Impact == "serious" || v.Impact == "critical" {
			p.t.Errorf("%s: %s (%s) at %q", where, v.ID, v.Impact, v.At)
		}
	}
}

// scheme sets the color scheme that the page sees: dark or light.
func (p *tab) scheme(name string) {
	p.t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media); err != nil {
		p.t.Fatal(err)
	}
}
