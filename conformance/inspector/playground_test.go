package inspector

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// openPlayground opens the playground, and waits until it shows its example.
func openPlayground(t *testing.T) *tab {
	t.Helper()
	s := serve(t, weather)
	p := open(t, strings.Replace(s.url, "/#", "/playground/#", 1), 1400, 900)
	p.await(`document.querySelectorAll('#prompt .section').length > 1 && document.querySelector('#where').textContent !== ''`)
	return p
}

// fill sets the text of a field as if a user typed it.
func (p *tab) fill(id, text string) {
	p.t.Helper()
	p.run(fmt.Sprintf(`(e => { e.value = %s; e.dispatchEvent(new Event('input', {bubbles: true})) })(document.getElementById(%q))`, quoteJS(text), id))
}

// run runs an expression on the page.
func (p *tab) run(expression string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void]("void " + expression))
}

// quoteJS returns a text as a JavaScript string.
func quoteJS(s string) string { return strconv.QuoteToASCII(strings.ToValidUTF8(s, "\ufffd")) }

// focusBy presses Tab until an element has the focus.
func (p *tab) focusBy(id string) {
	p.t.Helper()
	for range 60 {
		if p.text(`document.activeElement.id`) == id {
			return
		}
		p.press(kb.Tab)
	}
	p.t.Fatalf("Tab does not come to %s", id)
}

// Text that is typed into a request appears in the prompt, in every format. The page reports mistakes in the
// request.
func TestPlaygroundTyping(t *testing.T) {
	p := openPlayground(t)
	p.focusBy("request")
	p.run(`(e => { const i = e.value.indexOf('Oslo?'); e.setSelectionRange(i, i) })(document.getElementById('request'))`)
	p.press("N", "e", "w", " ")
	p.await(`document.querySelector('#prompt').textContent.includes('raining in New Oslo?')`)
	p.await(`[...document.querySelectorAll('#prompt .k-escape')].some(e => e.textContent === '&lt;' && e.dataset.source === 'messages.0.content.0')`)
	for format, sign := range map[string]string{"attribute": `<invoke name="$TOOL_NAME">`, "json": `<tool_call>`, "legacy": `<tool_name>$TOOL_NAME`} {
		p.run(fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event('input')) })(document.getElementById('way'))`, format))
		p.await(fmt.Sprintf(`document.querySelector('#prompt').textContent.includes(%q)`, sign))
	}
	p.run(`(e => { e.value = 'claude-2.1'; e.dispatchEvent(new Event('input')) })(document.getElementById('way'))`)
	p.await(`!document.querySelector('#about').matches('.bad')`)
	p.fill("request", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text"}]}]}`)
	p.await(`document.querySelector('#about.bad')?.textContent.startsWith('messages.0.content.0')`)
	p.fill("request", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"Hello"}]}`)
	p.await(`!document.querySelector('#about').matches('.bad') && document.querySelector('#prompt').textContent.includes('Hello')`)
	p.run(`document.querySelector('#prompt [data-source="messages.0.content.0"]').click()`)
	if got := p.text(`(e => e.value.slice(e.selectionStart, e.selectionEnd))(document.activeElement)`); got != `"Hello"` {
		t.Errorf("the part is from %q", got)
	}
	p.quiet()
}

// shown returns the text of the completion, as [kind text] for each span.
func (p *tab) shown() string {
	p.t.Helper()
	return p.text(`[...document.querySelectorAll('#reading .k')].map(e => '[' + e.className.slice(4) + ' ' + e.textContent + ']').join('')`)
}

// The keyboard alone can step through a completion, forward and back. Each step looks the same in both
// directions.
func TestPlaygroundStepping(t *testing.T) {
	p := openPlayground(t)
	p.focusBy("at")
	at := func(n int) {
		p.t.Helper()
		p.await(fmt.Sprintf(`document.querySelector('#where').textContent.startsWith('Step %d of')`, n+1))
	}
	at(0)
	p.press(kb.End)
	p.await(`document.querySelector('#where').textContent.includes('ended')`)
	total, err := strconv.Atoi(p.text(`document.querySelector('#at').max`))
	if err != nil || total < 20 {
		t.Fatal(total, err)
	}
	if got := p.shown(); !strings.Contains(got, "[text I will look.\n]") || !strings.Contains(got, "[value Oslo]") || strings.Contains(got, "[held") {
		t.Errorf("in the end it shows %q", got)
	}
	if got := p.text(`document.querySelector('#events').textContent`); !strings.Contains(got, "message_stop") {
		t.Errorf("the last events are %q", got)
	}
	p.press(kb.Home)
	at(0)
	var forward []string
	for n := range total {
		at(n)
		forward = append(forward, p.shown())
		p.press(kb.ArrowRight)
	}
	if !strings.Contains(strings.Join(forward, "\n"), "[held <fun") {
		t.Errorf("no step holds a tag: %q", forward)
	}
	for n := total - 1; n >= 0; n-- {
		p.press("[")
		at(n)
		if got := p.shown(); got != forward[n] {
			t.Fatalf("back at step %d it shows\n%q\nbefore\n%q", n, got, forward[n])
		}
	}
	p.press("]")
	at(1)
	p.quiet()
}

// People with low vision, and people who use only the keyboard, can use the page, in light and dark mode, and
// on a phone.
func TestPlaygroundIsAccessible(t *testing.T) {
	p := openPlayground(t)
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1400, 390} {
			p.scheme(scheme)
			p.do(chromedp.EmulateViewport(width, 800))
			p.press("]")
			p.accessible(fmt.Sprintf("the playground, %s, %d wide", scheme, width))
			if over := p.text(`document.documentElement.scrollWidth - innerWidth`); over != "0" {
				t.Errorf("%d wide, it is %s wider than the window", width, over)
			}
		}
	}
}

// Nothing in a request or in a completion becomes more than text.
func TestPlaygroundIsInert(t *testing.T) {
	p := openPlayground(t)
	for i, text := range hostile {
		mark := fmt.Sprintf("mark%d ", i) + text
		quoted, err := json.Marshal(mark)
		if err != nil {
			t.Fatal(err)
		}
		p.fill("request", fmt.Sprintf(`{"model":%[1]s,"max_tokens":9,"system":%[1]s,"tool_choice":{"type":"auto"},
			"tools":[{"name":"t","description":%[1]s,"input_schema":{"type":"object","title":%[1]s,"properties":{%[1]s:{"type":"string","description":%[1]s}}}}],
			"messages":[{"role":"user","content":[{"type":"document","title":%[1]s,"context":%[1]s,"source":{"type":"text","media_type":"text/plain","data":%[1]s}}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"a","name":%[1]s,"input":{%[1]s:%[1]s}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":%[1]s},{"type":"text","text":%[1]s}]}]}`, quoted))
		p.fill("completion", mark+"\n<function_calls>\n<invoke>\n<tool_name>"+mark+"</tool_name>\n<parameters>\n<x>"+mark+"</x>\n</parameters>\n</invoke>\n")
		p.fill("piece", "1000000")
		p.await(fmt.Sprintf(`!document.querySelector('#about').matches('.bad') && document.querySelector('#prompt').textContent.includes('mark%d ') &&
			document.querySelector('#reading').textContent.includes('mark%d ')`, i, i))
		p.run(`document.querySelector('#last').click()`)
		p.await(`document.querySelector('#where').textContent.includes('ended')`)
		p.run(`document.querySelector('#back').click()`)
		p.await(`document.querySelector('#events li') !== null`)
		if tags := p.text(`[...new Set([...document.querySelectorAll('#prompt *, #reading *, #events *, #about *, #state *')].map(e => e.tagName))]
			.filter(tag => !['DIV', 'SPAN', 'H4', 'P', 'LI'].includes(tag)).join()`); tags != "" {
			t.Errorf("%q made %s", text, tags)
		}
		if on := p.text(`document.querySelectorAll('#prompt [onerror], #prompt [onload], #prompt [href], #reading [href], #prompt [style]').length`); on != "0" {
			t.Errorf("%q made %s attributes", text, on)
		}
	}
	if got := p.text(`window.pwned`); got != "undefined" {
		t.Error("a text was run")
	}
	if got := p.text(`performance.getEntriesByType('resource').filter(e => !e.name.startsWith(location.origin)).map(e => e.name).join()`); got != "" {
		t.Errorf("%s was fetched", got)
	}
	p.quiet()
}

// A completion of 10 MB can be stepped through at its beginning, in its middle and at its end.
func TestPlaygroundOfALongCompletion(t *testing.T) {
	p := openPlayground(t)
	line := "é The tool <b>writes</b> a line, & goes on to the next one of them.\n"
	value := strings.Repeat(line, 10<<20/len(line))
	file := filepath.Join(t.TempDir(), "completion.txt")
	text := "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>" + value + "</city>\n</parameters>\n</invoke>\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	took := func(what string, began time.Time) { t.Logf("%s: %v", what, time.Since(began).Round(time.Millisecond)) }
	p.fill("piece", "16")
	began := time.Now()
	p.do(chromedp.SetUploadFiles(chromedp.CSS(`#completion-file input`), []string{file}))
	steps := (len(text)+15)/16 + 1
	p.await(fmt.Sprintf(`document.querySelector('#at').max === '%d'`, steps-1))
	took("opened 10 MB", began)
	began = time.Now()
	p.run(`document.querySelector('#last').click()`)
	p.await(fmt.Sprintf(`document.querySelector('#where').textContent.startsWith('Step %d of') && document.querySelector('#where').textContent.includes('ended')`, steps))
	took("went to the end", began)
	p.run(`document.querySelector('#at').focus()`)
	for i := range 3 {
		began = time.Now()
		p.press(kb.ArrowLeft)
		p.await(fmt.Sprintf(`document.querySelector('#where').textContent.startsWith('Step %d of')`, steps-1-i))
		took("a step back", began)
	}
	began = time.Now()
	p.run(fmt.Sprintf(`(e => { e.value = %d; e.dispatchEvent(new Event('input')) })(document.getElementById('at'))`, steps/2))
	p.await(fmt.Sprintf(`document.querySelector('#where').textContent.startsWith('Step %d of')`, steps/2+1))
	took("went to the middle", began)
	if got := p.shown(); !strings.HasPrefix(got, "[value ") || strings.Contains(got, "\ufffd") || !strings.Contains(got, "writes") {
		t.Errorf("in the middle it shows %q", got[:min(len(got), 300)])
	}
	if n := p.text(`document.querySelectorAll('*').length`); len(n) > 4 {
		t.Errorf("the page has %s elements", n)
	}
	p.quiet()
}
