package aimock

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

const (
	installTime = 5 * time.Minute // for a package that is fetched
	startTime   = time.Minute
)

// install returns the program of the emulator that package-lock.json pins, in a folder of the test's.
func install(t *testing.T) string {
	t.Helper()
	need(t, "node")
	need(t, "npm")
	folder := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), installTime)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = folder
	npm.WaitDelay = time.Second // for what it started
	if output, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", npm, err, output)
	}
	return filepath.Join(folder, "node_modules", "@copilotkit", "aimock", "dist", "cli.js")
}

// need ends a test whose interpreter is missing: badly where CI is set, which has to have them all.
func need(t *testing.T, program string) {
	t.Helper()
	_, err := exec.LookPath(program)
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

var listening = regexp.MustCompile(`listening on (http://[0-9.:]+)`)

// emulate starts the emulator with fixtures.json on a free loopback port and returns its URL. It ends
// with the test.
func emulate(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("node", install(t), "--port", "0", "--fixtures", "fixtures.json", "--validate-on-load", "--strict")
	log, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url := make(chan string, 1)
	logged := make(chan struct{})
	go func() {
		_ = cmd.Wait() // which tells of the signal
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
