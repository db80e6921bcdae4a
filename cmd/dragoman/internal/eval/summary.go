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
	Kinds   []KindRow // right first answers by kind of question; nil if there is only one kind
	Wrong   []Record  // wrong answers, and questions without an answer
}

// Summary has the figures of one format. What is not in Score covers loops, too.
type Summary struct {
	Format       string
	Score                // of the questions whose first answer counts
	Loops        Score   // of the whole loops
	Stuck        int     // the number of loops in which the model wrote nothing, or repeated a call
	Calls        int     // calls that the model began to write
	Malformed    int     // the number of Calls that were not clean
	Outcomes     []Count // Calls by how they were read, sorted by name
	Reasons      []Count // by outcome and reason, sorted by name
	InputTokens  int
	OutputTokens int
	P50, P95     int64 // milliseconds for an answer

	records []Record // of the questions, in the same order for all formats
}

// Score says how many questions are right.
type Score struct {
	Questions int
	Failed    int // the number of Questions without an answer
	Right     int // of Questions
}

// add counts a record.
func (s *Score) add(r Record) {
	s.Questions++
	switch {
	case r.Error != "":
		s.Failed++
	case r.right():
		s.Right++
	}
}

// String returns how many are right, as "3 of 4".
func (s Score) String() string { return fmt.Sprintf("%d of %d", s.Right, s.Questions) }

// Count is a name and how often it was counted.
type Count struct {
	Name string
	N    int
}

// KindRow has the number of right answers to questions of one kind.
type KindRow struct {
	Kind  string
	Cells []string // by format, in the order of [Report.Formats]: "3 of 4"
}

// right reports whether there is a right answer.
func (r Record) right() bool { return r.Error == "" && r.Wrong == "" }

// newReport returns the report of a run with these records, the last one of each question.
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
		if !record.Loop && !slices.Contains(kinds, record.Kind) {
			kinds = append(kinds, record.Kind)
		}
	}
	if len(kinds) > 1 {
		for _, kind := range kinds {
			row := KindRow{Kind: kind}
			for _, format := range o.Formats {
				var s Score
				for _, record := range byFormat[format] {
					if !record.Loop && record.Kind == kind {
						s.add(record)
					}
				}
				row.Cells = append(row.Cells, s.String())
			}
			r.Kinds = append(r.Kinds, row)
		}
	}
	return r
}

// mostKinds is the number of kinds of questions that get a column in the table for a terminal.
const mostKinds = 6

// columns returns the heads of the table for a terminal, including the kinds of questions if they are few.
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

// summarize returns the figures of one format's records. Questions without an answer count only as failed.
func summarize(format string, records []Record) Summary {
	s := Summary{Format: format, records: records}
	outcomes, reasons := map[string]int{}, map[string]int{}
	var times []int64
	for _, r := range records {
		score := &s.Score
		if r.Loop {
			score = &s.Loops
		}
		score.add(r)
		if r.Error != "" {
			continue
		}
		if r.stuck() {
			s.Stuck++
		}
		for kind, n := range r.Outcomes {
			outcomes[kind] += n
			if kind == string(messages.OutcomeEmpty) { // not a call
				continue
			}
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
		times = append(times, r.Milliseconds/int64(max(1, r.Answers)))
	}
	s.Outcomes, s.Reasons = counts(outcomes), counts(reasons)
	slices.Sort(times)
	s.P50, s.P95 = rank(times, 50), rank(times, 95)
	return s
}

// counts returns the numbers of a map, sorted by name.
func counts(m map[string]int) (list []Count) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, Count{name, m[name]})
	}
	return list
}

// rank returns a percentile of a sorted list by the nearest rank: the lowest value that is not below percent percent of
// the values. It is 0 for an empty list.
func rank(sorted []int64, percent int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*percent+99)/100-1]
}

// percent returns a part of a whole as text, such as "12.5 %", and a dash if the whole is 0.
func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// Failed returns how many questions got no answer.
func (r *Report) Failed() (n int) {
	for _, s := range r.Formats {
		n += s.Failed + s.Loops.Failed
	}
	return n
}

// firstError returns the error of the first question without an answer. There must be one: see Failed.
func (r *Report) firstError() string {
	i := slices.IndexFunc(r.Wrong, func(record Record) bool { return record.Error != "" })
	return r.Wrong[i].Error
}

// loopsCell returns how many loops are right, and a dash if none was asked.
func (s Summary) loopsCell() string {
	if s.Loops.Questions == 0 {
		return "–"
	}
	return s.Loops.String()
}

// columns are the heads of the table of formats. cells returns the values.
var columns = []string{"format", "questions", "right", "accuracy", "loops", "calls", "malformed", "tokens in", "tokens out", "p50 ms", "p95 ms"}

// cells returns a row of that table. The accuracy is the share of right answers among the answered questions: an
// upstream's failure says nothing about the model.
func (s Summary) cells() []string {
	return []string{
		s.Format, fmt.Sprint(s.Questions), fmt.Sprint(s.Right), percent(s.Right, s.Questions-s.Failed), s.loopsCell(),
		fmt.Sprint(s.Calls), percent(s.Malformed, s.Calls),
		fmt.Sprint(s.InputTokens), fmt.Sprint(s.OutputTokens), fmt.Sprint(s.P50), fmt.Sprint(s.P95),
	}
}
