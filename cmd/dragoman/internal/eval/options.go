package eval

import "io"

// Options says which questions a model is asked, and where the results go.
type Options struct {
	Model       Model
	Questions   []Question
	Formats     []string  // of [translate.Formats]
	Out         string    // the folder of the results and reports; it is made
	Concurrency int       // questions that are under way at once
	Progress    io.Writer // a terminal for the progress bar, or nil
	About       About
}

// The files in the folder of the results.
const (
	ResultsFile  = "results.jsonl"
	MarkdownFile = "report.md"
	HTMLFile     = "report.html"
)

// About is what a report says of the run, beside its figures.
type About struct {
	Set       string // the name of the test set
	Upstream  string // who was asked
	Simulated bool   // it was no model
	Version   string // of the program
	LeftOut   []error
}
