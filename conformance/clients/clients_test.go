// Package clients runs every case of the conformance suite through every client, against the dragoman binary,
// and prints the results as a table.
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

// client is a library, used in one way, for which the cases run.
type client struct {
	name, release, api string
	program            func(t *testing.T) *exec.Cmd
	dialect            conformance.Dialect
	hides              conformance.Hides
	streams            bool // see [conformance.Client]
	// cannot says why the library, and not the server, fails a case.
	cannot map[string]string
}

// clients are all clients, in the order of the table.
var clients = slices.Concat(anthropic, openAI, aws, langchain, frameworks, more)

// more are the clients that only make conformance runs; if two releases of a client are pinned, it also runs
// the older one. The other clients use every route, dialect and way of reading a stream. They already take
// long enough for a gate that runs on every change.
var more = slices.Concat(python, javascript, rust, java)

// runMore runs the clients in more, too.
var runMore = flag.Bool("more", false, "also run the clients that only make conformance runs")

// TestClients runs the cases. Clients run in parallel, as -parallel says.
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

// older reports whether the list also has a later release of a client.
func older(i int) bool {
	return slices.ContainsFunc(clients[i+1:], func(c client) bool { return c.name == clients[i].name && c.api == clients[i].api })
}

// run returns the result of each case. The list is shorter if the client could not be installed.
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
		t.Fatalf("cuts has no entry for %s: add what it does with a cut call", c.name)
	}
	return conformance.Client{
		Open: conformance.Program(t, c.program(t)), Dialect: c.dialect, Hides: c.hides, Streams: c.streams,
		OpenInput: made.open, Runs: made.runs, Eager: made.eager,
	}
}
