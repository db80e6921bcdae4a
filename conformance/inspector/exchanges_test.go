package inspector

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// live waits until a page has the list.
func (p *tab) live() {
	p.t.Helper()
	p.await(`document.querySelector('#state')?.textContent === 'Live'`)
}

// quiet fails the test if the browser has complained.
func (p *tab) quiet() {
	p.t.Helper()
	if said := p.said(); len(said) > 0 {
		p.t.Errorf("the browser says %q", said)
	}
}

// An exchange is on the page at most 200 ms after its bytes: the median of 15.
func TestAppearsAtOnce(t *testing.T) {
	s := serve(t, weather)
	p := open(t, s.url, 1200, 800)
	p.live()
	p.do(chromedp.Evaluate[chromedp.Void](`void (window.seen = {}, new MutationObserver(() => {
		for (const row of document.querySelectorAll('#rows .row')) window.seen[row.dataset.id] ??= Date.now();
	}).observe(document.querySelector('#rows'), {subtree: true, childList: true, attributes: true}))`))
	var took []time.Duration
	for i := range 15 {
		began := time.Now()
		s.ask(question)
		p.await(fmt.Sprintf(`Object.keys(window.seen).length === %d`, i+1))
		at, err := strconv.ParseInt(p.text(`Math.max(...Object.values(window.seen))`), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, time.UnixMilli(at).Sub(began))
	}
	slow := 0
	for _, d := range took {
		if d > 200*time.Millisecond {
			slow++
		}
	}
	if slow > len(took)/2 {
		t.Errorf("an exchange appears after %v", took)
	}
	p.quiet()
}

// Once the page has the token, neither the address nor the history has it. Without the token, the page shows
// nothing.
func TestTokenLeavesTheAddress(t *testing.T) {
	s := serve(t, weather)
	s.ask(question)
	p := open(t, s.url, 1200, 800)
	p.live()
	page, token, _ := strings.Cut(s.url, "#token=")
	if got := p.text(`location.href`); got != page {
		t.Errorf("the address is %s", got)
	}
	if got := p.text(`document.cookie + document.documentElement.outerHTML`); strings.Contains(got, token) {
		t.Error("the page has the token")
	}
	p.do(chromedp.Reload())
	p.live() // the tab still has the token
	p.quiet()

	other := open(t, page+"#token=wrong", 1200, 800)
	other.await(`!document.querySelector('#token').hidden && document.activeElement.id === 'token-text'`)
	if got := other.text(`document.querySelector('#token-why').textContent + document.querySelectorAll('#rows .row').length`); !strings.Contains(got, "This token is wrong") || !strings.HasSuffix(got, "0") {
		t.Error(got)
	}
	other.accessible("the field for the token")
	other.press("n", "o", kb.Enter)
	other.await(`document.querySelector('#token-why').textContent.startsWith('This token is wrong. Paste')`)
	other.run(`(e => { e.value = 'Inspector: ' + ` + quoteJS(s.url) + `; e.dispatchEvent(new Event('paste')) })(document.querySelector('#token-text'))`)
	other.await(`document.querySelector('#token').hidden && document.querySelectorAll('#rows .row').length === 1`)
	other.live()
}

// After the server has restarted, the page says so and accepts the new token.
func TestRestart(t *testing.T) {
	first, second := serve(t, weather), serve(t, weather)
	var admin atomic.Pointer[url.URL]
	address := func(s *server) *url.URL {
		u, err := url.Parse(s.url)
		if err != nil {
			t.Fatal(err)
		}
		return &url.URL{Scheme: u.Scheme, Host: u.Host}
	}
	admin.Store(address(first))
	same := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(admin.Load()); r.Out.Host = r.In.Host }})
	t.Cleanup(same.Close)
	t.Cleanup(same.CloseClientConnections)
	_, token, _ := strings.Cut(first.url, "#")
	p := open(t, same.URL+"/inspector/#"+token, 1200, 800)
	p.live()
	admin.Store(address(second))
	same.CloseClientConnections()
	p.await(`document.querySelector('#token-why').textContent.startsWith('The server has started again')`)
	p.do(chromedp.SendKeys(chromedp.CSS(`#token-text`), second.url+kb.Enter))
	p.live()
}

// The keyboard alone can choose, open, view and leave an exchange, and send it again.
func TestKeyboard(t *testing.T) {
	s := serve(t, weather)
	for i := range 3 {
		s.ask(strings.Replace(question, "Oslo", fmt.Sprint("Oslo ", i), 1))
	}
	p := open(t, s.url, 1200, 800)
	p.live()
	p.await(`document.querySelectorAll('#rows .row').length === 3`)
	p.press("j", "j", kb.ArrowDown, "k")
	p.await(`document.querySelector('#rows').getAttribute('aria-activedescendant') === 'exchange-1'`)
	p.press(kb.Enter)
	p.await(`document.querySelector('.request')?.textContent.includes('Oslo 1') && document.querySelector('.completion')?.textContent.includes('stopped:')`)
	if got := p.text(`document.activeElement.id`); got != "exchange" {
		t.Errorf("the focus is on %s", got)
	}
	reached := map[string]bool{}
	for range 40 {
		p.press(kb.Tab)
		reached[p.text(`(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).replace(/^.*: /, '').slice(0, 40)`)] = true
		if visible := p.text(`getComputedStyle(document.activeElement).outlineStyle !== 'none' || document.activeElement === document.body`); visible != "true" {
			t.Errorf("the focus on %s is not seen", p.text(`document.activeElement.outerHTML.slice(0, 100)`))
		}
	}
	for _, name := range []string{"← List", "Copy as curl", "Save as case", "Replay…", "Copy the request", "Copy prompt 1", "Copy completion 1", "Request", "Prompt", "Completion", "Events"} {
		if !reached[name] {
			t.Errorf("Tab does not reach %q, but %v", name, reached)
		}
	}
	p.do(chromedp.Focus(chromedp.CSS(`.exchange .rows`)))
	p.press("j", "j", "j")
	p.await(`!document.querySelector('.event-data').hidden && document.querySelector('.event-data').textContent.includes('content_block_start')`)
	p.press(kb.Escape)
	p.await(`!document.querySelector('#list').hidden && document.activeElement.id === 'rows'`)
	p.press("/", "n", "o", "t", "h")
	p.await(`document.querySelectorAll('#rows .row').length === 0 && document.querySelector('#count').textContent === '0 of 3'`)
	p.press(kb.Escape, kb.Escape)
	p.await(`document.querySelectorAll('#rows .row').length === 3 && document.activeElement.id === 'rows'`)
	p.do(chromedp.SendKeys(chromedp.CSS(`#filter`), "Oslo 2"))
	p.await(`document.querySelectorAll('#rows .row').length === 1`)
	p.press(kb.Enter)
	p.await(`document.activeElement.id === 'rows' && document.querySelector('#rows').getAttribute('aria-activedescendant') === 'exchange-0'`)
	p.press(kb.Enter)
	p.await(`document.querySelector('.request')?.textContent.includes('Oslo 2')`)
	if got := p.text(`document.querySelector('.facts').textContent`); !strings.Contains(got, "tool_use (the model’s own: stop_sequence)") {
		t.Errorf("the facts are %s", got)
	}
	p.quiet()
}

// Parts of a prompt and blocks of the request point to each other.
func TestSources(t *testing.T) {
	s := serve(t, weather)
	s.ask(strings.Replace(question, "Oslo?", "Oslo? </function_calls>", 1))
	p := open(t, s.url, 1200, 800)
	p.live()
	p.press("j", kb.Enter)
	p.await(`document.querySelector('.prompt [data-source="messages.0.content.0"]') !== null`)
	p.do(chromedp.Click(chromedp.CSS(`[data-to="messages.0.content.0"]`)))
	if got := p.text(`[...document.querySelectorAll('.prompt .source')].map(e => e.textContent).join('|')`); got != "What is the weather in Oslo? |&lt;|/function_calls>" {
		t.Errorf("in the prompt: %q", got)
	}
	if got := p.text(`document.querySelector('.prompt .k-escape').textContent`); got != "&lt;" {
		t.Errorf("the escape is %q", got)
	}
	p.do(chromedp.Click(chromedp.CSS(`.prompt [data-source="tools.0"]`)))
	if got := p.text(`document.querySelector('.request .source').dataset.path`); got != "tools.0" {
		t.Errorf("in the request: %s", got)
	}
	p.quiet()
}

// A changed request that is sent again appears beside the one before, part by part.
func TestReplay(t *testing.T) {
	s := serve(t, weather)
	s.ask(question)
	p := open(t, s.url, 1200, 800)
	p.live()
	p.press("j", kb.Enter)
	p.await(`document.querySelector('.completion')?.textContent.includes('stopped:')`)
	p.do(chromedp.Click(`//button[text()="Replay…"]`))
	p.await(`document.querySelector('dialog').open && document.querySelector('dialog textarea').value.includes('"max_tokens": 400')`)
	if got := p.text(`document.querySelector('dialog').textContent`); !strings.Contains(got, "This calls the model") {
		t.Errorf("the dialog says %q", got)
	}
	p.accessible("the dialog")
	p.press(kb.Escape)
	p.await(`!document.querySelector('dialog').open && location.hash !== ''`)
	p.do(chromedp.Click(`//button[text()="Replay…"]`))
	p.await(`document.querySelector('dialog').open`)
	edit := func(from, to string) {
		p.run(`(e => { e.value = e.value.replace(` + quoteJS(from) + `, ` + quoteJS(to) + `) })(document.querySelector('dialog textarea'))`)
	}
	edit(`"stream"`, `stream`)
	p.do(chromedp.SetValue(chromedp.CSS(`dialog select`), "attribute"), chromedp.Click(`//button[text()="Call the model"]`))
	p.await(`document.querySelector('dialog .bad').textContent.includes('JSON')`)
	edit(`stream`, `"stream"`)
	edit(`Oslo`, `Bergen`)
	p.do(chromedp.Click(`//button[text()="Call the model"]`))
	p.await(`document.querySelectorAll('.pair .exchange').length === 2 && document.querySelectorAll('.pair .exchange')[1].textContent.includes('stopped:')`)
	if got := p.text(`document.querySelectorAll('.pair .prompt')[1].textContent.includes('<invoke name=') && document.querySelectorAll('.pair .prompt')[1].textContent.includes('Bergen')`); got != "true" {
		t.Error("the prompt is in the same format, or of the same request")
	}
	p.await(`[...document.querySelectorAll('.pair .blocks .call')].length === 2`)
	if got := p.text(`['.prompt', '.completion', '.blocks'].every(c => { const [a, b] = [...document.querySelectorAll('.pair ' + c)].map(e => e.getBoundingClientRect()); return Math.abs(a.top - b.top) < 2 && a.right < b.left; })`); got != "true" {
		t.Error("they do not stand side by side")
	}
	p.accessible("two exchanges")
	p.do(chromedp.EmulateViewport(390, 800))
	if over := p.text(`document.documentElement.scrollWidth - innerWidth`); over != "0" {
		t.Errorf("on a phone, they are %s wider than the window", over)
	}
	p.quiet()
}

// axe-core finds nothing serious, in light and dark mode, on a screen, at 200 % zoom, and on a phone. Nothing
// extends beyond the right edge.
func TestAccessible(t *testing.T) {
	s := serve(t, weather)
	s.ask(question)
	s.ask(strings.Replace(question, "claude", "", 1))
	s.ask(`{}`)
	for name, view := range map[string]struct {
		width, height int
		scheme        string
	}{"light": {1300, 800, "light"}, "dark": {1300, 800, "dark"}, "enlarged": {642, 400, "light"}, "phone": {390, 800, "light"}} {
		t.Run(name, func(t *testing.T) {
			p := open(t, s.url, view.width, view.height)
			p.scheme(view.scheme)
			p.live()
			p.await(`document.querySelectorAll('#rows .row').length === 3`)
			p.accessible("the list")
			if wide := p.text(`document.documentElement.scrollWidth > innerWidth`); wide == "true" {
				t.Error("the list is wider than the window")
			}
			if out := p.text(`(r => [...r.querySelectorAll('.row span')].filter(e => e.getClientRects().length && e.getBoundingClientRect().right > r.getBoundingClientRect().left + r.clientWidth + 2).length)(document.querySelector('#rows'))`); out != "0" {
				t.Errorf("%s cells of the list stick out", out)
			}
			if got := p.text(`(columns => [...document.querySelectorAll('#heads span')].filter((e, i) => Math.abs(e.getBoundingClientRect().left - columns[i].getBoundingClientRect().left) > 1).length)(document.querySelectorAll('#rows .row:first-child span'))`); name != "phone" && got != "0" {
				t.Errorf("%s heads are not over their columns", got)
			}
			p.press("j", "j", "j", kb.Enter)
			p.await(`document.querySelector('.exchange .request')?.textContent.length > 0`)
			p.press(kb.Escape, "k", kb.Enter)
			p.await(`document.querySelector('.completion')?.textContent.includes('stopped:')`)
			p.accessible("an exchange")
			if wide := p.text(`document.documentElement.scrollWidth > innerWidth`); wide == "true" {
				t.Error("the exchange is wider than the window")
			}
			p.quiet()
		})
	}
}

// hostile are texts that a page would run if it took them for HTML, an address or a script.
var hostile = []string{
	`<script>window.pwned = 1</script>`, `<img src=x onerror="window.pwned = 1">`, `<svg onload=window.pwned=1>`, `"><svg/onload=window.pwned=1>`,
	`<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`, `javascript:window.pwned=1`, `<a href="javascript:window.pwned=1">x</a>`,
	`<math><mi xlink:href="javascript:window.pwned=1">x</mi></math>`, `<body onload=window.pwned=1>`, `</script><script>window.pwned=1</script>`,
	`<details open ontoggle=window.pwned=1>`, `<style>@import 'javascript:window.pwned=1'</style>`, `<base href="//attacker.example/">`,
	`<form action="//attacker.example"><input name=a></form>`, `<meta http-equiv=refresh content="0;url=//attacker.example">`,
	`<object data="data:text/html,<script>parent.pwned=1</script>"></object>`, `{{constructor.constructor('window.pwned=1')()}}`, `${window.pwned=1}`,
	`<!--><script>window.pwned=1</script-->`, "\u202e<script>window.pwned=1</script>", `<input autofocus onfocus=window.pwned=1>`, `<template><script>window.pwned=1</script></template>`,
	`' onmouseover='window.pwned=1`, `"style="background:url(//attacker.example)`, `__proto__`, `constructor`,
}

// Whatever a client or a model writes, and wherever it appears, it is text on the page. Nothing of it runs or
// is fetched.
func TestHostileTexts(t *testing.T) {
	all := strings.Join(hostile, "\n")
	var pieces []string
	for _, text := range append(hostile, "\n<function_calls>\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n<a>"+all+"</a>\n</parameters>\n</invoke>\n") {
		pieces = append(pieces, text, "\n")
	}
	s := serve(t, answer{pieces: texts(pieces...), stop: endOfCall})
	request := func(text string) string {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return strings.NewReplacer("TEXT", string(quoted)).Replace(`{"model":TEXT,"max_tokens":400,"stream":true,"system":[{"type":"text","text":TEXT}],"metadata":{"user_id":TEXT},` +
			`"messages":[{"role":"user","content":[{"type":"text","text":TEXT}]}],"tools":[{"name":"f","description":TEXT,"input_schema":{"type":"object","properties":{"a":{"type":"string","description":TEXT}}}}]}`)
	}
	for _, text := range append(hostile, all) {
		s.ask(request(text))
	}
	p := open(t, s.url, 1200, 800)
	p.live()
	p.await(fmt.Sprintf(`document.querySelector('#count').textContent === '%d'`, len(hostile)+1))
	for range 4 { // one with all of them, and a few more
		p.press("j", kb.Enter)
		p.await(`document.querySelector('.completion')?.textContent.includes('stopped:')`)
		p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelectorAll('details').forEach(d => { d.open = true; })`))
		p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelectorAll('.exchange .row').forEach(r => r.click())`))
		p.press(kb.Escape)
	}
	if got := p.text(`window.pwned`); got != "undefined" {
		t.Error("a text was run")
	}
	if got := p.text(`[...document.querySelectorAll('script, iframe, object, embed, form:not(#token, [method=dialog]), base, style, svg, img, meta[http-equiv]')].map(e => e.outerHTML).join()`); got != `<script type="module" src="app.js"></script>` {
		t.Errorf("texts became elements: %s", got)
	}
	if got := p.text(`performance.getEntriesByType('resource').filter(e => !e.name.startsWith(location.origin)).map(e => e.name).join()`); got != "" {
		t.Errorf("%s was fetched", got)
	}
	p.quiet()
}

// smooth checks the time between the page's frames since the last call, in milliseconds: the median is that
// of a moving page, and few frames take long.
func (p *tab) smooth(what string) {
	p.t.Helper()
	frames := eval[[]float64](p, `(() => { const f = window.frames.splice(0); f.sort((a, b) => a - b); return f; })()`)
	if len(frames) < 10 {
		p.t.Fatalf("%s: %d frames", what, len(frames))
	}
	median, late := frames[len(frames)/2], frames[len(frames)*95/100]
	p.t.Logf("%s: %d frames, median %.0f ms, 95%% within %.0f ms, longest %.0f ms", what, len(frames), median, late, frames[len(frames)-1])
	if median > 150 || late > 1200 { // on a machine with other work
		p.t.Errorf("%s is not smooth", what)
	}
}

// watchFrames begins to record the times between frames.
func (p *tab) watchFrames() {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](`void (() => { window.frames = []; let last = performance.now(); const next = () => { const now = performance.now(); window.frames.push(now - last); last = now; requestAnimationFrame(next); }; requestAnimationFrame(next); })()`))
}

// scroll scrolls an element from its beginning to its end, one step a frame.
func (p *tab) scroll(selector string, steps int) {
	p.t.Helper()
	eval[int](p, fmt.Sprintf(`new Promise(done => { const e = document.querySelector(%q); let i = 0; const step = () => {
		e.scrollTop = e.scrollHeight * i / %d; if (i++ < %[2]d) requestAnimationFrame(step); else done(1); }; step(); })`, selector, steps))
}

// With ten thousand exchanges, the list is as fast as with ten.
func TestManyExchanges(t *testing.T) {
	const n = 10_000
	s := serve(t, answer{pieces: texts("Good day."), stop: endOfTurn})
	p := open(t, s.url, 1200, 800)
	p.live()
	p.watchFrames()
	var left atomic.Int64
	left.Store(n)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				s.ask(question)
			}
		})
	}
	all.Wait()
	p.await(`document.querySelector('#count').textContent === '10000'`)
	p.smooth("while they come")
	p.scroll("#rows", 200)
	p.smooth("scrolled")
	if rows, err := strconv.Atoi(p.text(`document.querySelectorAll('#rows .row').length`)); err != nil || rows > 100 {
		t.Errorf("%d rows are in the document", rows)
	}
	p.press(kb.End, "k", "k")
	p.await(`document.querySelector('#rows [aria-selected=true]')?.getAttribute('aria-posinset') === '9998'`)
	p.press(kb.Home, kb.Enter)
	p.await(`document.querySelector('.completion')?.textContent.includes('Good day.')`)
	p.quiet()
}

// A completion of ten megabytes is shown completely, during the answer and after it, and can be scrolled.
func TestLongCompletion(t *testing.T) {
	const size, line = 10 << 20, "a line of what a model writes, <b>with</b> & such\n"
	pieces := iter.Seq[string](func(yield func(string) bool) {
		if !yield("<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>") {
			return
		}
		piece := strings.Repeat(line, 20)
		for n := 0; n < size; n += len(piece) {
			if !yield(piece) {
				return
			}
		}
		yield("THE END</city>\n</parameters>\n</invoke>\n")
	})
	s := serve(t, answer{pieces: pieces, stop: endOfCall})
	p := open(t, s.url, 1200, 800)
	p.live()
	p.watchFrames()
	asked := make(chan string)
	go func() { asked <- s.ask(question) }()
	p.await(`document.querySelectorAll('#rows .row').length === 1`)
	p.press("j", kb.Enter)
	if got := <-asked; !strings.Contains(got, "THE END") {
		t.Fatal("the answer is not whole")
	}
	p.await(`document.querySelector('.completion')?.textContent.includes('stopped:')`)
	p.smooth("while it comes")
	if got := p.text(`document.querySelector('.completion .flow:not(.thinking)').textContent.split('a line of what').length - 1`); got != strconv.Itoa((size+20*len(line)-1)/(20*len(line))*20) {
		t.Errorf("%s lines are shown", got)
	}
	p.scroll(".completion", 300)
	p.smooth("scrolled")
	p.await(`document.querySelector('.completion .block:last-child').textContent.includes('THE END')`)
	p.quiet()
}

// A text that the parser holds back may turn out to be a call or not. The page then shows the result.
func TestColoursChange(t *testing.T) {
	seen := make(chan struct{})
	s := serve(t, answer{pieces: func(yield func(string) bool) {
		if yield("<function_calls>\n<invoke name=\"get_weather\">\n```json\n{\"city\": \"Oslo\"}\n</in") {
			<-seen
			yield("voke>\n</function_calls>\n")
		}
	}, stop: endOfTurn})
	goOn := sync.OnceFunc(func() { close(seen) })
	t.Cleanup(goOn) // even if the page never shows it
	p := open(t, s.url, 1200, 800)
	p.live()
	asked := make(chan string)
	go func() { asked <- s.ask(question) }()
	p.await(`document.querySelectorAll('#rows .row').length === 1`)
	p.press("j", kb.Enter)
	p.await(`document.querySelector('.completion .k-held')?.textContent.includes('Oslo')`)
	goOn()
	<-asked
	p.await(`document.querySelector('.completion')?.textContent.includes('stopped:')`)
	if got := p.text(`[...document.querySelectorAll('.completion .k')].find(e => e.textContent.includes('Oslo')).className`); got != "k k-shaped" {
		t.Errorf("a text that is no call is shown as %q", got)
	}
	p.quiet()
}
