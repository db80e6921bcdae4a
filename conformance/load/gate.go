package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"time"
)

// The bounds of the gate. They are ratios, and far from what is aimed at: the machine that they are
// held on does other work.
const (
	maxExponent  = 1.25 // of processor time, from a size to sixteen of it
	maxWhole     = 12.0 // times ReverseProxy's processor time: a request of 71 KB with a whole answer
	maxEvent     = 2.2  // and an event of a stream
	gateAttempts = 3
)

// gateCommand holds the bounds. What is beyond one is measured again, twice at most.
func gateCommand(args []string) error {
	flags := flag.NewFlagSet("gate", flag.ExitOnError)
	program := flags.String("program", "", "`file` of a dragoman; without it this checkout's is built")
	_ = flags.Parse(args) // it exits
	b, err := newBench(*program)
	if err != nil {
		return err
	}
	defer b.close()
	b.patience = 5 * time.Second
	ways := []way{rproxy(messagesAPI), dragoman("Dragoman", b.program, messagesAPI, messagesUpstream)}
	var wrong error
	for _, gate := range []func([]way) error{b.gateWhole, b.gateStream, b.gateRequest, b.gateArgument} {
		for range gateAttempts {
			if err = gate(ways); err == nil {
				break
			}
			fmt.Println("beyond the bounds:", err)
		}
		wrong = errors.Join(wrong, err)
	}
	return wrong
}

// within is an error where a figure is more than it may be.
func within(what string, got, most float64) error {
	fmt.Printf("%s: %.2f, and %.2f at most\n", what, got, most)
	if got > most || math.IsNaN(got) { // no time at all was told
		return fmt.Errorf("%s: %.2f", what, got)
	}
	return nil
}

// compared is what Dragoman's figure is of ReverseProxy's.
func (b *bench) compared(w workload, ways []way, of func(*result) float64) (float64, error) {
	w.content, w.conns, w.rounds, w.lasts = "mixed", 1, 3, 5*time.Second
	targets, err := b.measure(w, ways)
	if err != nil {
		return 0, err
	}
	return targets[1].median(of) / targets[0].median(of), nil
}

func (b *bench) gateWhole(ways []way) error {
	times, err := b.compared(workload{name: "71 KB", shape: agent, args: wholeArgs, most: 400}, ways, (*result).cpuRequest)
	if err != nil {
		return err
	}
	return within("processor time of a request of 71 KB, × ReverseProxy", times, maxWhole)
}

func (b *bench) gateStream(ways []way) error {
	w := workload{name: "stream", shape: agent, args: streamArgs, most: 150}
	w.shape.Stream = true
	times, err := b.compared(w, ways, (*result).cpuEvent)
	if err != nil {
		return err
	}
	return within("processor time of an event of a stream, × ReverseProxy", times, maxEvent)
}

func (b *bench) gateRequest(ways []way) error {
	return b.gateGrowth(growth{name: "bytes of a request", sizes: []int{64 << 10, 1 << 20}, load: func(size int) workload {
		return workload{shape: requestOf(size), args: wholeArgs, most: max(20, 16<<20/size)}
	}}, ways)
}

func (b *bench) gateArgument(ways []way) error {
	return b.gateGrowth(growth{name: "bytes of an argument", sizes: []int{100 << 10, 1600 << 10}, load: func(size int) workload {
		w := workload{shape: small, args: size, most: max(2, 3<<20/size)}
		w.shape.Stream = true
		return w
	}}, ways)
}

func (b *bench) gateGrowth(g growth, ways []way) error {
	steps, err := b.grow(g, ways)
	if err != nil {
		return err
	}
	return within("exponent of the processor time with the "+g.name, exponent(steps[0], steps[1]), maxExponent)
}
