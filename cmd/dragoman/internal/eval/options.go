package eval

import (
	"io"
	"time"

	"dragoman/translate"
)

// Options says which questions a model is asked, and where the results go.
type Options struct {
	Model       Model
	Questions   []Question
	Formats     []string  // of [Ways], each once
	Out         string    // the folder of the results and the report; it is made
	Concurrency int       // questions that are under way at once
	Progress    io.Writer // a terminal for the progress bar, or nil
	Until       time.Time // when no more is asked; zero: when all is answered
	Notes       io.Writer // told how long the run takes, after the first answer; nil for nobody
	About       About
}

// The ways of asking that are not formats.
const (
	Server = "server" // over the tools API of the upstream
	Native = "native" // the same, and calls that the model writes in its text are read
)

// Ways returns all ways of asking, in the order in which they are listed: the format that is chosen for
// the model, every format, and those that are not formats.
func Ways() []string {
	return append(append([]string{translate.FormatAuto}, translate.Formats()...), Server, Native)
}

// The files in the folder of the results.
const (
	ResultsFile  = "results.jsonl"
	MarkdownFile = "report.md"
)

// About is what a report says of the run, beside its figures.
type About struct {
	Set       string // the name of the test set
	Upstream  string // who was asked
	Simulated bool   // it was no model
	Version   string // of the program
	LeftOut   []error
	Unasked   int // questions for which there was no time
}
