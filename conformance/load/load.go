package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// The requests: of a question, of an agent in the midst of its work, and of one that has been at it
// for long.
var (
	small  = shape{Tools: 1, System: 1000}
	agent  = shape{Tools: 12, Turns: 12, TurnKB: 4, System: 6000}
	longer = shape{Tools: 30, Turns: 20, TurnKB: 4, System: 500}
)

// shapes are the requests by the size that the tables call them by.
var shapes = []struct {
	size string
	shape
}{{"2 KB", small}, {"71 KB", agent}, {"115 KB", longer}}

// wholeArgs and streamArgs are the bytes of the argument in a whole answer, and in a stream of some 500
// events.
const (
	wholeArgs  = 400
	streamArgs = 7700
)

// The sections that the summary takes figures from.
const (
	whole   = "Whole answers"
	streams = "Streams"
	opened  = "Open streams"
)

// section is a table of the page: workloads of one kind, each over some ways.
type section struct {
	name    string
	about   string // a sentence below the heading
	loads   []workload
	ways    []way
	columns []column
}

// measured is what came of one workload.
type measured struct {
	workload
	targets []*target
}

// sections are what is measured, with Dragoman as the programs given, by the names of their rows.
func sections(programs map[string]string) []section {
	return []section{
		{name: whole, about: "One connection, which asks again as soon as it has the answer: a call with an argument of 400 bytes.",
			loads: atRest(false), ways: all(programs, messagesAPI), columns: wholeColumns},
		{name: streams, about: "The same for a call whose argument of 7.7 KB comes in pieces of 16 bytes, as fast as the connection takes them.",
			loads: atRest(true), ways: all(programs, messagesAPI), columns: streamColumns},
		{name: "Over Bedrock", about: "The upstream speaks Bedrock's API, with its frames and signatures, and what passes on is asked in it. " +
			"Of Dragoman the first row has a client of the Messages API, and the second one of Bedrock's InvokeModel.",
			loads: overBedrock(), ways: bedrock(programs), columns: slices.Concat(wholeColumns, streamColumns[len(streamColumns)-2:])},
		{name: "Constant arrivals", about: "100 requests a second of 71 KB, whole answers, over so many connections. A request that finds none free counts its wait.",
			loads: arrivals(), ways: all(programs, messagesAPI), columns: wholeColumns},
		{name: opened, about: "So many streams at once, of ten events a second each. They last for one to four seconds, and begin one after another.",
			loads: open(), ways: all(programs, messagesAPI), columns: openColumns},
		{name: "Overload", about: "Requests of 2 KB, of which 32 are admitted at once and take 200 ms each: half of what can be admitted, and twice that. " +
			"What is beyond is answered with 529 and `retry-after`.",
			loads: overload(), ways: overloaded(programs), columns: overloadColumns},
	}
}

// all are the ways that pass on, and Dragoman.
func all(programs map[string]string, api string) []way {
	list := passing(api)
	for _, name := range names(programs) {
		list = append(list, dragoman(name, programs[name], api, messagesUpstream))
	}
	return list
}

func bedrock(programs map[string]string) []way {
	list := passing(invokeAPI)
	for _, name := range names(programs) {
		list = append(list, dragoman(name, programs[name], messagesAPI, bedrockUpstream),
			dragoman(name+", InvokeModel", programs[name], invokeAPI, bedrockUpstream))
	}
	return list
}

// names are those of the programs, today's last.
func names(programs map[string]string) (list []string) {
	for name := range programs {
		list = append(list, name)
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}

func atRest(stream bool) (list []workload) {
	for _, s := range shapes {
		w := workload{name: s.size, shape: s.shape, args: wholeArgs, content: "mixed", conns: 1, lasts: time.Second, rounds: 3}
		if w.shape.Stream = stream; stream {
			w.args = streamArgs
		}
		list = append(list, w)
	}
	return list
}

func overBedrock() []workload {
	all, stream := atRest(false)[1], atRest(true)[1]
	all.name, stream.name = all.name+", whole", stream.name+", stream"
	return []workload{all, stream}
}

func arrivals() (list []workload) {
	for _, conns := range []int{1, 16, 64, 512, 2000} {
		w := workload{name: fmt.Sprintf("%d", conns), shape: agent, args: wholeArgs, content: "mixed", conns: conns, rate: 100, lasts: 2 * time.Second, rounds: 1}
		list = append(list, w)
	}
	return list
}

// open are workloads of live streams. They begin one after another, so that as many begin as end.
func open() (list []workload) {
	add := func(name string, streams, events int, seconds float64) {
		w := workload{name: name, shape: small, content: "mixed", conns: streams, rounds: 1}
		w.shape.Stream = true
		w.args = max(10, (events-15)*deltaLen) // the rest of the text is some 15 deltas
		w.delay = time.Duration(seconds / float64(events) * float64(time.Second))
		w.rate = float64(streams) / seconds
		w.lasts = time.Duration(1.2 * seconds * float64(time.Second))
		list = append(list, w)
	}
	for _, streams := range []int{1, 16, 64, 512} {
		add(fmt.Sprintf("%d", streams), streams, 15, 1.5)
	}
	add("1,000, of 25 events a second", 1000, 50, 2)
	add("2,000, of 5 events a second", 2000, 20, 4)
	return list
}

// admitted is how many requests are at once, and held how long each takes: so few a second that it is
// places that are short, and not the processor.
const (
	admitted = 32
	held     = 200 * time.Millisecond
)

func overload() (list []workload) {
	for _, load := range []float64{.5, 2} {
		rate := load * admitted / held.Seconds()
		list = append(list, workload{name: fmt.Sprintf("%.0f requests a second", rate), shape: small, args: wholeArgs, content: "plain",
			conns: 5 * admitted, rate: rate, ttft: held, lasts: 3 * time.Second, rounds: 2})
	}
	return list
}

func overloaded(programs map[string]string) (list []way) {
	for _, name := range names(programs) {
		list = append(list, dragoman(name, programs[name], messagesAPI, messagesUpstream, fmt.Sprintf("limits: {max_concurrent: %d}", admitted)))
	}
	return list
}

// loadCommand measures all sections, and prints the tables.
func loadCommand(args []string) error {
	flags := flag.NewFlagSet("load", flag.ExitOnError)
	program := flags.String("program", "", "`file` of a dragoman; without it this checkout's is built")
	before := flags.String("before", "", "`file` of another dragoman, measured beside it")
	update := flags.Bool("update", false, "write the page and its chart")
	only := flags.String("only", "", "measure the sections alone whose names begin with `words`")
	_ = flags.Parse(args) // it exits
	if *update && *only != "" {
		return errors.New("the page is written whole: -update goes without -only")
	}
	b, err := newBench(*program)
	if err != nil {
		return err
	}
	defer b.close()
	programs := map[string]string{"Dragoman": b.program}
	if *before != "" {
		programs["Dragoman before"] = *before
	}
	var out strings.Builder
	var wrong error
	results := map[string][]measured{}
	for _, s := range sections(programs) {
		if !strings.HasPrefix(s.name, *only) {
			continue
		}
		for _, load := range s.loads {
			targets, err := b.measure(load, s.ways)
			wrong = errors.Join(wrong, err)
			results[s.name] = append(results[s.name], measured{load, targets})
			fmt.Fprintf(os.Stderr, "%s, %s\n", s.name, load.name)
		}
		fmt.Fprintf(&out, "### %s\n\n%s\n\n%s\n", s.name, s.about, table(results[s.name], s.columns))
	}
	if out.Len() == 0 {
		return fmt.Errorf("no section has a name that begins with %q", *only)
	}
	if *only != "" {
		fmt.Print(out.String())
		return wrong
	}
	text := measuredOn(firstLine(nginxProgram, "-v")) + summarize(results) + out.String()
	fmt.Print(text)
	if *update {
		wrong = errors.Join(wrong, writeBlock("load", text), writeChart(results))
	}
	return wrong
}
