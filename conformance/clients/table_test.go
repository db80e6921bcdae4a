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

// outcome is the result of a case with a client.
type outcome int

const (
	missing outcome = iota // the client could not be installed
	passed
	failed
	excused
)

func (o outcome) text() string { return []string{"skipped", "ok", "FAILED", "-"}[o] }

func (o outcome) markdown() string { return []string{"skipped", "✓", "**fails**", "–"}[o] }

// cell is the result of a case with a client, for the table.
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

// aboutCuts explains the column of cut calls.
const aboutCuts = "cut call: the token limit cuts a call inside a value. By default, a library gets the complete parameters, in JSON that stays open: " +
	"it refuses the call, or drops the incomplete value. With `stream_values: flow`, it also gets the beginning of the value. `mends` means that it then closes the JSON, so an agent may run half a value."

// table has a row for each client and a column for each case. The notes come below it.
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
		_ = columns.Flush() // cannot fail: a builder accepts everything
	}
	for _, line := range slices.Insert(reasons(), 0, aboutCuts) {
		fmt.Fprintf(&out, "\n%s\n", line)
	}
	return out.String()
}

// reasons says why libraries fail a case, and what they do with a cut call. It has each reason once, with all
// libraries that it applies to, in the order of the columns.
func reasons() []string {
	var lines []string
	for _, test := range conformance.Cases {
		of := map[string][]string{}
		var said []string // the keys of of, in the order of the clients
		for _, c := range clients {
			reason := c.cannot[test.Name]
			if test.Name == conformance.CutCall && reason == "" {
				reason = cuts[c.name].how
			}
			if reason == "" || slices.Contains(of[reason], c.name) {
				continue
			}
			if of[reason] == nil {
				said = append(said, reason)
			}
			of[reason] = append(of[reason], c.name)
		}
		for _, reason := range said {
			lines = append(lines, fmt.Sprintf("– %s (%s): %s.", test.Name, strings.Join(of[reason], ", "), reason))
		}
	}
	return lines
}

// update writes the table into the page.
var update = flag.Bool("update", false, "write the table of docs/reference/tested-clients.md")

// page has the table, between two marker lines.
var page = filepath.Join("..", "..", "docs", "reference", "tested-clients.md")

const (
	begins = "<!-- conformance: make conformance ARGS=-update -->\n"
	ends   = "<!-- /conformance -->\n"
)

// TestPage compares the table in the page with the table of a run without failures. [TestClients] is that
// run.
func TestPage(t *testing.T) {
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), begins)
	block, after, closed := strings.Cut(rest, ends)
	if !found || !closed {
		t.Fatalf("%s has no table between %q and %q", page, begins, ends)
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
		if err := os.WriteFile(page, []byte(before+begins+want+ends+after), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has\n%s\nwant\n%s", page, block, want)
	}
}
