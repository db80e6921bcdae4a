package validate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// scratch is a folder for the programs that the tests build; TestMain removes it.
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

// The programs under test and the programs for testing, by the command that builds them.
var (
	buildDragoman = sync.OnceValues(func() (string, error) {
		if path := os.Getenv("DRAGOMAN_BIN"); path != "" {
			return path, nil
		}
		return build("../..", "dragoman", "./cmd/dragoman")
	})
	buildOldest = sync.OnceValues(func() (string, error) { return build("oldest", "oldest", ".") })
	// Go caches the tools of a module, so only the first run takes minutes.
	buildHelm = sync.OnceValues(func() (string, error) {
		output, err := exec.Command("go", "tool", "-n", "helm").Output()
		return strings.TrimSpace(string(output)), withStderr(err)
	})
)

func build(folder, name, pkg string) (string, error) {
	path := filepath.Join(scratch, name)
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, pkg)
	cmd.Dir = folder
	_, err := cmd.Output()
	return path, withStderr(err)
}

func withStderr(err error) error {
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		return fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return err
}

// binary returns the program that one of the functions above built.
func binary(t *testing.T, build func() (string, error)) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// server is a container that serves on this machine.
type server struct {
	URL     string            `json:"url"`
	Admin   string            `json:"admin_url"`
	folders map[string]string // of its mounts
}

// serve runs the Deployment's container on free loopback ports until the test ends.
func serve(t *testing.T, objects set) server {
	t.Helper()
	cmd, folders := programOf(t, objects).command(t, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
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
		line := server{folders: folders}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.URL != "" {
			return line
		}
		fmt.Fprintln(&said, lines.Text())
	}
	t.Fatalf("%s does not serve:\n%s", cmd, said.String())
	return server{}
}
