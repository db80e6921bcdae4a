package aimock

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"dragoman/conformance/install"
)

const startTime = time.Minute

var listening = regexp.MustCompile(`listening on (http://[0-9.:]+)`)

// emulate starts the emulator with fixtures.json on a free loopback port and returns its URL. The emulator
// ends with the test.
func emulate(t *testing.T) string {
	t.Helper()
	program := filepath.Join(install.Node(t, "."), "node_modules", "@copilotkit", "aimock", "dist", "cli.js")
	cmd := exec.Command("node", program, "--port", "0", "--fixtures", "fixtures.json", "--validate-on-load", "--strict")
	log, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url := make(chan string, 1)
	logged := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the error only reports the signal
		_ = w.Close()
	}()
	go func() {
		defer close(logged)
		defer close(url)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			t.Log(lines.Text())
			if match := listening.FindStringSubmatch(lines.Text()); match != nil {
				url <- match[1]
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-logged
	})

	select {
	case found, ok := <-url:
		if !ok {
			t.Fatal("the emulator ended before it listened")
		}
		return found
	case <-time.After(startTime):
		t.Fatal("the emulator does not listen")
	}
	return ""
}
