package eval

import (
	"fmt"
	"io"
	"strings"
)

// progress tells how many questions have been answered, and how well: on a terminal in one line that it draws again
// after each answer, elsewhere in a new line after each tenth of the questions.
type progress struct {
	w           io.Writer // nil: tell nothing
	bar         bool      // w is a terminal
	done, total int       // questions, including those of earlier runs
	asked       int       // in this run
	right       int       // of asked
}

// newProgress returns the progress of a run that earlier runs have begun.
func newProgress(w io.Writer, bar bool, total, done int) *progress {
	p := &progress{w: w, bar: bar, done: done, total: total}
	p.draw()
	return p
}

// add counts an answer, and tells the progress.
func (p *progress) add(r Record) {
	p.done++
	p.asked++
	if r.right() {
		p.right++
	}
	if p.bar {
		p.draw()
	} else if p.w != nil && tenths*p.done/p.total > tenths*(p.done-1)/p.total {
		fmt.Fprintf(p.w, "%d/%d%s\n", p.done, p.total, p.grade())
	}
}

const (
	tenths = 10
	// barWidth is the length of a bar, in characters.
	barWidth = 30
)

// draw overwrites the line on a terminal: it begins with a carriage return.
func (p *progress) draw() {
	if p.w == nil || !p.bar || p.total == 0 {
		return
	}
	full := barWidth * p.done / p.total
	fmt.Fprintf(p.w, "\r%s%s %d/%d%s", strings.Repeat("█", full), strings.Repeat("░", barWidth-full), p.done, p.total, p.grade())
}

// grade returns how well the model answers; "" before the first answer.
func (p *progress) grade() string {
	if p.asked == 0 {
		return ""
	}
	return ", right of those asked now: " + percent(p.right, p.asked)
}

// end moves to the next line, so that later output does not overwrite the bar.
func (p *progress) end() {
	if p.w != nil && p.bar {
		fmt.Fprintln(p.w)
	}
}
