// Load measures what Dragoman adds to the model it stands before: its own time, processor and memory,
// against no proxy, the standard library's ReverseProxy and nginx, in front of one fake upstream.
// Everything runs on the loopback of one Linux machine, and every run is bounded in count and time.
// The page docs/benchmarks.md has the figures, and says how to read them.
package main

import (
	"errors"
	"fmt"
	"os"
)

// commands are what the program does, by their names. The last two are the processes that the others
// start.
var commands = map[string]func(args []string) error{
	"load":     loadCommand,
	"scale":    scaleCommand,
	"gate":     gateCommand,
	"peers":    peersCommand,
	"upstream": upstreamCommand,
	"rproxy":   rproxyCommand,
}

func main() {
	err := errors.New("usage: load load|scale|gate|peers [flags]   (-h for the flags)")
	if len(os.Args) > 1 {
		if command, ok := commands[os.Args[1]]; ok {
			err = command(os.Args[2:])
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}
