package fidelity

import (
	"fmt"
	"strings"
)

// This file counts the results of damage and writes them as a table.

// Tally counts what became of damaged writings of one kind.
type Tally struct {
	Kind    *DamageKind
	Count   [numResults]int
	Changed string // the shortest that was changed silently
}

// TallyKind damages n writings in the way of a kind, from the seed first on.
func TallyKind(k *DamageKind, first uint64, n int) (*Tally, error) {
	t := &Tally{Kind: k}
	for seed := first; n > 0; seed++ {
		d, ok, err := RunTrial(k, seed)
		if err != nil {
			return nil, fmt.Errorf("%s, seed %d: %w", k.Name, seed, err)
		}
		if !ok {
			continue
		}
		n--
		t.Count[d.Result]++
		if d.Result == Changed {
			example := fmt.Sprintf("seed %d\nmeant\n%swritten (then %s)\n%q\nread\n%s", seed, showCalls(d.Meant), d.Answer.Stop, d.Answer.Text, d.Read)
			if t.Changed == "" || len(example) < len(t.Changed) {
				t.Changed = example
			}
		}
	}
	return t, nil
}

// Table returns tallies as a table in Markdown.
func Table(tallies []*Tally) string {
	var b strings.Builder
	b.WriteString("| damage | what is made of it | exact | as written | kept as text | refused | changed silently |\n|---|---|--:|--:|--:|--:|--:|\n")
	for _, t := range tallies {
		fmt.Fprintf(&b, "| %s | %s |", t.Kind.Name, t.Kind.Documented)
		sum := 0
		for _, n := range t.Count {
			sum += n
		}
		for _, n := range t.Count {
			if n == 0 {
				b.WriteString(" |")
			} else {
				fmt.Fprintf(&b, " %.1f %% |", 100*float64(n)/float64(max(sum, 1)))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
