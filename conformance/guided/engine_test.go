// Package guided holds the constraints of package constrain against engines that others wrote: what the
// prompt teaches is allowed, what is allowed is read as calls, and what is wrong is refused.
package guided

import (
	"bufio"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"testing"

	"dragoman/conformance/install"
)

var more = flag.Bool("more", false, "ask the engines for all cases, which takes an hour")

// job is what an engine is asked, and verdict what it says: see engine.py.
type job struct {
	Grammar string   `json:"grammar,omitempty"`
	Tag     string   `json:"tag,omitempty"`
	Accepts []string `json:"accepts,omitempty"`
	Draws   int      `json:"draws,omitempty"`
	Seed    uint64   `json:"seed,omitempty"`
	Words   []string `json:"words,omitempty"`
}

type verdict struct {
	Accepts []bool   `json:"accepts"`
	Draws   []string `json:"draws"`
	Error   string   `json:"error"`
}

// engine is a running engine.py.
type engine struct {
	name string
	in   io.Writer
	out  *bufio.Reader
}

// engines starts them all.
func engines(t *testing.T) []*engine {
	t.Helper()
	return []*engine{
		startEngine(t, "llguidance", install.Python(t, "requirements.txt")),
		startEngine(t, "xgrammar", install.Python(t, "requirements-xgrammar.txt", "--no-deps")),
	}
}

func startEngine(t *testing.T, name, python string) *engine {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python, "engine.py", name)
	cmd.Env, cmd.Stderr = install.Environment(), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil && t.Context().Err() == nil {
			t.Error(name, err)
		}
	})
	return &engine{name, in, bufio.NewReaderSize(out, 1<<20)}
}

// ask returns what the engine says of a constraint.
func (e *engine) ask(t *testing.T, j *job) verdict {
	t.Helper()
	line, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.in.Write(append(line, '\n')); err != nil {
		t.Fatal(e.name, err)
	}
	answer, err := e.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(e.name, err)
	}
	var v verdict
	if err := json.Unmarshal(answer, &v); err != nil {
		t.Fatal(e.name, err)
	}
	return v
}
