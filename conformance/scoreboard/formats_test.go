package scoreboard

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dragoman/conformance/install"
)

var withCrates = flag.Bool("crates", false, "also run the parsers in crates, which take minutes to build; -update implies it")

// TestFormats lets the parsers read calls in the formats of open models, each in the formats that it claims:
// calls in the form of the chat template, and the goldens.
func TestFormats(t *testing.T) {
	own, err := load(filepath.Join("..", "..", "translate", "testdata", "corpus.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	calls := distinct(t, own)
	if *withCrates || *update {
		cratesProgram = install.Rust(t, ".", "crates")
	}
	t.Run("templates", func(t *testing.T) {
		formatsTable(t, "templates", func(d *dialect) []item {
			if !d.shown {
				return nil
			}
			return d.templated(t, calls)
		})
	})
	t.Run("goldens", func(t *testing.T) {
		formatsTable(t, "goldens", func(d *dialect) []item { return d.completions(t) })
	})
}

// formatsTable runs all parsers of a dialect on its completions, and reports a row for each dialect.
func formatsTable(t *testing.T, name string, completions func(*dialect) []item) {
	t.Helper()
	head := []string{"calls of", "completions", ours}
	for _, c := range columns {
		head = append(head, c.name+" "+c.release)
	}
	rows := [][]string{head}
	sums := make([]tally, 1+len(columns))
	of := make([]int, 1+len(columns))
	for i := range dialects {
		d := &dialects[i]
		list := completions(d)
		if len(list) == 0 {
			continue
		}
		row := []string{d.name, fmt.Sprint(len(list))}
		for n, c := range append([]*column{nil}, columns...) {
			read, who := native, ours
			if c != nil {
				if d.parsers[c] == "" || c.slow && cratesProgram == "" {
					row = append(row, "")
					continue
				}
				read, who = parserOf[c](d.parsers[c]), c.name
			}
			cell := ""
			t.Run(d.format+"/"+who, func(t *testing.T) {
				sum := score(t, list, read(t, list), c == nil)
				cell = sum.cell()
				sums[n].join(sum)
				of[n] += len(list)
			})
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	total := []string{"all that it claims", ""}
	for n, sum := range sums {
		cell := ""
		if of[n] > 0 {
			cell = fmt.Sprintf("%s of %d", sum.cell(), of[n])
		}
		total = append(total, cell)
	}
	report(t, name, "", append(rows, total))
}

// score counts the results. A missing call counts differently from a wrong call.
func score(t *testing.T, list []item, answers []answer, mine bool) (sum tally) {
	t.Helper()
	for i := range list {
		v, a := silent, answer{}
		if i < len(answers) {
			a = answers[i]
			v = list[i].judge(a)
		}
		if v == changed && !slices.ContainsFunc(a.Calls, call.runs) {
			v = refused
		}
		sum.add(v, a.MS)
		switch {
		case v == exact:
		case mine:
			t.Errorf("%s: %s", list[i].ID, a.show())
		case *cases:
			t.Logf("%s, %s:\n%s\n%s", list[i].ID, []string{"", "missed", "wrong", "not done"}[v], list[i].Completion, a.show())
		}
	}
	return sum
}

// TestDialects checks that a dialect has completions and parsers, and which dialects Dragoman shows to
// models.
func TestDialects(t *testing.T) {
	for _, d := range dialects {
		if len(d.parsers) == 0 || len(d.completions(t)) == 0 {
			t.Errorf("%s: it has no parsers or no completions", d.name)
		}
		c := item{Tools: []tool{{Name: "f", InputSchema: []byte(`{"type":"object","properties":{"a":{"type":"string"}}}`)}},
			Accepted: [][]call{{{Name: "f", Input: []byte(`{"a":"x"}`)}}}}
		if _, _, text := c.written(t, d.format); d.mark.MatchString(text) != d.shown {
			t.Errorf("%s: is %q shown?", d.name, strings.TrimSpace(text))
		}
	}
}
