package clients

import (
	"flag"
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

// cell is what came of a case with a client.
func cell(c client, test string, o outcome, markdown bool) string {
	text := o.text()
	if markdown {
		text = o.markdown()
	}
	if made := cuts[c.name].open; test == conformance.CutCall && o == passed {
		if made == conformance.Mends {
			return made.String()
		}
		return text + " " + made.String()
	}
	return text
}

// aboutCuts says what is in the column of calls that were cut.
const aboutCuts = "cut call: the token limit cuts a call within a value, and its JSON is left open. The library refuses the call, or drops what is not whole. " +
	"One that mends the JSON is given whole values, and no other: `stream_values: whole`."

// table is a row for each client and a column for each case, and below it what is to be said of them.
func table(results [][]outcome, markdown bool) string {
	rows := [][]string{{"client", "API"}}
	for _, test := range conformance.Cases {
		rows[0] = append(rows[0], test.Name)
	}
	for i, c := range clients {
		row := []string{c.name + " " + c.release, c.api}
		for j := range conformance.Cases {
			var o outcome
			if j < len(results[i]) {
				o = results[i][j]
			}
			row = append(row, cell(c, conformance.Cases[j].Name, o, markdown))
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
	for _, line := range slices.Insert(reasons(), 0, aboutCuts) {
		fmt.Fprintf(&out, "\n%s\n", line)
	}
	return out.String()
}

// reasons says once for each library why it fails a case, and what it makes of a call that was cut.
func reasons() []string {
	var lines []string
	for _, c := range clients {
		for _, test := range conformance.Cases {
			reason := c.cannot[test.Name]
			if test.Name == conformance.CutCall && reason == "" {
				reason = cuts[c.name].how
			}
			line := fmt.Sprintf("– %s, %s: %s.", c.name, test.Name, reason)
			if reason != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// update has the table in the README written.
var update = flag.Bool("update", false, "write the table of the README")

// The lines in the README that the table stands between.
const (
	begins = "<!-- conformance: make conformance ARGS=-update -->\n"
	ends   = "<!-- /conformance -->\n"
)

// TestREADME holds the table of the README against that of a run in which nothing fails: [TestClients]
// is that run.
func TestREADME(t *testing.T) {
	path := filepath.Join("..", "..", "README.md")
	readme, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(readme), begins)
	block, after, closed := strings.Cut(rest, ends)
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
	want := table(results, true)
	switch {
	case block == want:
	case *update:
		if err := os.WriteFile(path, []byte(before+begins+want+ends+after), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the README has\n%s\nwant\n%s", block, want)
	}
}
