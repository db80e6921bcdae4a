// Package clients runs every case of the conformance suite through every client, against the dragoman
// binary, and prints what came of it as a table.
package clients

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"dragoman/conformance"
)

func TestMain(m *testing.M) { os.Exit(conformance.Main(m)) }

// client is a library, and the way in which it is used, that the cases run through.
type client struct {
	name, release, api string
	program            func(t *testing.T) *exec.Cmd
	dialect            conformance.Dialect
	hides              conformance.Hides
	streams            bool // as in [conformance.Client]
	// cannot is why the library, and no fault of the server's, fails a case.
	cannot map[string]string
}

// clients are all of them, in the order of the table.
var clients = slices.Concat(anthropic, aws, langchain, frameworks, more)

// more are those that only make conformance runs, as it does alone with the older of two releases. The others reach
// every route, dialect and way of reading a stream, and take long enough for a gate that runs on every change.
var more = slices.Concat(python, javascript, rust, java)

// runMore has more run, too.
var runMore = flag.Bool("more", false, "run the clients that only make conformance runs, too")

// TestClients runs the cases. Clients run beside each other, as -parallel says.
func TestClients(t *testing.T) {
	results := make([][]outcome, len(clients))
	t.Run("all", func(t *testing.T) {
		for i, c := range clients {
			t.Run(c.name+" "+c.release+" "+c.api, func(t *testing.T) {
				if (isMore(i) || older(i)) && !*runMore {
					t.Skip("only with -more")
				}
				t.Parallel()
				results[i] = run(t, c)
			})
		}
	})
	fmt.Print(table(results, false))
}

// isMore reports whether only make conformance runs a client.
func isMore(i int) bool { return i >= len(clients)-len(more) }

// older reports whether the list has a later release of a client, too.
func older(i int) bool {
	return slices.ContainsFunc(clients[i+1:], func(c client) bool { return c.name == clients[i].name && c.api == clients[i].api })
}

// run returns what came of each case; it is shorter if the client could not be had.
func run(t *testing.T, c client) []outcome {
	var outcomes []outcome
	library := c.inItsLanguage(t)
	for _, test := range conformance.Cases {
		if c.cannot[test.Name] != "" {
			outcomes = append(outcomes, excused)
			continue
		}
		result := failed
		if t.Run(test.Name, func(t *testing.T) { test.Run(t, library) }) {
			result = passed
		}
		outcomes = append(outcomes, result)
	}
	return outcomes
}

// inItsLanguage starts the program of a client.
func (c client) inItsLanguage(t *testing.T) conformance.Client {
	made, ok := cuts[c.name]
	if !ok {
		t.Fatalf("nobody says what %s makes of a call that was cut", c.name)
	}
	return conformance.Client{
		Open: conformance.Program(t, c.program(t)), Dialect: c.dialect, Hides: c.hides, Streams: c.streams,
		OpenInput: made.open, Runs: made.runs, Eager: made.eager,
	}
}
