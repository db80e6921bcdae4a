package fidelity

import (
	"fmt"
	"slices"
	"strings"
)

// This file counts the results of damage and writes them as tables.

// Tally counts the results for damaged writings of one kind.
type Tally struct {
	Kind    *DamageKind
	Count   [numResults]int
	Changed string // the shortest writing that was changed silently
}

// TallyKind damages n writings of one kind. It starts with the seed first.
func TallyKind(k *DamageKind, first uint64, n int) (*Tally, error) {
	t := &Tally{Kind: k}
	for seed := first; n > 0; seed++ {
		d, ok, err := RunTrial(k, seed)
		if err != nil {
			return nil, fmt.Errorf("%s%s, seed %d: %w", k.Name, k.inFormat(), seed, err)
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

// FormatTables returns the tallies of other makers' formats as tables in Markdown: one table for formats
// with tags and markers, and one for lists and literals. Each format has a column. A cell is the share of
// writings that are read as they were meant, or as the damaged text spells them.
func FormatTables(tallies []*Tally) (tags, others string) {
	return formatTable(tallies, formatsOf(manners)), formatTable(tallies, formatsOf(lists))
}

// formatTable returns one of these tables.
func formatTable(tallies []*Tally, names []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| damage | what is made of it | %s |\n|---|---|%s\n", strings.Join(names, " | "), strings.Repeat("--:|", len(names)))
	for i := 0; i < len(tallies); {
		first := tallies[i]
		if !slices.Contains(names, first.Kind.Format) {
			i++
			continue
		}
		fmt.Fprintf(&b, "| %s | %s |", first.Kind.Name, first.Kind.Documented)
		for _, name := range names {
			if i == len(tallies) || tallies[i].Kind.Name != first.Kind.Name || tallies[i].Kind.Format != name {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(&b, " %s |", tallies[i].share(Exact, AsWritten))
			i++
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// share returns the share of the results, in percent.
func (t *Tally) share(results ...Result) string {
	sum, n := 0, 0
	for r, count := range t.Count {
		sum += count
		if slices.Contains(results, Result(r)) {
			n += count
		}
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(sum, 1)))
}

// Table returns the tallies of our formats as a table in Markdown.
func Table(tallies []*Tally) string {
	var b strings.Builder
	b.WriteString("| damage | what is made of it | exact | as written | kept as text | refused | changed silently |\n|---|---|--:|--:|--:|--:|--:|\n")
	for _, t := range tallies {
		if t.Kind.Format != "" {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s |", t.Kind.Name, t.Kind.Documented)
		for r, n := range t.Count {
			if n == 0 {
				b.WriteString(" |")
			} else {
				fmt.Fprintf(&b, " %s |", t.share(Result(r)))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
