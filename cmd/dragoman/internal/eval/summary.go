package eval

import (
	"fmt"
	"maps"
	"slices"

	"dragoman/translate/messages"
)

// Report has the figures of a run, and what was wrong.
type Report struct {
	About
	Model   string
	Formats []Summary
	Kinds   []KindRow // right answers by kind of question; nil if all are of one kind
	Wrong   []Record  // answers that are not right, and questions without one
}

// Summary has the figures of one format.
type Summary struct {
	Format       string
	Questions    int
	Failed       int     // of Questions: those that got no answer
	Right        int     // of Questions
	Calls        int     // that the model began to write
	Malformed    int     // of Calls: those that were read in any other way than clean
	Outcomes     []Count // Calls by how they were read, in the order of the names
	Reasons      []Count // by outcome and reason, likewise
	InputTokens  int
	OutputTokens int
	P50, P95     int64 // milliseconds for an answer
}

// Count is a name and how often it was counted.
type Count struct {
	Name string
	N    int
}

// KindRow says how many answers to questions of one kind are right.
type KindRow struct {
	Kind  string
	Cells []string // by format, in the order of [Report.Formats]: "3 of 4"
}

// right reports whether there is an answer, and nothing wrong with it.
func (r Record) right() bool { return r.Error == "" && r.Wrong == "" }

// newReport returns the report of a run with these records, the last of each question.
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

// kindCell returns how many of the records of a kind are right, as "3 of 4".
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

// mostKinds is how many kinds of questions the table of a terminal has columns for.
const mostKinds = 6

// columns returns the heads of the table for a terminal: with the kinds of questions, if they are few.
func (r *Report) columns() []string {
	all := slices.Clone(columns)
	if len(r.Kinds) <= mostKinds {
		for _, k := range r.Kinds {
			all = append(all, k.Kind)
		}
	}
	return all
}

// row returns the row of a format in that table.
func (r *Report) row(i int) []string {
	all := r.Formats[i].cells()
	if len(r.Kinds) <= mostKinds {
		for _, k := range r.Kinds {
			all = append(all, k.Cells[i])
		}
	}
	return all
}

// summarize returns the figures of the records of one format. Questions without an answer
// count as failed and in no other figure.
func summarize(format string, records []Record) Summary {
	s := Summary{Format: format, Questions: len(records)}
	outcomes, reasons := map[string]int{}, map[string]int{}
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
		for name, n := range r.Reasons {
			reasons[name] += n
		}
		s.InputTokens += r.InputTokens
		s.OutputTokens += r.OutputTokens
		times = append(times, r.Milliseconds)
	}
	s.Outcomes, s.Reasons = counts(outcomes), counts(reasons)
	slices.Sort(times)
	s.P50, s.P95 = rank(times, 50), rank(times, 95)
	return s
}

// counts returns the numbers of a map in the order of their names.
func counts(m map[string]int) (list []Count) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, Count{name, m[name]})
	}
	return list
}

// rank returns the percentile of a sorted list by the nearest rank: the lowest of its
// values that at least so many percent of them do not exceed. It is 0 for an empty list.
func rank(sorted []int64, percent int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*percent+99)/100-1]
}

// percent returns a part of a whole as text, such as "12.5 %", and a dash if the whole is
// 0.
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

// firstError returns the error of the first question without an answer. There has to be
// one: see Failed.
func (r *Report) firstError() string {
	i := slices.IndexFunc(r.Wrong, func(record Record) bool { return record.Error != "" })
	return r.Wrong[i].Error
}

// columns are the heads of the table of formats. cells has their values.
var columns = []string{"format", "questions", "right", "accuracy", "calls", "malformed", "tokens in", "tokens out", "p50 ms", "p95 ms"}

// cells returns a row of that table. The accuracy is the share of right answers among the
// questions that were answered: a failure of the upstream says nothing of the model.
func (s Summary) cells() []string {
	return []string{
		s.Format, fmt.Sprint(s.Questions), fmt.Sprint(s.Right), percent(s.Right, s.Questions-s.Failed),
		fmt.Sprint(s.Calls), percent(s.Malformed, s.Calls),
		fmt.Sprint(s.InputTokens), fmt.Sprint(s.OutputTokens), fmt.Sprint(s.P50), fmt.Sprint(s.P95),
	}
}
