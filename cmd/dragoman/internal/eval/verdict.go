package eval

import (
	"fmt"
	"slices"
	"strings"
)

// ranked returns the formats, the best one first. Equally good formats stay in the order of the report.
func (r *Report) ranked() []Summary {
	list := slices.Clone(r.Formats)
	slices.SortStableFunc(list, func(a, b Summary) int {
		p := a.points()
		return (b.Right-a.Right)*p[0] + (b.Loops.Right-a.Loops.Right)*p[1]
	})
	return list
}

// points returns how much a right first answer counts, and a right loop. First answers and loops count half each,
// however many questions there are of either.
func (s Summary) points() [2]int { return [2]int{max(1, s.Loops.Questions), max(1, s.Questions)} }

// comparison compares two formats by the questions that only one of them has right.
type comparison struct {
	lead   int    // of the first format, in points; negative if the second one leads
	only   [2]int // the number of first answers, and of loops, that only one of the two has right
	points [2]int // for each of them
}

// compare compares format a with format b. A question without an answer in one of them does not count.
func compare(a, b Summary) (c comparison) {
	c.points = a.points()
	for i := range min(len(a.records), len(b.records)) {
		x, y := a.records[i], b.records[i]
		part := 0
		if x.Loop {
			part = 1
		}
		switch {
		case x.Error != "" || y.Error != "" || x.right() == y.right():
			continue
		case x.right():
			c.lead += c.points[part]
		default:
			c.lead -= c.points[part]
		}
		c.only[part]++
	}
	return c
}

// doubt is the probability up to which a lead counts: one lead in twenty may still be luck.
const doubt = 0.05

// isLuck reports whether the lead may be luck. It may if two equally good formats have such a lead, or a greater one,
// with a probability above doubt: then each question that only one of them has right is as likely right in the other
// (a paired sign test).
func (c comparison) isLuck() bool {
	p := 0.0
	for i, pi := range coins(c.only[0]) {
		for j, pj := range coins(c.only[1]) {
			if (2*i-c.only[0])*c.points[0]+(2*j-c.only[1])*c.points[1] >= c.lead {
				p += pi * pj
			}
		}
	}
	return p > doubt
}

// coins returns how likely each number of heads is, from 0 to n, if n coins are thrown.
func coins(n int) []float64 {
	p := make([]float64, n+1)
	p[0] = 1
	for thrown := range n {
		for heads := thrown + 1; heads > 0; heads-- {
			p[heads] = (p[heads] + p[heads-1]) / 2
		}
		p[0] /= 2
	}
	return p
}

// fewest is the number of questions below which no lead counts: with four, even the greatest may be luck.
const fewest = 5

// Verdict returns a sentence about the best format, or says that there is no winner: the lead may be luck, or there are
// too few answers for any lead.
func (r *Report) Verdict() string {
	list := r.ranked()
	best := list[0]
	switch {
	case len(list) == 1:
		return best.right() + "."
	case best.Questions+best.Loops.Questions < fewest:
		return fmt.Sprintf("Too few answers to say which way is best: fewer than %d questions. %s.", fewest, r.scores(list))
	case !compare(best, list[1]).isLuck():
		return fmt.Sprintf("Winner: %s. Next: %s.", best.right(), list[1].right())
	}
	return fmt.Sprintf("No clear winner: the lead of %s over %s may be luck. %s.", best.Format, list[1].Format, r.scores(list))
}

// scores returns the right answers of formats.
func (r *Report) scores(list []Summary) string {
	var all []string
	for _, s := range list {
		all = append(all, s.right())
	}
	return strings.Join(all, "; ")
}

// right returns how many answers of the format are right, in words.
func (s Summary) right() string {
	var parts []string
	if s.Questions > 0 || s.Loops.Questions == 0 {
		parts = append(parts, s.Score.String()+" right")
	}
	if s.Loops.Questions > 0 {
		parts = append(parts, s.Loops.String()+" loops right")
	}
	return s.Format + ": " + strings.Join(parts, ", ")
}

// Best returns the way to configure: the one that ranks first, or the preferred format unless the lead over it is more
// than luck. The server's own tools API ([Server], [Native]) wins only if its lead over every format is more than luck,
// and not if it found no call. Best returns "" if no way is better than luck, and the preferred one was not asked.
func (r *Report) Best(preferred string) string {
	list := slices.DeleteFunc(r.ranked(), func(s Summary) bool { return s.overTools() && s.Calls == 0 })
	formats := slices.DeleteFunc(slices.Clone(list), func(s Summary) bool { return s.overTools() })
	switch {
	case len(list) == 0:
		return ""
	case len(list) == 1:
		return list[0].Format
	case list[0].overTools() && (len(formats) == 0 || !compare(list[0], formats[0]).isLuck()):
		return list[0].Format
	}
	best := formats[0]
	switch i := slices.IndexFunc(formats, func(s Summary) bool { return s.Format == preferred }); {
	case i >= 0 && compare(best, formats[i]).isLuck():
		return preferred
	case i < 0 && len(formats) > 1 && compare(best, formats[1]).isLuck():
		return ""
	}
	return best.Format
}

// overTools reports whether the questions were asked through the server's own tools API.
func (s *Summary) overTools() bool { return s.Format == Server || s.Format == Native }

// fewestLoops is the number of loops below which a stuck model says nothing.
const fewestLoops = 4

// Advice returns a sentence about the key result_note, if in some way of asking the model was stuck in a quarter of the
// loops or more; otherwise "".
func (r *Report) Advice() string {
	var stuck []string
	for _, s := range r.Formats {
		if answered := s.Loops.Questions - s.Loops.Failed; answered >= fewestLoops && 4*s.Stuck >= answered {
			stuck = append(stuck, fmt.Sprintf("%s in %d of %d", s.Format, s.Stuck, answered))
		}
	}
	if stuck == nil {
		return ""
	}
	return fmt.Sprintf("In loops the model wrote nothing, or repeated a call (%s). Try result_note: on in its entry: a sentence behind all results (off, on, or your own text).", strings.Join(stuck, "; "))
}
