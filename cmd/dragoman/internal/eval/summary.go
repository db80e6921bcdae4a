package eval

import (
	"fmt"
	"maps"
	"slices"

	"dragoman/translate/messages"
)

// Report is what came of a run.
type Report struct {
	About
	Model   string
	Formats []Summary
	Kinds   []KindRow // how right the answers are by what they are about; nil if all are of one kind
	Wrong   []Record  // answers that are not right, and questions without one
}

// Summary is how a format did.
type Summary struct {
	Format       string
	Questions    int
	Failed       int // of them: no answer
	Right        int
	Calls        int // that were begun
	Malformed    int // of them: not read as clean
	Outcomes     []Count
	InputTokens  int
	OutputTokens int
	P50, P95     int64 // milliseconds for an answer
}

// Count is how often something was.
type Count struct {
	Name string
	N    int
}

// KindRow is how many answers are right of one kind, by format.
type KindRow struct {
	Kind  string
	Cells []string
}

// right reports whether there is an answer, and nothing wrong with it.
func (r Record) right() bool { return r.Error == "" && r.Wrong == "" }

func newReport(o Options, records []Record) *Report {
	r := &Report{About: o.About, Model: o.Model.Name}
	byFormat := map[string][]Record{}
	for _, record := range records {
		byFormat[record.Format] = append(byFormat[record.Format], record)
		if !record.right() {
			r.Wrong = append(r.Wrong, record)
		}
	}
	for _, format := range o.Formats {
		r.Formats = append(r.Formats, summarize(format, byFormat[format]))
	}
	var kinds []string
	for _, record := range records {
		if !slices.Contains(kinds, record.Kind) {
			kinds = append(kinds, record.Kind)
		}
	}
	if len(kinds) > 1 {
		for _, kind := range kinds {
			row := KindRow{Kind: kind}
			for _, format := range o.Formats {
				row.Cells = append(row.Cells, kindCell(byFormat[format], kind))
			}
			r.Kinds = append(r.Kinds, row)
		}
	}
	return r
}

func kindCell(records []Record, kind string) string {
	right, all := 0, 0
	for _, record := range records {
		if record.Kind != kind {
			continue
		}
		all++
		if record.right() {
			right++
		}
	}
	return fmt.Sprintf("%d of %d", right, all)
}

func summarize(format string, records []Record) Summary {
	s := Summary{Format: format, Questions: len(records)}
	outcomes := map[string]int{}
	var times []int64
	for _, r := range records {
		if r.Error != "" {
			s.Failed++
			continue
		}
		if r.right() {
			s.Right++
		}
		for kind, n := range r.Outcomes {
			outcomes[kind] += n
			s.Calls += n
			if kind != string(messages.OutcomeClean) {
				s.Malformed += n
			}
		}
		s.InputTokens += r.InputTokens
		s.OutputTokens += r.OutputTokens
		times = append(times, r.Milliseconds)
	}
	for _, name := range slices.Sorted(maps.Keys(outcomes)) {
		s.Outcomes = append(s.Outcomes, Count{name, outcomes[name]})
	}
	slices.Sort(times)
	s.P50, s.P95 = rank(times, 50), rank(times, 95)
	return s
}

// rank returns the value that so many percent of the sorted list do not exceed.
func rank(sorted []int64, percent int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*percent+99)/100-1]
}

// percent writes a part of a whole; of nothing it is a dash.
func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// Failed returns how many questions got no answer.
func (r *Report) Failed() (n int) {
	for _, s := range r.Formats {
		n += s.Failed
	}
	return n
}

func (r *Report) firstError() string {
	i := slices.IndexFunc(r.Wrong, func(record Record) bool { return record.Error != "" })
	return r.Wrong[i].Error
}

// columns are the heads of the table.
var columns = []string{"format", "questions", "right", "accuracy", "calls", "malformed", "tokens in", "tokens out", "p50 ms", "p95 ms"}

// cells is a row of the table. The accuracy is that of the questions that were answered.
func (s Summary) cells() []string {
	return []string{
		s.Format, fmt.Sprint(s.Questions), fmt.Sprint(s.Right), percent(s.Right, s.Questions-s.Failed),
		fmt.Sprint(s.Calls), percent(s.Malformed, s.Calls),
		fmt.Sprint(s.InputTokens), fmt.Sprint(s.OutputTokens), fmt.Sprint(s.P50), fmt.Sprint(s.P95),
	}
}
