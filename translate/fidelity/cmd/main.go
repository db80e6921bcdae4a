// Command cmd measures fidelity: round trips of many instances, then the table of
// damage. See package fidelity.
package main

import (
	"flag"
	"fmt"
	"os"

	"dragoman/translate/fidelity"
)

func main() {
	n := flag.Uint64("instances", 1_000_000, "round trips")
	first := flag.Uint64("first", 0, "seed of the first round trip")
	damaged := flag.Int("damaged", 2000, "damaged writings of each kind")
	flag.Parse()
	if err := fidelity.Run(os.Stdout, *first, *n, *damaged); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
