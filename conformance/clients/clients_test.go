// Package clients runs every case of the conformance suite through every client, against the dragoman
// binary, and prints what came of it as a table.
package clients

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dragoman/conformance"
	"dragoman/conformance/install"
)

// markdown has the table printed as the README has it.
var markdown = flag.Bool("markdown", false, "print the table as Markdown")

func TestMain(m *testing.M) { os.Exit(conformance.Main(m)) }

// client is a library that the cases run through.
type client struct {
	name, release string
	program       func(t *testing.T) *exec.Cmd
	// cannot is why the library, and no fault of the server's, fails a case.
	cannot map[string]string
}

var clients = []client{
	{"Go", "1.84.0", goProgram("anthropic-go-v1"), nil},
	{"Go", "2.12.0", goProgram("anthropic-go-v2"), nil},
	{"Python", "0.125.0", pythonProgram("requirements-0.txt"), nil},
	{"Python", "2.11.0", pythonProgram("requirements-2.txt"), nil},
	{"TypeScript", "0.137.0", nodeProgram("0"), doubles},
	{"TypeScript", "1.11.0", nodeProgram("1"), doubles},
	{"Java", "2.57.0", javaProgram, nil},
}

var doubles = map[string]string{conformance.LongNumbers: "every number of JavaScript is a double"}

// TestClients runs the cases. Clients run beside each other, as -parallel says.
func TestClients(t *testing.T) {
	results := make([][]outcome, len(clients))
	t.Run("all", func(t *testing.T) {
		for i, c := range clients {
			t.Run(c.name+" "+c.release, func(t *testing.T) {
				t.Parallel()
				results[i] = run(t, c)
			})
		}
	})
	fmt.Print(table(results, *markdown))
}

// run returns what came of each case; it is shorter if the client could not be had.
func run(t *testing.T, c client) []outcome {
	var outcomes []outcome
	open := conformance.Program(t, c.program(t))
	for _, test := range conformance.Cases {
		if c.cannot[test.Name] != "" {
			outcomes = append(outcomes, excused)
			continue
		}
		result := failed
		if t.Run(test.Name, func(t *testing.T) { test.Run(t, open) }) {
			result = passed
		}
		outcomes = append(outcomes, result)
	}
	return outcomes
}

// command is a client program: it has the environment of a user who has set nothing.
func command(folder, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = folder
	cmd.Env = install.Environment()
	return cmd
}

func goProgram(module string) func(*testing.T) *exec.Cmd {
	return func(t *testing.T) *exec.Cmd {
		binary := filepath.Join(t.TempDir(), module)
		install.Run(t, filepath.Join("..", module), "go", "build", "-buildvcs=false", "-o", binary, ".")
		return command(".", binary)
	}
}

func pythonProgram(requirements string) func(*testing.T) *exec.Cmd {
	return func(t *testing.T) *exec.Cmd {
		folder := filepath.Join("..", "anthropic-python")
		return command(folder, install.Python(t, filepath.Join(folder, requirements)), "client.py")
	}
}

func nodeProgram(pins string) func(*testing.T) *exec.Cmd {
	return func(t *testing.T) *exec.Cmd {
		source := filepath.Join("..", "anthropic-typescript")
		packages := install.Node(t, filepath.Join(source, pins))
		folder := t.TempDir()
		install.Copy(t, folder, filepath.Join(source, "client.mjs"))
		if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
			t.Fatal(err)
		}
		return command(folder, "node", "client.mjs")
	}
}

func javaProgram(t *testing.T) *exec.Cmd {
	folder := install.Java(t, filepath.Join("..", "anthropic-java", "Client.java"))
	return command(folder, "java", "-cp", strings.Join([]string{"*", "."}, string(os.PathListSeparator)), "Client")
}
