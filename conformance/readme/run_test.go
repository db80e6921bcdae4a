package readme

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	commandTime = 5 * time.Minute // for a command, which may fetch packages
	serverTime  = 3 * time.Minute // for a server, from its start to its SIGTERM
	drainTime   = 20 * time.Second
)

// binary is the path of the dragoman under test.
var binary string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

// testMain runs the tests against the binary that DRAGOMAN_BIN names, or else one built here.
func testMain(m *testing.M) int {
	if binary = os.Getenv("DRAGOMAN_BIN"); binary != "" {
		return m.Run()
	}
	folder, err := os.MkdirTemp("", "dragoman")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	binary = filepath.Join(folder, "dragoman")
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", binary, "./cmd/dragoman")
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("go build: %v\n%s", err, output))
	}
	return m.Run()
}

// need ends a test whose interpreter is missing: badly where CI=true, which has to have them all.
func need(t *testing.T, program string) {
	t.Helper()
	_, err := exec.LookPath(program)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

// run runs a command in a folder and returns what it printed. The test ends if the command fails.
func run(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	cmd.Env = environment()
	// What the command started ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, output)
	}
	return string(output)
}

// environment is the test's own, with what the libraries read in it left out, and no proxy between
// a program and its server.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "ANTHROPIC_")
	})
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		env = append(env, name+"=127.0.0.1,"+os.Getenv(name))
	}
	return env
}

// serve runs a line of shell that starts ./dragoman, on free loopback ports, and returns the URL that
// the first line of its log gives. The server gets a SIGTERM at the test's end and has to exit with 0.
func serve(t *testing.T, line string) string {
	t.Helper()
	folder := t.TempDir()
	path, err := filepath.Abs(binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(folder, "dragoman")); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), serverTime)
	// With exec, the signal is dragoman's and not the shell's.
	cmd := exec.CommandContext(ctx, "bash", "-c", strings.Replace(line, "./dragoman", "exec ./dragoman", 1))
	cmd.Dir = folder
	cmd.Env = []string{
		"HOME=" + folder,
		"DRAGOMAN_LISTEN=127.0.0.1:0",
		"DRAGOMAN_ADMIN_LISTEN=127.0.0.1:0",
		"AWS_EC2_METADATA_DISABLED=true",
		"GORACE=atexit_sleep_ms=0", // built with the race detector it would wait for a second at its end
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = drainTime
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	log := bufio.NewReader(stderr)
	first, readErr := log.ReadString('\n') // ends with the server, which has a time
	var rest strings.Builder
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		_, _ = io.Copy(&rest, log)
	}()
	t.Cleanup(func() {
		cancel()
		<-logged
		_ = cmd.Wait() // which tells of the signal
		if !cmd.ProcessState.Success() {
			t.Errorf("%s: %v\n%s%s", line, cmd.ProcessState, first, rest.String())
		}
	})

	var announced struct {
		URL       string `json:"url"`
		Simulated bool   `json:"simulated"`
	}
	if readErr != nil {
		t.Fatalf("%s: its log ended before a line: %v", line, readErr)
	}
	if err := json.Unmarshal([]byte(first), &announced); err != nil || announced.URL == "" {
		t.Fatalf("%s: the first line of its log gives no URL (%v): %s", line, err, first)
	}
	if want := strings.Contains(line, "--simulated"); announced.Simulated != want {
		t.Errorf("%s: simulated is %v", line, announced.Simulated)
	}
	return announced.URL
}
