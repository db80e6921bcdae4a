package inspector

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

const fencedCall = "Let me look.\n\n```xml\n<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n</function_calls>\n```\n"

// An answer with a call in a code fence is marked in the list. With the keyboard alone, a user can see why
// there was no call, and what the answer would be with another key of the configuration.
func TestWhyNoCall(t *testing.T) {
	s := serve(t, answer{pieces: texts(fencedCall), stop: endOfTurn})
	s.ask(question)
	p := open(t, s.url, 1200, 800)
	p.live()
	p.await(`document.querySelector('#rows .mark')?.textContent === 'looks like a call'`)
	p.press("j", kb.Enter)
	p.await(`document.querySelector('.why-panel:not([hidden]) .changes li') !== null`)
	if got := p.text(`document.querySelector('.completion .k-shaped').textContent`); !strings.HasPrefix(got, "```xml\n<function_calls>") {
		t.Errorf("marked is %q", got)
	}
	if got := p.text(`document.querySelector('.why-panel').textContent`); !strings.Contains(got, "get_weather The call is in a Markdown code fence") || !strings.Contains(got, "quoted_calls: read") {
		t.Errorf("the panel says %q", got)
	}
	for range 40 {
		p.press(kb.Tab)
		if p.text(`document.activeElement.textContent`) == "Parse with this" {
			break
		}
	}
	p.press(kb.Enter)
	p.await(`document.querySelectorAll('.why-panel .sides section').length === 2`)
	if got := p.text(`[...document.querySelectorAll('.why-panel .sides section')].map(e => e.querySelectorAll('.call').length).join()`); got != "0,1" {
		t.Errorf("the calls before and after are %s", got)
	}
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(scheme)
		p.accessible("the panel, " + scheme)
	}
	for _, width := range []int64{390, 600} { // a phone, and 200 % zoom on a screen of 1200
		p.do(chromedp.EmulateViewport(width, 800))
		if over := p.text(`document.documentElement.scrollWidth - innerWidth`); over != "0" {
			t.Errorf("%d wide, it is %s wider than the window", width, over)
		}
	}
	p.quiet()
}

// An answer in words in place of a call is marked in the list. The panel says what to try, with commands, the whole file,
// and a replay that forces a call.
func TestWhyProse(t *testing.T) {
	s := serve(t, answer{pieces: texts("I cannot see the weather."), stop: endOfTurn})
	s.ask(question)
	p := open(t, s.url, 1200, 800)
	p.live()
	p.await(`document.querySelector('#rows .mark')?.textContent === 'no call'`)
	p.press("j", kb.Enter)
	p.await(`document.querySelectorAll('.why-panel:not([hidden]) .changes > li').length === 4`)
	got := p.text(`document.querySelector('.why-panel').textContent`)
	for _, want := range []string{
		"Why no tool call?", "The model answered in words. It was offered get_weather.", `{"tool_choice":{"type":"any"}}`,
		"dragoman eval --base-url http://127.0.0.1:1/v1 --model claude-2.1", "constrain: try", "a larger model",
		"Save it as dragoman.yaml, and start Dragoman with --config dragoman.yaml in place of --base-url http://127.0.0.1:1/v1.", "- name: claude-2.1\n    constrain: try\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the panel does not say %q, but %q", want, got)
		}
	}
	p.do(chromedp.Click(`//summary[text()="The whole file"]`))
	p.accessible("the panel")
	p.do(chromedp.Click(`//button[text()="Replay with this…"]`))
	p.await(`document.querySelector('dialog').open && JSON.parse(document.querySelector('dialog textarea').value).tool_choice?.type === 'any'`)
	p.do(chromedp.Click(`//button[text()="Call the model"]`))
	p.await(`document.querySelectorAll('.pair .exchange').length === 2 && document.querySelectorAll('.pair .exchange')[1].textContent.includes('stopped:')`)
	if got := p.text(`document.querySelectorAll('.pair .request')[1].textContent`); !strings.Contains(got, "tool_choice") {
		t.Errorf("the replay asks %q", got)
	}
	p.do(chromedp.EmulateViewport(390, 800))
	if over := p.text(`document.documentElement.scrollWidth - innerWidth`); over != "0" {
		t.Errorf("on a phone, the panel is %s wider than the window", over)
	}
	p.press(kb.Escape, kb.End, kb.Enter)
	p.await(`document.querySelectorAll('.single .why-panel:not([hidden]) .changes > li').length === 4`)
	if got := p.text(`document.querySelector('.why-panel').getBoundingClientRect().top < document.querySelector('.timing').getBoundingClientRect().top`); got != "true" {
		t.Error("on a phone, the times are above the panel")
	}
	p.quiet()
}

// The list shows the exchanges with a mark, then the exchanges with a text, and all after the filter is
// cleared.
func TestFilters(t *testing.T) {
	s := serve(t, answer{pieces: texts(fencedCall), stop: endOfTurn})
	s.ask(question)
	s.ask(strings.Replace(strings.Replace(question, `"tools":[`, `"metadata":{},"tools":[`, 1), "Oslo", "Rome", 1))
	s.ask(`{"model":"claude-2.1"}`)
	p := open(t, s.url, 1200, 800)
	p.live()
	p.await(`document.querySelectorAll('#rows .row').length === 3`)
	if got := p.text(`[...document.querySelectorAll('#marks button')].map(e => e.textContent).join()`); !strings.HasPrefix(got, "failed 1,refused 0,looks like a call 2,") || !strings.HasSuffix(got, "clean 0") {
		t.Errorf("the filters are %s", got)
	}
	click := func(name string) {
		p.do(chromedp.Click(fmt.Sprintf(`//div[@id="marks"]/button[starts-with(., %q)]`, name)))
	}
	click("failed")
	p.await(`document.querySelectorAll('#rows .row').length === 1 && document.querySelector('#count').textContent === '1 of 3'`)
	p.accessible("a filter")
	click("looks")
	p.await(`document.querySelectorAll('#rows .row').length === 3`)
	click("failed")
	p.do(chromedp.SendKeys(chromedp.CSS(`#filter`), "weather in rome"))
	p.await(`document.querySelectorAll('#rows .row').length === 1 && document.querySelector('#count').textContent === '1 of 3'`)
	p.press(kb.Escape)
	p.await(`document.querySelectorAll('#rows .row').length === 2`)
	p.do(chromedp.Click(chromedp.CSS(`#clear`)))
	p.await(`document.querySelectorAll('#rows .row').length === 0 && document.querySelector('#count').textContent.endsWith('0') && !document.querySelector('#empty').hidden`)
	p.quiet()
}

// The row that a user reads does not move while exchanges arrive.
func TestRowsStay(t *testing.T) {
	s := serve(t, weather)
	for i := range 40 {
		s.ask(strings.Replace(question, "Oslo", fmt.Sprint("Oslo ", i), 1))
	}
	p := open(t, s.url, 1200, 600)
	p.live()
	p.await(`document.querySelector('#count').textContent === '40'`)
	place := `(r => r && r.dataset.id + ' ' + Math.round(r.getBoundingClientRect().top))(document.querySelector('#rows [aria-selected=true]'))`
	p.press("j", "j", "j")
	p.await(`document.querySelector('#rows').getAttribute('aria-activedescendant') === 'exchange-2'`)
	before := p.text(place)
	for range 5 {
		s.ask(question)
	}
	p.await(`document.querySelector('#newer').textContent === '↑ 5 newer' && document.querySelector('#rows').getAttribute('aria-activedescendant') === 'exchange-7'`)
	if after := p.text(place); after != before {
		t.Errorf("the row was %s, and is %s", before, after)
	}
	p.do(chromedp.Click(chromedp.CSS(`#newer`)))
	p.await(`document.querySelector('#rows').scrollTop === 0 && document.querySelector('#newer').hidden`)
	p.quiet()
}

// The page shows the client's error, the upstream's text, and the error event.
func TestFailure(t *testing.T) {
	s := serve(t, answer{pieces: texts("half"), err: &upstream.Error{Status: 529, Type: messages.ErrorOverloaded, Message: "no room"}})
	s.ask(question)
	p := open(t, s.url, 1200, 800)
	p.live()
	p.press("j", kb.Enter)
	p.await(`document.querySelector('.facts')?.textContent.includes('the client was told') && document.querySelector('.exchange .rows').textContent.includes('error')`)
	if got := p.text(`document.querySelector('.facts').textContent`); !strings.Contains(got, "upstream east said (call 1)529 overloaded_error: no room") {
		t.Errorf("it says %q", got)
	}
	p.quiet()
}

// Long conversations and long texts are folded, and unfold where a user looks for something.
func TestFolds(t *testing.T) {
	s := serve(t, weather)
	var said []string
	for i := range 21 {
		said = append(said, fmt.Sprintf("%d %s", i, strings.Repeat("and so on ", 300)))
	}
	s.ask(conversation(t, "Be brief.", said...))
	p := open(t, s.url, 1200, 800)
	p.live()
	p.press("j", kb.Enter)
	p.await(`document.querySelector('.completion')?.textContent.includes('stopped:')`)
	if got := p.text(`document.querySelector('.request summary').textContent + '|' + document.querySelectorAll('.request .message').length + '|' + (document.querySelector('.request [data-path="messages.20.content.0"] .flow').clientHeight < 300)`); got != "17 earlier messages|21|true" {
		t.Errorf("of the request it shows %q", got)
	}
	p.do(chromedp.Click(chromedp.CSS(`.prompt [data-source="messages.0.content.0"]`)))
	p.await(`document.querySelector('.request .source').checkVisibility() && document.querySelector('.request .source').closest('details').open`)
	p.accessible("a long conversation")
	p.quiet()
}
