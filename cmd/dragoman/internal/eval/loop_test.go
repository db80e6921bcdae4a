package eval

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// script is a model that gives one answer after the other, and keeps the prompts.
type script struct {
	upstream.Func
	answers []string
	prompts []*translate.Prompt
}

func (s *script) Prepare(m upstream.Model, p *translate.Prompt) (*upstream.Call, error) {
	return upstream.Func(func(context.Context, upstream.Model, *translate.Prompt) iter.Seq2[translate.Chunk, error] {
		text := s.answers[min(len(s.prompts), len(s.answers)-1)]
		s.prompts = append(s.prompts, p)
		return func(yield func(translate.Chunk, error) bool) {
			if text == "overloaded" {
				yield(translate.Chunk{}, &upstream.Error{Status: 400, Type: "invalid_request_error", Message: "no"})
				return
			}
			stop := messages.StopEndTurn
			if cut, ok := strings.CutSuffix(text, "…"); ok {
				text, stop = cut, messages.StopMaxTokens
			}
			yield(translate.Chunk{Text: text, Stop: stop}, nil)
		}
	}).Prepare(m, p)
}

// stock is a loop with one tool: two numbers must be looked up, with the codes of the items.
const stock = `{"id": "stock", "question": "How many screws and nails are left?",
	"tools": [{"name": "stock", "input_schema": {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}}],
	"results": [{"name": "stock", "input": {"item": "S-1"}, "result": "1,318 left"}, {"name": "stock", "input": {"item": "N-2"}, "accept": {"item": ["N-3"]}, "result": "42 left"}, {"name": "stock", "error": "unknown item; screws are S-1, nails N-2"}],
	"expected": [{"name": "stock", "input": {"item": "S-1"}}, {"name": "stock", "input": {"item": "N-2"}}], "answer": ["1318", "42"]}`

// uses is an answer with calls of the tool, in the attribute format.
func uses(items ...string) string {
	var s strings.Builder
	s.WriteString("<function_calls>\n")
	for _, item := range items {
		fmt.Fprintf(&s, "<invoke name=\"stock\">\n<parameter name=\"item\">%s</parameter>\n</invoke>\n", item)
	}
	return s.String() + "</function_calls>"
}

// TestLoops plays a loop with models that end it in different ways.
func TestLoops(t *testing.T) {
	set, err := read(strings.NewReader(strings.ReplaceAll(stock, "\n", " ")), "stock", nil)
	if err != nil {
		t.Fatal(err)
	}
	const right = "There are 1,318 screws, and 42 nails."
	for _, tt := range []struct {
		name, wrong    string
		answers        []string
		asked, results int
	}{
		{"both at once", "", []string{uses("S-1", "N-2"), right}, 2, 2},
		{"one after the other", "", []string{uses("S-1"), uses("N-2"), right}, 3, 2},
		{"other letters", "", []string{uses("s-1", "n2"), right}, 2, 2},
		{"an error, then right", "", []string{uses("screw"), uses("S-1", "N-2"), right}, 3, 3},
		{"a call too few", "calls: 1, expected: 2", []string{uses("S-1"), right}, 2, 1},
		{"a call twice", "calls: 3, expected: 2", []string{uses("S-1", "N-2"), uses("S-1"), right}, 3, 3},
		{"another call that works", `stock: item is "N-3", expected: "N-2"`, []string{uses("S-1", "N-3"), right}, 2, 2},
		{"no call", "calls: 0, expected: 2", []string{right}, 1, 0},
		{"a wrong answer", "the last answer does not say 1318", []string{uses("S-1", "N-2"), "There are 318 screws, and 42 nails."}, 2, 2},
		{"half an answer", "the last answer does not say 42", []string{uses("S-1", "N-2"), "1318 screws."}, 2, 2},
		{"without a word", "the last answer is empty", []string{uses("S-1", "N-2"), " "}, 3, 2},
		{"without a word, until reminded", "", []string{uses("S-1", "N-2"), "", right}, 3, 2},
		{"the same call again, until reminded", "", []string{uses("S-1", "N-2"), uses("S-1", "N-2"), right}, 3, 2},
		{"cut", "cut off by max_tokens", []string{uses("S-1", "N-2"), right + "…"}, 2, 2},
		{"without end", "no end after 8 answers", []string{uses("S-1")}, 1 + 2*7, 8},
		{"an upstream that fails", "", []string{uses("S-1"), "overloaded"}, 2, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			model := &script{answers: tt.answers}
			m := Model{Name: "m", UpstreamModel: proxy.UpstreamModel{Model: "m"}, Upstream: model}
			r := m.askAndGrade(t.Context(), job{&set.Questions[0], "attribute"})
			if r.Wrong != tt.wrong || len(model.prompts) != tt.asked || len(r.Calls) != tt.results {
				t.Errorf("got %q after %d prompts and %d results, want %q", r.Wrong, len(model.prompts), len(r.Calls), tt.wrong)
			}
			if stuck := strings.Contains(tt.name, "reminded") || strings.HasPrefix(tt.name, "without"); r.stuck() != stuck {
				t.Errorf("stuck is %t: %+v", r.stuck(), r)
			}
			if failed := tt.answers[len(tt.answers)-1] == "overloaded"; r.right() != (tt.wrong == "" && !failed) || failed != (r.Error != "") {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// TestLoopPrompts: what the tools return, errors too, is in the next prompt, behind the calls.
func TestLoopPrompts(t *testing.T) {
	set, err := read(strings.NewReader(strings.ReplaceAll(stock, "\n", " ")), "stock", nil)
	if err != nil {
		t.Fatal(err)
	}
	model := &script{answers: []string{"Let me look.\n" + uses("S-1"), uses("x"), "Well."}}
	m := Model{Name: "m", UpstreamModel: proxy.UpstreamModel{Model: "m"}, Upstream: model}
	r := m.askAndGrade(t.Context(), job{&set.Questions[0], "attribute"})
	var turns []string
	for _, turn := range model.prompts[2].Turns {
		text := turn.Role + ":"
		for _, part := range turn.Parts {
			text += part.Text
		}
		turns = append(turns, text)
	}
	all := strings.Join(turns, "\n")
	for _, want := range []string{"assistant:Let me look.", `<parameter name="item">S-1</parameter>`, "1,318 left", `<parameter name="item">x</parameter>`, "unknown item; screws are S-1, nails N-2"} {
		_, rest, found := strings.Cut(all, want)
		if !found {
			t.Fatalf("%q is not, or not in order, in\n%s", want, strings.Join(turns, "\n"))
		}
		all = rest
	}
	if r.Text != "Well." || r.Answers != 3 || r.Outcomes["clean"] != 2 || r.Calls[0].Result != "1,318 left" || !r.Calls[1].IsError {
		t.Errorf("got %+v", r)
	}
}

func TestSays(t *testing.T) {
	for _, tt := range []struct {
		text, part string
		says       bool
	}{
		{"It is on shelf 7C.", "7c", true},
		{"The total is 1,318.", "1318", true},
		{"The total is 1,318.50.", "1318", false},
		{"14km", "14", false},
		{"Seats: 14A/14B", "14b", true},
		{"It is the Old Town, they say.", "old town", true},
		{"the old", "old town", false},
		{"", "cold", false},
		{"Холодно!", "холодно", true},
	} {
		if got := says(tt.text, tt.part); got != tt.says {
			t.Errorf("%q says %q: %t", tt.text, tt.part, got)
		}
	}
}

// TestBuiltinLoops: every built-in loop can be played to its right end, with the data of its own tools.
func TestBuiltinLoops(t *testing.T) {
	list, err := Loops()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range list {
		r := Record{Answers: 2, StopReason: string(messages.StopEndTurn), Text: strings.Join(q.loop.answer, " and ")}
		for _, expected := range q.want.calls {
			c := MadeCall{Name: expected.name, Input: map[string]any{}}
			for name, arg := range expected.args {
				c.Input[name] = arg.allowed[0]
			}
			if q.loop.run(&c); c.IsError {
				t.Errorf("%s: %s is expected, and fails: %s", q.ID, c.Name, c.Result)
			}
			for _, part := range q.loop.answer {
				if says(string(q.body), part) {
					t.Errorf("%s: the question has %q of the answer", q.ID, part)
				}
			}
			r.Calls = append(r.Calls, c)
		}
		if why := q.grade(&r); why != "" {
			t.Errorf("%s: %s", q.ID, why)
		}
		r.Text = "I do not know."
		if q.grade(&r) == "" {
			t.Errorf("%s: any answer is right", q.ID)
		}
	}
	if len(list) < 6 {
		t.Errorf("there are %d loops", len(list))
	}
}
