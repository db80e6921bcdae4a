package inspector

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// conversation returns a request with a system prompt and texts. The first text is the user's.
func conversation(t *testing.T, system string, texts ...string) string {
	t.Helper()
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var messages []message
	for i, text := range texts {
		messages = append(messages, message{[]string{"user", "assistant"}[i%2], text})
	}
	body, err := json.Marshal(map[string]any{"model": "claude-2.1", "max_tokens": 400, "system": system, "messages": messages})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// compare makes the page compare a prompt with the prompt of the turn before, with the keyboard alone.
func (p *tab) compare() {
	p.t.Helper()
	p.await(`document.querySelector('.completion')?.textContent.includes('stopped:')`)
	for range 40 {
		p.press(kb.Tab)
		if p.text(`document.activeElement.parentElement.textContent.trim()`) == "since the turn before" {
			p.press(" ")
			return
		}
	}
	p.t.Fatal("Tab does not reach the box")
}

// If a turn follows another one, the page can show only what is new in its prompt.
func TestSinceTheTurnBefore(t *testing.T) {
	rules := strings.Repeat("Stay on the path.\n", 40)
	today := func(day string) string { return rules + "Today is " + day + ".\nBe brief.\n" + rules }
	s := serve(t, weather)
	s.ask(conversation(t, today("Monday"), "Is it cold in Oslo?", "It is cold.", "In Bergen?"))
	s.ask(conversation(t, today("Tuesday"), "Is it cold in Oslo?", "It is cold.", "In Bergen?", "It rains there.", "And in Rome?"))
	p := open(t, s.url, 1300, 800)
	p.live()
	p.await(`document.querySelectorAll('#rows .row').length === 2`)
	if got := p.text(`[...document.querySelectorAll('#rows .notes')].map(e => e.textContent.replace(/[0-9:]+/, 'TIME')).join()`); got != "continues TIME," {
		t.Errorf("the list says %q", got)
	}
	p.press("j", kb.Enter)
	p.compare()
	p.await(`document.querySelectorAll('.prompt ins').length === 3`)
	for what, test := range map[string]struct{ expression, want string }{
		"added":  {`[...document.querySelectorAll('.prompt ins')].map(e => e.textContent).join('|')`, "Today is Tuesday.\n|It rains there.|And in Rome?"},
		"gone":   {`[...document.querySelectorAll('.prompt del')].map(e => e.textContent).join('|')`, "Today is Monday.\n"},
		"folded": {`[...document.querySelectorAll('.prompt summary')].map(e => e.textContent.replace(/ [0-9.]+ K?B$/, '')).join('|')`, "as before|as before|3 parts as before"},
		"shown":  {`[...document.querySelectorAll('.prompt details')].filter(e => e.open).length`, "0"},
		"whole":  {`document.querySelector('.prompt [data-section="system[0]"]').textContent.split('Stay on the path.').length - 1`, "80"},
	} {
		if got := p.text(test.expression); got != test.want {
			t.Errorf("%s: %q, want %q", what, got, test.want)
		}
	}
	p.accessible("a prompt beside the one before")
	p.do(chromedp.Click(chromedp.CSS(`[data-to="messages.0.content.0"]`)))
	p.await(`document.querySelector('.prompt .source')?.checkVisibility() && document.querySelector('.prompt .source').textContent === 'Is it cold in Oslo?'`)
	p.do(chromedp.Focus(chromedp.CSS(`.since input`)))
	p.press(" ")
	p.await(`document.querySelectorAll('.prompt ins, .prompt details').length === 0 && document.querySelectorAll('.prompt .section').length === 6`)
	p.do(chromedp.Click(chromedp.CSS(`.facts a`)))
	p.await(`document.querySelector('.facts') && !document.querySelector('.facts a') && document.querySelector('.since').hidden`)
	p.quiet()
}

// Differences are shown as whole lines, or as characters if a line is long.
func TestDifferences(t *testing.T) {
	long := strings.Repeat("äöü ", 200)
	s := serve(t, weather)
	p := open(t, s.url, 1300, 800)
	p.live()
	for i, test := range []struct{ before, after, gone, added string }{
		{"a\nb\nc\n", "a\nx\nc\n", "b\n", "x\n"},
		{"- a\n- c\n", "- a\n- b\n- c\n", "", "- b\n"},
		{"- a\n- b\n- c\n", "- a\n- c\n", "- b\n", ""},
		{"a\na\n", "a\na\na\n", "", "a\n"},
		{"a", "a\nb", "a", "a\nb"},
		{"one two three", "one 2 three", "one two three", "one 2 three"},
		{long + "é" + long, long + "è" + long, "é", "è"},
		{long + "é" + long, long + long, "é", ""},
		{long + long, long + "日本" + long, "", "日本"},
		{"", "a\n", "", "a\n"},
	} {
		s.ask(conversation(t, test.before, fmt.Sprint(i)))
		s.ask(conversation(t, test.after, fmt.Sprint(i), "a", "b"))
		p.await(fmt.Sprintf(`document.querySelector('#count').textContent === '%d'`, 2*i+2))
		p.press(kb.Home, kb.Enter)
		if i == 0 {
			p.compare()
		}
		p.await(`document.querySelectorAll('.prompt ins, .prompt del').length >= 2 && document.querySelector('.completion').textContent.includes('stopped:')`)
		for kind, want := range map[string]string{"del": test.gone, "ins": test.added} {
			if got := p.text(`document.querySelector('.prompt [data-section="system[0]"] ` + kind + `')?.textContent ?? ''`); got != want {
				t.Errorf("from %.20q to %.20q: %s is %q, want %q", test.before, test.after, kind, got, want)
			}
		}
		p.press(kb.Escape)
	}
	p.quiet()
}

// New text is shown as text, whatever it contains. If the turn before is no longer stored, the page says so.
func TestHostileTurns(t *testing.T) {
	all := strings.Join(hostile, "\n")
	s := serve(t, weather)
	s.ask(conversation(t, "é"+all, "a"))
	s.ask(conversation(t, "è"+all, "a", all, all))
	p := open(t, s.url, 1300, 800)
	p.live()
	p.press("j", kb.Enter)
	p.compare()
	p.await(`document.querySelectorAll('.prompt ins').length === 3`)
	if got := p.text(`document.querySelector('.prompt del').textContent.at(0) + document.querySelector('.prompt ins').textContent.at(0)`); got != "éè" {
		t.Errorf("a character is cut: %q", got)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelectorAll('details').forEach(d => { d.open = true; })`))
	if got := p.text(`String(window.pwned) + document.querySelectorAll('.prompt :is(script, iframe, object, embed, form, base, style, svg, img, input)').length`); got != "undefined0" {
		t.Errorf("a text was run, or became an element: %s", got)
	}
	for i := range 99 { // as many as fit beside one
		s.ask(conversation(t, "", fmt.Sprint(i)))
	}
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.since input').click()`))
	p.await(`document.querySelectorAll('.prompt ins').length === 0`)
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.since input').click()`))
	p.await(`document.querySelector('.since').textContent === 'the turn before: this exchange is no longer kept'`)
}
