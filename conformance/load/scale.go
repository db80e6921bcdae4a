package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// growth is something that a request, an answer or a replica may have more of.
type growth struct {
	name    string
	sizes   []int
	load    func(size int) workload
	streams bool // at once: the cost is that of all of them
}

// growths are what is made larger. Each step asks often enough for its processor time to be told
// from noise.
var growths = []growth{
	{name: "bytes of a request", sizes: []int{2 << 10, 8 << 10, 64 << 10, 512 << 10, 4 << 20, 31 << 20}, load: func(size int) workload {
		return workload{shape: requestOf(size), args: wholeArgs, most: max(3, min(300, 16<<20/size))}
	}},
	{name: "bytes of an argument, streamed", sizes: []int{1 << 10, 10 << 10, 100 << 10, 1 << 20, 10 << 20}, load: func(size int) workload {
		s := small
		s.Stream = true
		return workload{shape: s, args: size, most: max(1, min(100, 4<<20/size))}
	}},
	{name: "tools", sizes: []int{1, 10, 100, 1000}, load: func(size int) workload {
		s := small
		s.Tools = size
		return workload{shape: s, args: wholeArgs, most: max(20, min(300, 3000/size))}
	}},
	{name: "open streams", sizes: []int{1, 10, 100, 1000, 5000}, streams: true, load: func(size int) workload {
		const events = 15 // of the text beside a small argument
		lasts := max(2*time.Second, time.Duration(size)*time.Second/500)
		w := workload{shape: small, args: 10, conns: size, rate: float64(size) / lasts.Seconds(), delay: lasts / events, lasts: lasts * 6 / 5}
		w.shape.Stream = true
		return w
	}},
}

// requestOf is the shape of a request of so many bytes, of which turns are the most.
func requestOf(size int) shape {
	s := shape{API: messagesAPI, Tools: 1, TurnKB: 4, System: 500}
	empty := len(s.body())
	s.Turns = 1
	turn := len(s.body()) - empty
	s.Turns = max(0, size-empty) / turn
	s.System += max(0, size-empty-s.Turns*turn)
	return s
}

// step is what one size has cost.
type step struct {
	size     int
	cpu      float64 // microseconds a request, or for all streams
	peak     int64   // bytes of memory at most
	stream   float64 // KiB of memory for each
	lost     int
	baseline float64 // the processor time of ReverseProxy
}

// exponent is by which power of the size the cost has grown from one step to the next.
func exponent(a, b step) float64 {
	return math.Log(b.cpu/a.cpu) / math.Log(float64(b.size)/float64(a.size))
}

// scaleCommand prints how costs grow.
func scaleCommand(args []string) error {
	flags := flag.NewFlagSet("scale", flag.ExitOnError)
	program := flags.String("program", "", "`file` of a dragoman; without it this checkout's is built")
	only := flags.String("only", "", "measure what begins with `words` alone")
	update := flags.Bool("update", false, "write the page")
	_ = flags.Parse(args) // it exits
	if *update && *only != "" {
		return errors.New("the page is written whole: -update goes without -only")
	}
	b, err := newBench(*program)
	if err != nil {
		return err
	}
	defer b.close()
	ways := []way{rproxy(messagesAPI), dragoman("Dragoman", b.program, messagesAPI, messagesUpstream)}
	var out strings.Builder
	var wrong error
	for _, g := range growths {
		if !strings.HasPrefix(g.name, *only) {
			continue
		}
		steps, err := b.grow(g, ways)
		wrong = errors.Join(wrong, err)
		out.WriteString(g.table(steps))
	}
	if out.Len() == 0 {
		return errors.Join(wrong, fmt.Errorf("no table is of what begins with %q", *only))
	}
	text := measuredOn() + out.String()
	fmt.Print(text)
	if *update {
		wrong = errors.Join(wrong, writeBlock("scale", text))
	}
	return wrong
}

// grow measures the steps for which there are descriptors.
func (b *bench) grow(g growth, ways []way) (steps []step, wrong error) {
	for _, size := range g.sizes {
		if need := 2*size + 200; g.streams && need > descriptors() {
			return steps, errors.Join(wrong, fmt.Errorf("%d open streams need %d descriptors for the proxy: ulimit -n is %d", size, need, descriptors()))
		}
		w := g.load(size)
		w.name, w.content, w.rounds, w.conns = fmt.Sprintf("%d %s", size, g.name), "mixed", 1, max(1, w.conns)
		if w.lasts == 0 {
			w.lasts = 20 * time.Second
		}
		targets, err := b.measure(w, ways)
		if err != nil {
			wrong = errors.Join(wrong, err)
			continue
		}
		cost := (*result).cpuRequest
		if g.streams {
			cost = func(r *result) float64 { return r.cpuRequest() * float64(size) }
		}
		t := targets[1]
		steps = append(steps, step{size: size, cpu: t.median(cost), peak: t.legs[0].top, stream: measured{w, nil}.perStream(t),
			lost: t.legs[0].errors, baseline: targets[0].median(cost)})
		fmt.Fprintln(os.Stderr, w.name)
	}
	return steps, wrong
}

// descriptors is how many files a process may have open.
func descriptors() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Max, math.MaxInt32)) // Go programs take what they may
}

// known is a figure, or nothing where it is not known.
func known(value float64) string {
	if value == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", value)
}

func (g growth) table(steps []step) string {
	var out strings.Builder
	head := []string{g.name, "CPU of a request, µs", "exponent", "× RP", "peak memory, MiB"}
	if g.streams {
		head[1] = "CPU of all, µs"
		head = append(head, "memory of each, KiB", "lost")
	}
	fmt.Fprintf(&out, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --: |", len(head)))
	for i, s := range steps {
		grown := ""
		if i > 0 {
			grown = fmt.Sprintf("%.2f", exponent(steps[i-1], s))
		}
		fmt.Fprintf(&out, "| %d | %.0f | %s | %.2f | %.1f |", s.size, s.cpu, grown, s.cpu/s.baseline, float64(s.peak)/(1<<20))
		if g.streams {
			fmt.Fprintf(&out, " %s | %d |", known(s.stream), s.lost)
		}
		out.WriteString("\n")
	}
	return out.String() + "\n"
}
