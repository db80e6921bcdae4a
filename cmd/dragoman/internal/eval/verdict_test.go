package eval

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// way is a way of asking, with a letter for each question: + right, - wrong, ! without an answer.
type way struct{ format, first, loops string }

// report returns the report of some ways. Every answer has a call, unless nothing is right.
func report(t *testing.T, ways []way) *Report {
	t.Helper()
	r := &Report{}
	for _, w := range ways {
		var records []Record
		for i, letter := range w.first + w.loops {
			record := Record{Format: w.format, Loop: i >= len(w.first)}
			switch letter {
			case '-':
				record.Wrong = "calls: 0, expected: 1"
			case '!':
				record.Error = "529 overloaded_error: later"
			default:
				record.Outcomes = map[string]int{"clean": 1}
			}
			records = append(records, record)
		}
		r.Formats = append(r.Formats, summarize(w.format, records))
	}
	return r
}

func letters(right, wrong int) string { return strings.Repeat("+", right) + strings.Repeat("-", wrong) }

// TestVerdict: there is a winner only if its lead is more than luck. First calls and loops count half each.
func TestVerdict(t *testing.T) {
	all, none := letters(20, 0), letters(0, 20)
	for _, tt := range []struct {
		name, want, best string
		ways             []way
	}{
		{"one format", "json: 7 of 20 right.", "json", []way{{"json", letters(7, 13), ""}}},
		{"one format with loops", "json: 7 of 20 right, 2 of 6 loops right.", "json", []way{{"json", letters(7, 13), letters(2, 4)}}},
		{"only loops", "json: 2 of 6 loops right.", "json", []way{{"json", "", letters(2, 4)}}},
		{"one question", "Too few answers to say which way is best: fewer than 5 questions. json: 1 of 1 right; legacy: 0 of 1 right.", "legacy", []way{{"legacy", "-", ""}, {"json", "+", ""}}},
		{"four questions", "Too few answers to say which way is best: fewer than 5 questions. json: 4 of 4 right; attribute: 0 of 4 right.", "", []way{{"attribute", "----", ""}, {"json", "++++", ""}}},
		{"five questions", "Winner: json: 5 of 5 right. Next: legacy: 0 of 5 right.", "json", []way{{"legacy", "-----", ""}, {"json", "+++++", ""}}},
		{"a winner", "Winner: json: 12 of 20 right. Next: legacy: 7 of 20 right.", "json", []way{{"legacy", letters(7, 13), ""}, {"json", letters(12, 8), ""}}},
		{"the same lead with changes both ways", "No clear winner: the lead of json over legacy may be luck. json: 12 of 20 right; legacy: 7 of 20 right.", "legacy",
			[]way{{"legacy", letters(0, 13) + letters(7, 0), ""}, {"json", letters(12, 8), ""}}},
		{"two questions more", "No clear winner: the lead of json over legacy may be luck. json: 12 of 20 right; legacy: 10 of 20 right.", "legacy", []way{{"legacy", letters(10, 10), ""}, {"json", letters(12, 8), ""}}},
		{"as many", "No clear winner: the lead of attribute over json may be luck. attribute: 9 of 20 right; json: 9 of 20 right; legacy: 2 of 20 right.", "attribute", []way{{"legacy", letters(2, 18), ""}, {"attribute", letters(9, 11), ""}, {"json", letters(9, 11), ""}}},
		{"all first calls, and no loop", "Winner: json: 18 of 20 right, 6 of 6 loops right. Next: legacy: 20 of 20 right, 0 of 6 loops right.", "json",
			[]way{{"legacy", all, letters(0, 6)}, {"json", letters(18, 2), letters(6, 0)}}},
		{"a few of both", "Winner: json: 14 of 20 right, 5 of 6 loops right. Next: legacy: 11 of 20 right, 2 of 6 loops right.", "json",
			[]way{{"legacy", letters(11, 9), letters(2, 4)}, {"json", letters(14, 6), letters(5, 1)}}},
		{"better in one, worse in the other", "No clear winner: the lead of json over legacy may be luck. json: 8 of 20 right, 4 of 6 loops right; legacy: 12 of 20 right, 1 of 6 loops right.", "legacy",
			[]way{{"legacy", letters(12, 8), letters(1, 5)}, {"json", letters(8, 12), letters(4, 2)}}},
		{"the server", "Winner: server: 15 of 20 right. Next: json: 8 of 20 right.", "server", []way{{"legacy", letters(1, 19), ""}, {"json", letters(8, 12), ""}, {Server, letters(15, 5), ""}}},
		{"the server by one question", "No clear winner: the lead of native over json may be luck. native: 9 of 20 right; json: 8 of 20 right; legacy: 1 of 20 right.", "json", []way{{"legacy", letters(1, 19), ""}, {"json", letters(8, 12), ""}, {Native, letters(9, 11), ""}}},
		{"the server alone", "native: 3 of 20 right.", "native", []way{{Native, letters(3, 17), ""}}},
		{"without answers in one", "No clear winner: the lead of json over legacy may be luck. json: 20 of 20 right; legacy: 0 of 20 right.", "legacy", []way{{"legacy", strings.Repeat("!", 20), ""}, {"json", all, ""}}},
		{"nothing right", "No clear winner: the lead of legacy over json may be luck. legacy: 0 of 20 right; json: 0 of 20 right.", "legacy", []way{{"legacy", none, ""}, {"json", none, ""}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := report(t, tt.ways)
			if got := r.Verdict(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if got := r.Best("legacy"); got != tt.best {
				t.Errorf("best is %q, want %q", got, tt.best)
			}
		})
	}

	// A server that finds no call is right where no call is expected, and may so lead. It is not the way to configure.
	r := report(t, []way{{"json", letters(2, 18), ""}, {Server, letters(10, 10), ""}})
	r.Formats[1].Calls = 0
	if got := r.Best("legacy"); got != "json" {
		t.Errorf("best is %q", got)
	}
}

// TestLuck compares the smallest leads that are more than luck with the sums of binomial coefficients.
func TestLuck(t *testing.T) {
	for _, tt := range []struct {
		more, less int
		luck       bool
	}{{4, 0, true}, {5, 0, false}, {6, 1, true}, {7, 1, false}, {8, 2, true}, {9, 2, false}, {0, 0, true}, {5, 5, true}, {0, 9, true}} {
		c := comparison{lead: tt.more - tt.less, only: [2]int{tt.more + tt.less}, points: [2]int{1, 1}}
		if got := c.isLuck(); got != tt.luck {
			t.Errorf("%d to %d: %t", tt.more, tt.less, got)
		}
	}
	sum := 0.0
	for _, p := range coins(300) {
		sum += p
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("300 coins have some number of heads with a probability of %g", sum)
	}
}

// TestAdvice names result_note if the model was stuck in a quarter of the loops of a way, and not below.
func TestAdvice(t *testing.T) {
	for _, tt := range []struct {
		outcomes, reasons map[string]int
		loops, stuck      int
		want              string
	}{
		{map[string]int{"empty": 1}, nil, 8, 2, "(json in 2 of 8). Try result_note: on"},
		{map[string]int{"clean": 2}, map[string]int{"clean repeated": 1}, 8, 2, "(json in 2 of 8). Try result_note: on"},
		{map[string]int{"empty": 1}, nil, 8, 1, ""},
		{map[string]int{"empty": 1}, nil, 3, 3, ""},
		{map[string]int{"repaired": 1}, map[string]int{"repaired missing_closer": 1}, 8, 8, ""},
		{nil, nil, 0, 0, ""},
	} {
		records := []Record{{Format: "json", Outcomes: map[string]int{"empty": 1}}} // a first answer is no loop
		for i := range tt.loops {
			r := Record{Format: "json", Loop: true}
			if i < tt.stuck {
				r.Outcomes, r.Reasons = tt.outcomes, tt.reasons
			}
			records = append(records, r)
		}
		s := summarize("json", records)
		if got := (&Report{Formats: []Summary{s}}).Advice(); !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%v: got %q", tt, got)
		}
		if want := fmt.Sprint(tt.stuck * tt.outcomes["clean"]); fmt.Sprint(s.Calls) != want && tt.outcomes["empty"] > 0 {
			t.Errorf("an empty answer counts as a call: %+v", s)
		}
	}
}
