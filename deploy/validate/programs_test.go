package validate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// scratch is a folder for programs that are built here; TestMain removes it.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "validate"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// The programs that are tested, or tested with, by the command that builds them.
var (
	buildDragoman = sync.OnceValues(func() (string, error) {
		if binary := os.Getenv("DRAGOMAN_BIN"); binary != "" {
			return binary, nil
		}
		return build("../..", "dragoman", "./cmd/dragoman")
	})
	buildOldest = sync.OnceValues(func() (string, error) { return build("oldest", "oldest", ".") })
	// Go keeps the tools of a module beside its build cache: only the first run takes minutes.
	buildHelm = sync.OnceValues(func() (string, error) {
		output, err := exec.Command("go", "tool", "-n", "helm").Output()
		return strings.TrimSpace(string(output)), withStderr(err)
	})
)

func build(folder, name, pkg string) (string, error) {
	binary := filepath.Join(scratch, name)
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", binary, pkg)
	cmd.Dir = folder
	_, err := cmd.Output()
	return binary, withStderr(err)
}

func withStderr(err error) error {
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		return fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return err
}

// program returns what one of the functions above built.
func program(t *testing.T, build func() (string, error)) string {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// serve runs the Deployment's container on free ports of loopback until the test ends, and returns its
// URL.
func serve(t *testing.T, objects set) string {
	t.Helper()
	container := dragomanOf(t, objects)
	file := configFile(t, objects, container)
	args := slices.Clone(container.Args)
	args[slices.Index(args, "--config")+1] = file
	cmd := exec.Command(program(t, buildDragoman), append(args, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")...)
	cmd.Env = environment(container)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	t.Cleanup(func() {
		stuck.Stop()
		cmd.Process.Kill()
		cmd.Wait()
	})
	var said strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		var line struct{ URL string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.URL != "" {
			return line.URL
		}
		fmt.Fprintln(&said, lines.Text())
	}
	t.Fatalf("dragoman %s does not serve:\n%s", args, said.String())
	return ""
}
