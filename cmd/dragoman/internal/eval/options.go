package eval

import (
	"io"
	"time"

	"dragoman/translate"
)

// Options are the questions and the model of a run, and where the results go.
type Options struct {
	Model       Model
	Questions   []Question
	Formats     []string  // from [Ways], without duplicates
	Out         string    // the folder for the results and the report; Run creates it
	Concurrency int       // the number of concurrent questions
	Progress    io.Writer // gets the progress; nil for none
	Bar         bool      // Progress is a terminal, for a bar
	Until       time.Time // when to stop asking; zero: after all answers
	Notes       io.Writer // gets a note about the expected time after the first answer; may be nil
	About       About
}

// The ways of asking that are not formats.
const (
	Server = "server" // through the upstream's tools API
	Native = "native" // the same, but calls in the model's text are read, too
)

// Ways returns all ways of asking, in the order in which they are listed: the model's own format, every format, and the
// ways that are not formats.
func Ways() []string {
	return append(append([]string{translate.FormatAuto}, translate.Formats()...), Server, Native)
}

// The files in the folder of results.
const (
	ResultsFile  = "results.jsonl"
	MarkdownFile = "report.md"
)

// About describes a run in its report, in addition to the figures.
type About struct {
	Set       string // the name of the test set
	Upstream  string // who was asked
	Simulated bool   // the answers came from the simulated model
	Version   string // of the program
	LeftOut   []error
	// Unasked is the number of questions, and UnaskedWays are the ways of asking, that the time was too short for.
	Unasked     int
	UnaskedWays []string
}
