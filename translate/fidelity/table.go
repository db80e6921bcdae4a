package fidelity

import (
	"fmt"
	"slices"
	"strings"

	"dragoman/translate/messages"
)

// This file counts the results of damage and writes them as tables.

// Tally counts the results for damaged writings of one kind.
type Tally struct {
	Kind    *DamageKind
	Count   [numResults]int
	Changed string                   // the shortest writing that was changed silently
	Reasons map[messages.Reason]bool // the reasons of outcomes
}

// mostMisses is how many writings in a row may have nothing to damage.
const mostMisses = 20_000

// TallyKind damages n writings of one kind. It starts with the seed first.
func TallyKind(k *DamageKind, first uint64, n int) (*Tally, error) {
	t := &Tally{Kind: k, Reasons: map[messages.Reason]bool{}}
	for seed, last := first, first; n > 0; seed++ {
		d, ok, err := RunTrial(k, seed)
		if err != nil {
			return nil, fmt.Errorf("%s, seed %d: %w", k, seed, err)
		}
		if !ok {
			if seed-last > mostMisses {
				return nil, fmt.Errorf("%s: nothing to damage in %d writings", k, mostMisses)
			}
			continue
		}
		n, last = n-1, seed
		t.Count[d.Result]++
		for _, reason := range d.Reasons {
			t.Reasons[reason] = true
		}
		if example := d.String(); d.Result == Changed && (t.Changed == "" || len(example) < len(t.Changed)) {
			t.Changed = fmt.Sprintf("seed %d\n%s", seed, example)
		}
	}
	return t, nil
}

// Tables returns the tallies as tables in Markdown. The first has the results in all formats together. The
// others have a column for each format: of formats with elements, and of the others. A cell is the share of
// writings that are read as they were meant, or as the damaged text spells them.
func Tables(tallies []*Tally) []string {
	return []string{table(tallies, []string{"exact", "as written", "kept as text", "refused", "changed silently"}, func(row []*Tally, column int) string {
		return share(row, Result(column))
	}), formatTable(tallies, formatsIn(elements)), formatTable(tallies, formatsIn(objects))}
}

// formatTable returns a table with a column for each of the formats.
func formatTable(tallies []*Tally, names []string) string {
	return table(tallies, names, func(row []*Tally, column int) string {
		i := slices.IndexFunc(row, func(t *Tally) bool { return t.Kind.Format == names[column] })
		if i < 0 {
			return ""
		}
		return share(row[i:i+1], Exact, AsWritten)
	})
}

// table returns a table with a row for each kind of damage that has any cells. row has the tallies of a damage.
func table(tallies []*Tally, columns []string, cell func(row []*Tally, column int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| damage | what is made of it | %s |\n|---|---|%s\n", strings.Join(columns, " | "), strings.Repeat("--:|", len(columns)))
	for len(tallies) > 0 {
		k := tallies[0].Kind
		n := max(slices.IndexFunc(tallies, func(t *Tally) bool { return t.Kind.damage != k.damage }), 0)
		if n == 0 {
			n = len(tallies)
		}
		var cells strings.Builder
		for i := range columns {
			cells.WriteString(strings.Replace(" "+cell(tallies[:n], i)+" |", "  ", " ", 1))
		}
		if strings.Trim(cells.String(), " |") != "" {
			fmt.Fprintf(&b, "| %s | %s |%s\n", strings.NewReplacer("|", `\|`, "<", `\<`).Replace(k.name), k.documented, cells.String())
		}
		tallies = tallies[n:]
	}
	return b.String()
}

// share returns the share of the results in percent, or "" for none.
func share(row []*Tally, results ...Result) string {
	sum, n := 0, 0
	for _, t := range row {
		for r, count := range t.Count {
			sum += count
			if slices.Contains(results, Result(r)) {
				n += count
			}
		}
	}
	if n == 0 && len(row) > 1 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(sum, 1)))
}
