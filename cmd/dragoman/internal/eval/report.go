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

// write writes the report into an existing folder.
func (r *Report) write(folder string) error {
	return os.WriteFile(filepath.Join(folder, MarkdownFile), []byte(r.markdown()), 0o644)
}

// shownWrong limits the wrong answers in a report. The results have all of them.
const shownWrong = 200

// wrongRows returns the rows of the table of wrong answers: the format, the question's id, and what is wrong.
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

// markdown returns the report as Markdown.
func (r *Report) markdown() string {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s on %s\n\n%s\n\n", plain(r.Model), plain(r.Set), plain(r.intro()))
	markdownTable(&out, columns, rowsOf(r.Formats))
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
		asked = "Simulated: a built-in program answered, not a model; the figures say nothing about models. " + asked
	}
	if left := r.leftOut(); left != "" {
		asked += " " + left
	}
	return asked + " Malformed are the calls that were read in any other way than clean."
}

// leftOut returns sentences about what was not asked; "" if everything was.
func (r *Report) leftOut() string {
	var s []string
	if len(r.LeftOut) > 0 {
		s = append(s, fmt.Sprintf("Questions left out, because the Messages API does not take them: %d; the first: %v.", len(r.LeftOut), r.LeftOut[0]))
	}
	if r.Unasked > 0 {
		s = append(s, fmt.Sprintf("Questions left out, because the time was up: %d.", r.Unasked))
	}
	if len(r.UnaskedWays) > 0 {
		s = append(s, fmt.Sprintf("Ways left out, because the time was up: %s. The same command continues with them.", strings.Join(r.UnaskedWays, ", ")))
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

// outcomeColumns are the heads of the table of how calls were read. outcomeRows returns its rows.
var outcomeColumns = []string{"format", "outcomes", "reasons"}

// outcomeRows returns a row for each format: its name, how its calls were read, and why they were not clean.
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

// kindTable returns the table of right answers, with a row for each kind of question and a column for each format.
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

// markdownEscapes puts a text on one line, and escapes Markdown: models and test sets may contain any text.
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
