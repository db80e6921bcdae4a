package conformance

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// binary is the path of the dragoman under test.
var binary string

// Binary is the path of the dragoman under test, for tests that run its other commands.
func Binary() string { return binary }

// Main runs the tests of a module with the binary in DRAGOMAN_BIN, or builds one.
func Main(m *testing.M) int {
	folder, err := os.MkdirTemp("", "dragoman")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	if binary, err = Build(folder); err != nil {
		panic(err)
	}
	return m.Run()
}

// Build returns the path of the dragoman in DRAGOMAN_BIN. Without that variable, it builds this checkout in a
// folder, with the modules that users get, not with the modules of the conformance tests.
func Build(folder string) (string, error) {
	if path := os.Getenv("DRAGOMAN_BIN"); path != "" {
		return path, nil
	}
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "dragoman")
	root, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", list, err)
	}
	path := filepath.Join(folder, "dragoman")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", path, "./cmd/dragoman")
	build.Dir = strings.TrimSpace(string(root))
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", build, err, output)
	}
	return path, nil
}

// The first log line of dragoman has the URL for clients, as a shell command, and the URL of the admin
// listener.
var (
	baseURL  = regexp.MustCompile(`ANTHROPIC_BASE_URL=(http://[0-9.:]+)`)
	adminURL = regexp.MustCompile(`"admin_url":"(http://[0-9.:]+)"`)
)

// Serve starts `dragoman serve` with the arguments on a free loopback port and returns the base URL in the
// first line of its log. The server's whole environment is env. The server ends with the test, which fails if
// the server returns an error.
func Serve(t *testing.T, env []string, args ...string) string {
	t.Helper()
	url, _ := ServeWithAdmin(t, env, args...)
	return url
}

// ServeWithAdmin is Serve, but also returns the URL of the admin listener, which has /metrics.
func ServeWithAdmin(t *testing.T, env []string, args ...string) (url, admin string) {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, args...)...)
	// Otherwise the race detector makes it wait for a second at its end.
	cmd.Env = append([]string{"GORACE=atexit_sleep_ms=0"}, env...)
	log, w := io.Pipe() // both streams, which go to the log of the test
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exit := make(chan error, 1)
	go func() {
		exit <- cmd.Wait()
		_ = w.Close()
	}()

	first := make(chan string, 1)
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		defer close(first)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			t.Log(lines.Text())
			if !baseURL.MatchString(lines.Text()) { // a warning about a missing collector may come before
				continue
			}
			select {
			case first <- lines.Text():
			default:
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := <-exit; err != nil {
			t.Errorf("dragoman serve ended with %v", err)
		}
		<-logged
	})

	line := <-first
	client, operator := baseURL.FindStringSubmatch(line), adminURL.FindStringSubmatch(line)
	if client == nil || operator == nil {
		t.Fatal("no line of the log gives the two URLs")
	}
	return client[1], operator[1]
}

// WriteConfig writes a configuration file and returns its path.
func WriteConfig(t *testing.T, yaml string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dragoman.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
