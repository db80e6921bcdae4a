package eval

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the report and the table into testdata")

// goldenReport returns a report with everything that a report can show.
func goldenReport() *Report {
	records := []Record{
		{Format: "legacy", ID: "a", Kind: "string", Outcomes: map[string]int{"clean": 1}, InputTokens: 100, OutputTokens: 20, Milliseconds: 900},
		{Format: "legacy", ID: "b", Kind: "string", Wrong: `f: x is "<b>|_*", expected: "` + "`1`" + `"`, Outcomes: map[string]int{"repaired": 1, "clean": 2}, Reasons: map[string]int{"repaired missing_closer": 1}, InputTokens: 110, OutputTokens: 40, Milliseconds: 1200},
		{Format: "legacy", ID: "c", Kind: "none", InputTokens: 90, OutputTokens: 9, Milliseconds: 300},
		{Format: "legacy", ID: "d", Kind: "loop", Loop: true, Answers: 3, Outcomes: map[string]int{"clean": 2}, InputTokens: 300, OutputTokens: 60, Milliseconds: 1800},
		{Format: "legacy", ID: "e", Kind: "loop", Loop: true, Answers: 2, Wrong: "the last answer is empty", Outcomes: map[string]int{"clean": 1, "empty": 1}, InputTokens: 200, OutputTokens: 20, Milliseconds: 800},
		{Format: "json", ID: "a", Kind: "string", Outcomes: map[string]int{"clean": 1}, InputTokens: 80, OutputTokens: 10, Milliseconds: 700},
		{Format: "json", ID: "b", Kind: "string", Error: "529 overloaded_error: <later>"},
		{Format: "json", ID: "c", Kind: "none", InputTokens: 70, OutputTokens: 5, Milliseconds: 100},
		{Format: "json", ID: "d", Kind: "loop", Loop: true, Error: "529 overloaded_error: later"},
		{Format: "json", ID: "e", Kind: "loop", Loop: true, Answers: 2, Outcomes: map[string]int{"clean": 1}, InputTokens: 180, OutputTokens: 22, Milliseconds: 900},
	}
	return newReport(Options{
		Model: Model{Name: "claude-<2>"}, Formats: []string{"legacy", "json"},
		About: About{Set: "set.jsonl", Upstream: "east/text", Simulated: true, Version: "v1", LeftOut: []error{errors.New("set.jsonl:2: messages.0: <empty>")}},
	}, records)
}

func TestReportGolden(t *testing.T) {
	folder := t.TempDir()
	if err := goldenReport().write(folder); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := goldenReport().WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{
		"report.md": readFile(t, folder, MarkdownFile), "table.txt": table.String(),
	} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want := readFile(t, path); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestRank(t *testing.T) {
	for _, test := range []struct {
		list     []int64
		p50, p95 int64
	}{
		{nil, 0, 0},
		{[]int64{7}, 7, 7},
		{[]int64{1, 2}, 1, 2},
		{[]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, 10, 19},
	} {
		if p50, p95 := rank(test.list, 50), rank(test.list, 95); p50 != test.p50 || p95 != test.p95 {
			t.Errorf("%v: %d and %d", test.list, p50, p95)
		}
	}
}
