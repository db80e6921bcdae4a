package readme

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dragoman/conformance"
)

const (
	commandTime = 5 * time.Minute // limits a command, which may fetch packages
	serverTime  = 3 * time.Minute // limits a server, from its start to its SIGTERM
	drainTime   = 20 * time.Second
)

func TestMain(m *testing.M) { os.Exit(conformance.Main(m)) }

// link puts the binary into a folder, where the pages expect it.
func link(t *testing.T, folder string) {
	t.Helper()
	path, err := filepath.Abs(conformance.Binary())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(folder, "dragoman")); err != nil {
		t.Fatal(err)
	}
}

// serve runs a shell line that starts ./dragoman on free loopback ports, and returns the URL in the first
// line of its log. At the end of the test, the server gets a SIGTERM and must exit with 0.
func serve(t *testing.T, line string) string {
	t.Helper()
	return serveWith(t, line).URL
}

// announced is the first line of a server's log.
type announced struct {
	URL       string `json:"url"`
	AdminURL  string `json:"admin_url"`
	Simulated bool   `json:"simulated"`
}

// serveWith is serve with additional environment variables.
func serveWith(t *testing.T, line string, env ...string) (said announced) {
	t.Helper()
	folder := t.TempDir()
	link(t, folder)

	ctx, cancel := context.WithTimeout(t.Context(), serverTime)
	// exec makes dragoman receive the signal, not the shell.
	cmd := exec.CommandContext(ctx, "bash", "-c", strings.Replace(line, "./dragoman", "exec ./dragoman", 1))
	cmd.Dir = folder
	cmd.Env = []string{
		"HOME=" + folder,
		"DRAGOMAN_LISTEN=127.0.0.1:0",
		"DRAGOMAN_ADMIN_LISTEN=127.0.0.1:0",
		"AWS_EC2_METADATA_DISABLED=true",
		"GORACE=atexit_sleep_ms=0", // otherwise the race detector makes it wait for a second at its end
	}
	cmd.Env = append(cmd.Env, env...)
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
	first, readErr := log.ReadString('\n') // ends with the server, which has a time limit
	var rest strings.Builder
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		_, _ = io.Copy(&rest, log)
	}()
	t.Cleanup(func() {
		cancel()
		<-logged
		_ = cmd.Wait() // the error only reports the signal
		if !cmd.ProcessState.Success() {
			t.Errorf("%s: %v\n%s%s", line, cmd.ProcessState, first, rest.String())
		}
	})

	if readErr != nil {
		t.Fatalf("%s: its log ended before a line: %v", line, readErr)
	}
	if err := json.Unmarshal([]byte(first), &said); err != nil || said.URL == "" {
		t.Fatalf("%s: the first line of its log gives no URL (%v): %s", line, err, first)
	}
	if want := strings.Contains(line, "--simulated"); said.Simulated != want {
		t.Errorf("%s: simulated is %v", line, said.Simulated)
	}
	return said
}
