// Package monitoring checks the alert rules and the dashboard of the Helm chart, and the Compose file that
// shows them. It runs promtool's unit tests of the rules, checks the dashboard with Grafana's own types, and
// sends every query to a Prometheus that scrapes a dragoman under load.
package monitoring

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"
)

const (
	root       = "../.."
	monitoring = root + "/deploy/helm/dragoman/monitoring"
	compose    = root + "/deploy/compose"
)

// startTime limits the time until a program prints its address.
const startTime = time.Minute

// dragoman and fakeupstream are the paths of the programs under test.
var dragoman, fakeupstream string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

// testMain runs the tests with the dragoman in DRAGOMAN_BIN, or builds one.
func testMain(m *testing.M) int {
	folder, err := os.MkdirTemp("", "monitoring")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	if dragoman = os.Getenv("DRAGOMAN_BIN"); dragoman == "" {
		dragoman = build(folder, "./cmd/dragoman")
	}
	fakeupstream = build(folder, "./upstream/upstreamtest/fakeupstream")
	return m.Run()
}

func build(folder, program string) string {
	binary := filepath.Join(folder, filepath.Base(program))
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", binary, program)
	cmd.Dir = root
	if output, err := cmd.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%s: %v\n%s", cmd, err, output))
	}
	return binary
}

// start runs a command until the test ends. It waits for a line that matches ready, and returns its groups.
// The output goes to the log of the test.
func start(t *testing.T, ready *regexp.Regexp, env []string, name string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	output, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // child processes end with it
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	found, logged := make(chan []string, 1), make(chan struct{})
	go func() {
		defer close(logged)
		lines := bufio.NewScanner(output)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			t.Log(filepath.Base(name)+":", lines.Text())
			if match := ready.FindStringSubmatch(lines.Text()); match != nil {
				select {
				case found <- match[1:]:
				default:
				}
			}
		}
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait()
		_ = w.Close()
		<-logged
	})
	select {
	case match := <-found:
		return match
	case <-time.After(startTime):
		t.Fatalf("%s printed nothing like %s", cmd, ready)
		return nil
	}
}

// eventually calls f until it returns "". After the limit, it fails the test with f's last result.
func eventually(t *testing.T, limit time.Duration, f func() string) {
	t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(200 * time.Millisecond) {
		problem := f()
		if problem == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatal(problem)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
