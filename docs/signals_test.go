package docs_test

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestSignals holds that docs/operations.md has a row for each metric, of what to do when it moves, and
// for each field of the line of an exchange.
func TestSignals(t *testing.T) {
	page := read(t, "docs/operations.md")
	metric := regexp.MustCompile(`r\.(?:gauge|gauges|counter|counters|histograms)\("([a-z_]+)"`)
	var metrics strings.Builder
	for _, file := range files(t, ".go") {
		if path.Dir(file) == "metrics" {
			metrics.WriteString(read(t, file))
		}
	}
	checkRows(t, below(t, page, "### When one moves"), metric.FindAllStringSubmatch(metrics.String(), -1), 20)

	line := read(t, "proxy/record_log.go")
	line, _, _ = strings.Cut(line[strings.Index(line, ") log() {"):], "\n}\n")
	field := regexp.MustCompile(`(?:\{|\b(?:Str|Int|Int64|Bool|Float64|Strs)\()"([a-z_]+)"`)
	checkRows(t, below(t, page, "### Its fields"), field.FindAllStringSubmatch(line, -1), 25)
}

// below returns what stands below a heading, up to the next one.
func below(t *testing.T, page, heading string) string {
	t.Helper()
	_, text, ok := strings.Cut(page, "\n"+heading+"\n")
	if !ok {
		t.Fatalf("there is no %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n#")
	return text
}

// checkRows holds that each name stands in the first column of a row that says something, and that there
// are at least as many names as it is known.
func checkRows(t *testing.T, table string, names [][]string, least int) {
	t.Helper()
	if len(names) < least {
		t.Fatalf("%d names were found: %q", len(names), names)
	}
	for _, name := range names {
		row := regexp.MustCompile("(?m)^\\| [^|]*`" + name[1] + "`[^|]*\\| [^| ][^|]* \\|")
		if !row.MatchString(table) {
			t.Errorf("docs/operations.md has no row for %s", name[1])
		}
	}
}
