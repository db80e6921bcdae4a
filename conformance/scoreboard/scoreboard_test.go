package scoreboard

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	update = flag.Bool("update", false, "write the tables into README.md")
	cases  = flag.Bool("cases", false, "print each completion that a parser reads wrong")
	shared = flag.String("corpus", filepath.Join("..", "..", "..", "shared", "corpus", "legacy-completions.jsonl"), "an additional corpus; the file may be missing")
)

// board is a table.
type board struct {
	name  string
	list  []item
	peers []peer
	forms []string // the forms with a column
}

// boards are all tables: for the two corpora, and for the calls in Dragoman's corpus.
func boards(t *testing.T) []board {
	t.Helper()
	own, err := load(filepath.Join("..", "..", "translate", "testdata", "corpus.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	forms := []string{legacyForm, attributeForm, otherForm}
	all := []board{{"own", own, peers, forms}, {"calls", distinct(t, own), writers, nil}}
	switch list, err := load(*shared); {
	case err == nil:
		all = append(all, board{"shared", list, peers, forms})
	case !errors.Is(err, os.ErrNotExist):
		t.Fatal(err)
	}
	return all
}

// distinct returns the cases with calls, each once, however many spellings it has.
func distinct(t *testing.T, list []item) []item {
	t.Helper()
	seen := map[string]bool{}
	var kept []item
	for _, c := range list {
		key, err := json.Marshal([]any{c.described(), c.meant()})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Accepted[0]) > 0 && !seen[string(key)] {
			seen[string(key)] = true
			kept = append(kept, c)
		}
	}
	return kept
}

// TestScoreboard runs every parser. Dragoman's parser must read everything correctly. The results of the
// others are for the table.
func TestScoreboard(t *testing.T) {
	for _, b := range boards(t) {
		t.Run(b.name, func(t *testing.T) {
			var rows [][]string
			for _, p := range b.peers {
				t.Run(p.name, func(t *testing.T) {
					rows = append(rows, p.row(t, b))
				})
			}
			b.report(t, rows)
		})
	}
}

// row returns a parser's results for a corpus.
func (p peer) row(t *testing.T, b board) []string {
	list := b.list
	answers := p.parse(t, list)
	var all tally
	byForm := map[string]*tally{legacyForm: {}, attributeForm: {}, otherForm: {}}
	for i := range list {
		v, ms := silent, 0.0
		if i < len(answers) {
			v, ms = list[i].judge(answers[i]), answers[i].MS
		}
		all.add(v, ms)
		byForm[list[i].Form].add(v, ms)
		switch {
		case v == exact || v == silent:
		case p.from == here:
			t.Errorf("%s: %s", list[i].ID, answers[i].show())
		case *cases:
			t.Logf("%s, %s: %s", list[i].ID, v, answers[i].show())
		}
	}
	time := fmt.Sprintf("%.0f", all.ms)
	if n := all.of[silent]; n > 0 {
		time = fmt.Sprintf("not done after %s: %d left", patience, n)
	}
	row := []string{strings.TrimSpace(p.name + " " + p.release), p.from,
		fmt.Sprint(all.of[exact]), fmt.Sprint(all.of[refused]), fmt.Sprint(all.of[changed]), time}
	for _, form := range b.forms {
		row = append(row, byForm[form].cell())
	}
	return row
}

// report prints the table of a corpus. With -update, it also writes the table into the README.
func (b board) report(t *testing.T, rows [][]string) {
	t.Helper()
	head := []string{"parser", "from", "exact", "refused", "silently changed", "ms"}
	for _, form := range b.forms {
		n := 0
		for _, c := range b.list {
			if c.Form == form {
				n++
			}
		}
		head = append(head, fmt.Sprintf("%s form: %d", form, n))
	}
	report(t, b.name, fmt.Sprintf("%d completions.\n\n", len(b.list)), slices.Insert(rows, 0, head))
}

// report prints a table; the first row is the head. With -update, it also writes the table into the README.
func report(t *testing.T, name, above string, rows [][]string) {
	t.Helper()
	var out strings.Builder
	out.WriteString(above)
	for _, row := range slices.Insert(rows, 1, slices.Repeat([]string{"---"}, len(rows[0]))) {
		fmt.Fprintf(&out, "| %s |\n", strings.Join(row, " | "))
	}
	t.Logf("%s\n%s", name, out.String())
	if !*update {
		return
	}
	begins, ends := "<!-- scoreboard "+name+": make scoreboard -->\n", "<!-- /scoreboard "+name+" -->\n"
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(readme), begins)
	_, after, closed := strings.Cut(rest, ends)
	if !found || !closed {
		t.Fatalf("README.md has no place between %q and %q", begins, ends)
	}
	if err := os.WriteFile("README.md", []byte(before+begins+out.String()+ends+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestJudge checks each verdict.
func TestJudge(t *testing.T) {
	c, err := read([]byte(`{"id": "x", "tools": {"f": {}}, "completion": "<invoke><tool_name>f</tool_name>", "expected": [{"type": "text", "text": "a"}, {"type": "tool_use", "name": "f", "input": {"n": 3, "s": "3"}}], "alternatives": [[]]}`))
	if err != nil {
		t.Fatal(err)
	}
	none, err := read([]byte(`{"id": "y", "tools": [], "completion": "no call", "expected": [{"type": "text", "text": "no call"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	strict := c
	strict.Accepted = c.Accepted[:1]
	f := func(input string) answer { return answer{Calls: []call{{Name: "f", Input: []byte(input)}}} }
	for _, test := range []struct {
		name string
		item item
		answer
		want verdict
	}{
		{"exact", strict, f(`{"s": "3", "n": 3.0}`), exact},
		{"another type", strict, f(`{"s": 3, "n": 3}`), changed},
		{"argument lost", strict, f(`{"n": 3}`), changed},
		{"call twice", strict, answer{Calls: append(f(`{"n": 3, "s": "3"}`).Calls, f(`{"n": 3, "s": "3"}`).Calls...)}, changed},
		{"text", strict, answer{Text: "<invoke><tool_name>f</tool_name>"}, refused},
		{"text in other letters", strict, answer{Text: "<invoke><tool_name>F</tool_name>"}, refused},
		{"error", strict, answer{Error: "no"}, refused},
		{"lost without a word", strict, answer{Text: "a"}, changed},
		{"alternative", c, answer{Text: "a"}, exact},
		{"none", none, answer{}, exact},
		{"call out of nothing", none, f(`{}`), changed},
	} {
		if got := test.item.judge(test.answer); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
	for completion, form := range map[string]string{
		"<invoke>\n<tool_name>f": legacyForm, `<invoke name="f">`: attributeForm, `<invoke name = "f">`: attributeForm, "f": otherForm,
	} {
		if got := formOf(completion); got != form {
			t.Errorf("%q is of the form %s", completion, cmp.Or(got, "none"))
		}
	}
}
