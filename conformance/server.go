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

// Binary is the path of the dragoman under test, for tests that run other commands of it.
func Binary() string { return binary }

// Main runs the tests of a module against the binary that DRAGOMAN_BIN names, or else one built here.
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

// Build returns the dragoman that DRAGOMAN_BIN names, or else builds that of this checkout in a folder, with the
// modules that it has for its users, which are not those of this module.
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

// The line that dragoman logs first has the URL for clients, as a shell takes it, and the admin listener's.
var (
	baseURL  = regexp.MustCompile(`ANTHROPIC_BASE_URL=(http://[0-9.:]+)`)
	adminURL = regexp.MustCompile(`"admin_url":"(http://[0-9.:]+)"`)
)

// Serve starts `dragoman serve` with the arguments on a free loopback port and returns its base URL,
// as the first line of its log gives it. The server's environment is env alone. It ends with the
// test, which fails if the server does not end well.
func Serve(t *testing.T, env []string, args ...string) string {
	t.Helper()
	url, _ := ServeWithAdmin(t, env, args...)
	return url
}

// ServeWithAdmin is Serve. It also returns the URL of the admin listener, which has /metrics.
func ServeWithAdmin(t *testing.T, env []string, args ...string) (url, admin string) {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, args...)...)
	// Built with the race detector it would wait for a second at its end.
	cmd.Env = append([]string{"GORACE=atexit_sleep_ms=0"}, env...)
	log, w := io.Pipe() // both streams, into the log of the test
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
			if !baseURL.MatchString(lines.Text()) { // a collector may be missed before
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
