package docs_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestJudged holds that the tables of docs/explanation/measurements.md are counted from the answers in docs/explanation/evaluation/,
// which are the results of `dragoman eval`.
func TestJudged(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "docs/explanation/evaluation/*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no answers: %v", err)
	}
	var right, outcomes strings.Builder
	right.WriteString("| model | asked by | one call | several tools, one call | several calls | **all calls right** | no tool fits: no call | tokens in, out |\n" +
		"| --- | --- | --: | --: | --: | --: | --: | --: |\n")
	outcomes.WriteString("| model | asked by | calls not read as clean |\n| --- | --- | --- |\n")
	for _, file := range files {
		byFormat, order := readJudged(t, file)
		for _, format := range order {
			n, of := map[string]int{}, map[string]int{}
			reasons := map[string]int{}
			var model string
			var in, out int
			for _, a := range byFormat[format] {
				model, in, out = a.Model, in+a.InputTokens, out+a.OutputTokens
				kinds := []string{a.Kind}
				if a.Kind != "irrelevance" {
					kinds = append(kinds, "calls")
				}
				for _, kind := range kinds {
					of[kind]++
					if a.Wrong == "" {
						n[kind]++
					}
				}
				for reason, count := range a.Reasons {
					reasons[reason] += count
				}
			}
			share := func(kind string) string { return fmt.Sprintf("%d of %d", n[kind], of[kind]) }
			answers := len(byFormat[format])
			fmt.Fprintf(&right, "| %s | `%s` | %s | %s | %s | **%s** | %s | %d, %d |\n", model, format, share("simple_python"), share("multiple"),
				share("parallel"), share("calls"), share("irrelevance"), in/answers, out/answers)
			var list []string
			for _, reason := range slices.Sorted(maps.Keys(reasons)) {
				list = append(list, fmt.Sprintf("%d %s", reasons[reason], reason))
			}
			fmt.Fprintf(&outcomes, "| %s | `%s` | %s |\n", model, format, strings.Join(list, ", "))
		}
	}
	holdPart(t, "docs/explanation/measurements.md", "judged answers", right.String()+"\n"+outcomes.String())
}

// judged is one answer in a results.jsonl.
type judged struct {
	Model, Format, Kind, Wrong string
	Reasons                    map[string]int
	InputTokens                int `json:"input_tokens"`
	OutputTokens               int `json:"output_tokens"`
}

// readJudged returns the answers of a file by the way that the tools were shown, and these ways in their order.
func readJudged(t *testing.T, file string) (byFormat map[string][]judged, order []string) {
	t.Helper()
	path, err := filepath.Rel(root, file)
	if err != nil {
		t.Fatal(err)
	}
	byFormat = map[string][]judged{}
	for line := range strings.Lines(read(t, path)) {
		var a judged
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if byFormat[a.Format] == nil {
			order = append(order, a.Format)
		}
		byFormat[a.Format] = append(byFormat[a.Format], a)
	}
	return byFormat, order
}
