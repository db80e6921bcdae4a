package eval

import (
	"fmt"
	"io"
	"strings"
)

// progress draws one line on a terminal after each answer: how many questions have been answered, and how well.
type progress struct {
	w           io.Writer // nil: draw nothing
	done, total int       // questions, including those of earlier runs
	asked       int       // in this run
	right       int       // of asked
}

// newProgress draws the line for a run that earlier runs have begun.
func newProgress(w io.Writer, total, done int) *progress {
	p := &progress{w: w, done: done, total: total}
	p.draw()
	return p
}

// add counts an answer, and redraws the line.
func (p *progress) add(r Record) {
	p.done++
	p.asked++
	if r.right() {
		p.right++
	}
	p.draw()
}

// barWidth is the length of a bar, in characters.
const barWidth = 30

// draw overwrites the line: it begins with a carriage return.
func (p *progress) draw() {
	if p.w == nil || p.total == 0 {
		return
	}
	full := barWidth * p.done / p.total
	fmt.Fprintf(p.w, "\r%s%s %d/%d", strings.Repeat("█", full), strings.Repeat("░", barWidth-full), p.done, p.total)
	if p.asked > 0 {
		fmt.Fprintf(p.w, ", right of those asked now: %s", percent(p.right, p.asked))
	}
}

// end moves to the next line, so that later output does not overwrite the bar.
func (p *progress) end() {
	if p.w != nil {
		fmt.Fprintln(p.w)
	}
}
