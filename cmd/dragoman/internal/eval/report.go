package eval

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteTable writes the figures as a table for a terminal.
func (r *Report) WriteTable(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.Join(r.columns(), "\t"))
	for i := range r.Formats {
		fmt.Fprintln(table, strings.Join(r.row(i), "\t"))
	}
	if err := table.Flush(); err != nil || r.leftOut() == "" {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", r.leftOut())
	return err
}

// write writes the report into a folder, which is there.
func (r *Report) write(folder string) error {
	return os.WriteFile(filepath.Join(folder, MarkdownFile), []byte(r.markdown()), 0o644)
}

// chart shows a figure of each format as a bar.
type chart struct {
	title string
	bars  []bar
}

// bar is one bar of a chart: the name before it, the figure behind it, and its length.
type bar struct {
	label, text string
	share       float64 // of the longest possible bar, from 0 to 1
}

// charts returns the charts of the report. Of percentages the longest possible
// bar is 100 %, of other figures it is the longest bar of the chart.
func (r *Report) charts() []chart {
	share := func(title string, of func(Summary) (part, whole int)) chart {
		c := chart{title: title}
		for _, s := range r.Formats {
			part, whole := of(s)
			c.bars = append(c.bars, bar{s.Format, percent(part, whole), float64(part) / float64(max(whole, 1))})
		}
		return c
	}
	length := func(title string, of ...func(Summary) (string, int64)) chart {
		c := chart{title: title}
		longest := int64(1)
		for _, s := range r.Formats {
			for _, f := range of {
				_, n := f(s)
				longest = max(longest, n)
			}
		}
		for _, s := range r.Formats {
			for _, f := range of {
				name, n := f(s)
				c.bars = append(c.bars, bar{strings.TrimSpace(s.Format + " " + name), fmt.Sprint(n), float64(n) / float64(longest)})
			}
		}
		return c
	}
	return []chart{
		share("Accuracy", func(s Summary) (int, int) { return s.Right, s.Questions - s.Failed }),
		share("Malformed calls", func(s Summary) (int, int) { return s.Malformed, s.Calls }),
		length("Tokens",
			func(s Summary) (string, int64) { return "in", int64(s.InputTokens) },
			func(s Summary) (string, int64) { return "out", int64(s.OutputTokens) }),
		length("Milliseconds for an answer",
			func(s Summary) (string, int64) { return "p50", s.P50 },
			func(s Summary) (string, int64) { return "p95", s.P95 }),
	}
}

// shownWrong is how many answers that are not right a report lists at most. The results
// have all of them.
const shownWrong = 200

// wrongRows returns the rows of the table of answers that are not right: the format, the
// id of the question, and what is wrong.
func (r *Report) wrongRows() [][]string {
	var rows [][]string
	for _, w := range r.Wrong[:min(len(r.Wrong), shownWrong)] {
		why := w.Wrong
		if w.Error != "" {
			why = "no answer: " + w.Error
		}
		rows = append(rows, []string{w.Format, w.ID, why})
	}
	return rows
}

// markdown returns the report as Markdown, with charts of characters.
func (r *Report) markdown() string {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s on %s\n\n%s\n\n", plain(r.Model), plain(r.Set), plain(r.intro()))
	markdownTable(&out, columns, rowsOf(r.Formats))
	for _, c := range r.charts() {
		fmt.Fprintf(&out, "\n## %s\n\n```\n", c.title)
		for _, b := range c.bars {
			full := int(b.share*barWidth + 0.5)
			fmt.Fprintf(&out, "%-14s %s%s %s\n", b.label, strings.Repeat("█", full), strings.Repeat("░", barWidth-full), b.text)
		}
		out.WriteString("```\n")
	}
	out.WriteString("\n## How calls were read\n\n")
	markdownTable(&out, outcomeColumns, r.outcomeRows())
	if r.Kinds != nil {
		out.WriteString("\n## Right, by kind\n\n")
		head, rows := r.kindTable()
		markdownTable(&out, head, rows)
	}
	if len(r.Wrong) > 0 {
		fmt.Fprintf(&out, "\n## Not right: %d\n\n", len(r.Wrong))
		markdownTable(&out, []string{"format", "question", "why"}, r.wrongRows())
	}
	return out.String()
}

// intro returns the first paragraph: who was asked, and what the figures mean.
func (r *Report) intro() string {
	asked := fmt.Sprintf("Asked through %s by dragoman %s.", r.Upstream, r.Version)
	if r.Simulated {
		asked = "Simulated: a built-in program answered, not a model; the figures say nothing of one. " + asked
	}
	if left := r.leftOut(); left != "" {
		asked += " " + left
	}
	return asked + " Malformed are the calls that were read in any other way than clean."
}

// leftOut returns sentences about the questions that were not asked, "" if there are
// none.
func (r *Report) leftOut() string {
	var s []string
	if len(r.LeftOut) > 0 {
		s = append(s, fmt.Sprintf("Questions left out, because the Messages API does not take them: %d; the first: %v.", len(r.LeftOut), r.LeftOut[0]))
	}
	if r.Unasked > 0 {
		s = append(s, fmt.Sprintf("Questions left out, because the time was up: %d.", r.Unasked))
	}
	return strings.Join(s, " ")
}

// rowsOf returns the rows of the table of formats.
func rowsOf(list []Summary) [][]string {
	var rows [][]string
	for _, s := range list {
		rows = append(rows, s.cells())
	}
	return rows
}

// outcomeColumns are the heads of the table of how calls were read. outcomeRows has its rows.
var outcomeColumns = []string{"format", "outcomes", "reasons"}

// outcomeRows returns a row for each format: its name, how its calls were read, and why they are not
// clean.
func (r *Report) outcomeRows() [][]string {
	list := func(counts []Count) string {
		var s []string
		for _, c := range counts {
			s = append(s, fmt.Sprintf("%s %d", c.Name, c.N))
		}
		return strings.Join(s, ", ")
	}
	var rows [][]string
	for _, s := range r.Formats {
		rows = append(rows, []string{s.Format, list(s.Outcomes), list(s.Reasons)})
	}
	return rows
}

// kindTable returns the table of right answers, with a row for each kind of question and a
// column for each format.
func (r *Report) kindTable() (head []string, rows [][]string) {
	head = []string{"kind"}
	for _, s := range r.Formats {
		head = append(head, s.Format)
	}
	for _, k := range r.Kinds {
		rows = append(rows, append([]string{k.Kind}, k.Cells...))
	}
	return head, rows
}

// markdownEscapes makes one line of a text, and escapes what Markdown would read as its
// own: models and test sets may say anything.
var markdownEscapes = strings.NewReplacer("\n", " ", "\r", " ", "|", `\|`, "<", "&lt;", "`", "&#96;", "*", `\*`, "_", `\_`, "[", `\[`)

// plain returns a text as one line that Markdown shows as it is.
func plain(s string) string { return markdownEscapes.Replace(s) }

// markdownTable writes a table whose cells hold plain text.
func markdownTable(out *strings.Builder, head []string, rows [][]string) {
	write := func(row []string) { fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | ")) }
	write(head)
	write(slices.Repeat([]string{"---"}, len(head)))
	for _, row := range rows {
		safe := make([]string, len(row))
		for i, text := range row {
			safe[i] = plain(text)
		}
		write(safe)
	}
}
