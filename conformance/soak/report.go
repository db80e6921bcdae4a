package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"text/tabwriter"
)

// report has the results of a soak.
type report struct {
	Duration string
	Ways     map[string]map[string]int // the number of answers, by way and by kind
	Skipped  int                       // questions that were not sent, because all clients were waiting
	Issued   string                    // how often credentials were issued
	Rest     string                    // idle, before and after
	Slopes   []slope
	Problems []string

	mu       sync.Mutex
	opt      options
	samples  []sample
	problems int
}

func newReport(opt options) *report {
	return &report{Duration: opt.duration.String(), Ways: map[string]map[string]int{}, opt: opt}
}

// count adds an answer.
func (r *report) count(q question, kind string, err error) {
	if err != nil {
		kind = "wrong"
		r.problem("%v of %s, order %d of %d bytes, fault %q: %v", q.way, q.model, q.number, q.size, q.fault, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	name := q.way.String()
	if r.Ways[name] == nil {
		r.Ways[name] = map[string]int{}
	}
	r.Ways[name][kind]++
}

func (r *report) skip() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Skipped++
}

// maxProblems limits the problems in the report.
const maxProblems = 20

func (r *report) problem(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.problems++; r.problems <= maxProblems {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

func (r *report) sample(p *program) {
	s, err := p.measure()
	if err != nil {
		r.problem("no sample: %v", err)
		return
	}
	r.samples = append(r.samples, s)
}

// rest compares the idle program before and after.
func (r *report) rest(before, after sample, err error) {
	if err != nil {
		r.problem("at rest: %v", err)
		return
	}
	r.Rest = fmt.Sprintf("%.0f goroutines and %.0f descriptors before, %.0f and %.0f after",
		before.goroutines, before.descriptors, after.goroutines, after.descriptors)
	if after.goroutines > before.goroutines || after.descriptors > before.descriptors {
		r.problem("at rest: %s", r.Rest)
	}
}

// slope is how a figure changes over time.
type slope struct {
	Name        string
	First, Last float64 // on the line
	PerHour     float64
	Error       float64 // the standard error of PerHour
	Most        float64 // the limit
}

// The limits of growth: for an hour, and once, for figures that settle in a short time.
var growth = []struct {
	name          string
	of            func(sample) float64
	perHour, once float64
}{
	{"resident memory, MB", func(s sample) float64 { return s.rss / 1e6 }, 1, 8},
	{"heap, MB", func(s sample) float64 { return s.heap / 1e6 }, 1, 8},
	{"goroutines", func(s sample) float64 { return s.goroutines }, 1, 40},
	{"descriptors", func(s sample) float64 { return s.descriptors }, 1, 20},
}

// judge fits lines to the samples. A figure grows too fast if its slope, minus twice the error, exceeds the
// limit. The limit is 9 MB for a soak of an hour, and 32 MB for a soak of a day.
func (r *report) judge() {
	settled := r.samples[len(r.samples)/5:]
	if len(settled) < 8 {
		r.problem("%d samples are too few for a slope", len(settled))
		return
	}
	hours := settled[len(settled)-1].at.Sub(settled[0].at).Hours()
	for _, b := range growth {
		s := fit(lows(settled, b.of))
		s.Name, s.Most = b.name, b.perHour+b.once/hours
		if r.Slopes = append(r.Slopes, s); s.PerHour-2*s.Error > s.Most {
			r.problem("%s grow by %.1f in an hour, and %.1f is the most", b.name, s.PerHour, s.Most)
		}
	}
}

// point is a figure at a time, in hours.
type point struct{ x, y float64 }

// lows returns the lowest figure in each twentieth of the time. Growth between two garbage collections, or
// two bursts of questions, does not count.
func lows(samples []sample, of func(sample) float64) (list []point) {
	for part := range slices.Chunk(samples, (len(samples)+19)/20) {
		least := slices.MinFunc(part, func(a, b sample) int { return int(math.Copysign(1, of(a)-of(b))) })
		list = append(list, point{least.at.Sub(samples[0].at).Hours(), of(least)})
	}
	return list
}

// fit fits a line by least squares.
func fit(points []point) slope {
	n := float64(len(points))
	var x, y float64
	for _, p := range points {
		x, y = x+p.x/n, y+p.y/n
	}
	var xx, xy float64
	for _, p := range points {
		xx, xy = xx+(p.x-x)*(p.x-x), xy+(p.x-x)*(p.y-y)
	}
	rise := xy / xx
	var residual float64
	for _, p := range points {
		d := p.y - y - rise*(p.x-x)
		residual += d * d
	}
	last := points[len(points)-1].x
	return slope{First: y - rise*x, Last: y + rise*(last-x), PerHour: rise, Error: math.Sqrt(residual / max(1, n-2) / xx)}
}

// print writes the report for people.
func (r *report) print(out io.Writer) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "asked\twhole\tfailed as ordered\tleft\twrong\t\n")
	sum := map[string]int{}
	for _, w := range ways {
		kinds := r.Ways[w.String()]
		fmt.Fprintf(t, "%v\t%d\t%d\t%d\t%d\t\n", w, kinds["whole"], kinds["failed"], kinds["left"], kinds["wrong"])
		for kind, n := range kinds {
			sum[kind] += n
		}
	}
	fmt.Fprintf(t, "all\t%d\t%d\t%d\t%d\t\n\n", sum["whole"], sum["failed"], sum["left"], sum["wrong"])
	fmt.Fprint(t, "figure\tfirst\tlast\tan hour\t±\tmost\t\n")
	for _, s := range r.Slopes {
		fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%+.1f\t%.1f\t%.1f\t\n", s.Name, s.First, s.Last, s.PerHour, s.Error, s.Most)
	}
	_ = t.Flush() // an error would occur again below
	fmt.Fprintf(out, "\nin %s; new credentials: %s; at rest: %s; questions not sent because all clients were waiting: %d\n", r.Duration, r.Issued, r.Rest, r.Skipped)
	for _, p := range r.Problems {
		fmt.Fprintln(out, "wrong:", p)
	}
	if r.problems > maxProblems {
		fmt.Fprintf(out, "and %d more\n", r.problems-maxProblems)
	}
}
