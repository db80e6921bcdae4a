package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"dragoman/conformance"
)

// outcome is what came of a case with a client.
type outcome int

const (
	missing outcome = iota // the client could not be had
	passed
	failed
	excused
)

func (o outcome) text() string { return []string{"skipped", "ok", "FAILED", "-"}[o] }

func (o outcome) markdown() string { return []string{"skipped", "✓", "**fails**", "–"}[o] }

// table is a row for each case and a column for each client, and below it why what is excused is.
func table(results [][]outcome, markdown bool) string {
	rows := [][]string{{"case"}}
	for _, c := range clients {
		rows[0] = append(rows[0], c.name+" "+c.release)
	}
	for i, test := range conformance.Cases {
		row := []string{test.Name}
		for _, outcomes := range results {
			var o outcome
			if i < len(outcomes) {
				o = outcomes[i]
			}
			if markdown {
				row = append(row, o.markdown())
			} else {
				row = append(row, o.text())
			}
		}
		rows = append(rows, row)
	}
	var out strings.Builder
	if markdown {
		rows = slices.Insert(rows, 1, slices.Repeat([]string{"---"}, len(rows[0])))
		for _, row := range rows {
			fmt.Fprintf(&out, "| %s |\n", strings.Join(row, " | "))
		}
	} else {
		columns := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
		for _, row := range rows {
			fmt.Fprintln(columns, strings.Join(row, "\t"))
		}
		_ = columns.Flush() // a builder takes everything
	}
	for _, line := range reasons() {
		fmt.Fprintf(&out, "\n%s\n", line)
	}
	return out.String()
}

// reasons says once for each why a library fails a case.
func reasons() []string {
	var lines []string
	for _, c := range clients {
		for _, test := range conformance.Cases {
			if reason := c.cannot[test.Name]; reason != "" {
				lines = append(lines, fmt.Sprintf("– %s, %s: %s.", c.name, test.Name, reason))
			}
		}
	}
	return slices.Compact(lines)
}

// The lines in the README that the table stands between.
const (
	begins = "<!-- conformance: make conformance ARGS=-markdown -->\n"
	ends   = "<!-- /conformance -->\n"
)

// TestREADME holds the table of the README against that of a run in which nothing fails: [TestClients]
// is that run.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), begins)
	block, _, closed := strings.Cut(rest, ends)
	if !found || !closed {
		t.Fatalf("the README has no table between %q and %q", begins, ends)
	}
	results := make([][]outcome, len(clients))
	for i, c := range clients {
		for _, test := range conformance.Cases {
			result := passed
			if c.cannot[test.Name] != "" {
				result = excused
			}
			results[i] = append(results[i], result)
		}
	}
	if want := table(results, true); block != want {
		t.Errorf("the README has\n%s\nwant\n%s", block, want)
	}
}
