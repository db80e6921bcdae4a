package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// Form and level of the log come from the flag, the environment, the file or the default, in this order.
func TestLogSettings(t *testing.T) {
	file := write(t, "dragoman.yaml", "log: {format: console, level: info}\n"+simulatedFile)
	plain := write(t, "plain.yaml", simulatedFile)
	console, object := regexp.MustCompile(`^\d\d:\d\d:\d\d INF serving http://`), regexp.MustCompile(`^\{"level":"info"`)
	tests := []struct {
		name string
		env  map[string]string
		args []string
		want *regexp.Regexp // of the first line
	}{
		{"no terminal", nil, []string{"--config", plain}, object},
		{"file", nil, []string{"--config", file}, console},
		{"environment over file", map[string]string{"DRAGOMAN_LOG_FORMAT": "json"}, []string{"--config", file}, object},
		{"flag over environment", map[string]string{"DRAGOMAN_LOG_FORMAT": "json"}, []string{"--config", file, "--log-format", "console"}, console},
		{"auto over file", nil, []string{"--config", file, "--log-format", "auto"}, object},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := firstLine(t, tt.env, tt.args...); !tt.want.MatchString(got) {
				t.Errorf("the first line is %s", got)
			}
		})
	}
	if got := firstLine(t, map[string]string{"DRAGOMAN_LOG_LEVEL": "warn"}, "--config", plain, "--insecure", "--listen", "0.0.0.0:0"); !strings.Contains(got, `"level":"warn"`) {
		t.Errorf("with level warn the first line is %s", got)
	}
}

// firstLine returns the first line of the log of `serve`.
func firstLine(t *testing.T, env map[string]string, args ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, stderr := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, args...)
		run(ctx, args, strings.NewReader(""), io.Discard, stderr, func(name string) string { return env[name] })
		stderr.Close()
	}()
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	stop()
	_, _ = io.Copy(io.Discard, lines)
	<-ended
	return line
}

// On a terminal the log is for people, with colours unless they are disabled.
func TestLogOnTerminal(t *testing.T) {
	for _, env := range []string{"TERM=xterm", "TERM=dumb", "NO_COLOR=1"} {
		// Only standard error is the terminal, so that it shows nothing but the log.
		command, stdin, lines := startOnTerminal(t, os.Args[0]+" >/dev/null", "TEST_DRAGOMAN_ARGS=serve --simulated --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0", env)
		first, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		url := regexp.MustCompile(`INF serving (http://127\.0\.0\.1:\d+) .*, for clients: export ANTHROPIC_BASE_URL=http:\S+ # simulated admin_url=\S+\s+$`).FindStringSubmatch(plain(first))
		if url == nil {
			t.Fatalf("the first line is %q", first)
		}
		response, err := client.Post(url[1]+"/v1/messages", "application/json", strings.NewReader(weatherRequest))
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatal(response, err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		rest := first
		for !strings.Contains(rest, "tool_use") {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err, rest)
			}
			rest += line
		}
		if strings.Contains(rest, "limits") {
			t.Errorf("the log begins with limits:\n%s", rest)
		}
		if got, want := strings.Contains(rest, "\x1b"), env == "TERM=xterm"; got != want {
			t.Errorf("%s: colours %v: %q", env, got, rest)
		}
		if !regexp.MustCompile(`\d\d:\d\d:\d\d INF exchange status=200 dialect=messages path=/v1/messages model=claude-2\.1 .* tool_calls=1 .*stop_reason=tool_use duration_ms=[\d.]+`).MatchString(plain(rest)) {
			t.Errorf("no line for the exchange:\n%s", rest)
		}
		_, _ = io.WriteString(stdin, "\x03") // Ctrl-C
		_, _ = io.Copy(io.Discard, lines)
		if err := command.Wait(); err != nil {
			t.Errorf("%s: %v", env, err)
		}
	}
}

// The limits are in the log of level debug.
func TestLogOfLimits(t *testing.T) {
	for level, want := range map[string]bool{"debug": true, "info": false} {
		server := start(t, nil, "--simulated", "--log-level", level)
		server.stop()
		got := false
		for line := range server.log {
			got = got || strings.Contains(line, `"memory_limit"`)
		}
		if got != want {
			t.Errorf("%s: limits in the log: %v", level, got)
		}
	}
}

// If standard output is a terminal, too, the line after the address says what to do next.
func TestStartOnTerminal(t *testing.T) {
	command, stdin, lines := startOnTerminal(t, os.Args[0], "TEST_DRAGOMAN_ARGS=serve --simulated --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0")
	for _, want := range []string{"INF serving http://127.0.0.1:", "Next, in the terminal of a client: export ANTHROPIC_BASE_URL=http://127.0.0.1:"} {
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(plain(line), want) {
			t.Errorf("%q, %v; want %q", line, err, want)
		}
	}
	_, _ = io.WriteString(stdin, "\x03") // Ctrl-C
	_, _ = io.Copy(io.Discard, lines)
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
}

// onTerminal returns a command that a shell starts in a terminal, with a part of the environment. It is the same shell
// everywhere, and the command replaces it: a shell that stays, like dash, gets Ctrl-C as well, and the test would see
// the shell's end.
func onTerminal(t *testing.T, line string, env ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath("script"); err != nil || runtime.GOOS != "linux" {
		t.Skip("there is no script(1) of Linux to make a terminal")
	}
	command := exec.Command("script", "-qefc", "exec "+line, "/dev/null")
	command.Env = append(append(os.Environ(), "SHELL=/bin/sh", "TERM=xterm", "NO_COLOR="), env...)
	return command
}

// startOnTerminal starts a command of [onTerminal], and returns what it reads and writes.
func startOnTerminal(t *testing.T, line string, env ...string) (command *exec.Cmd, stdin io.Writer, lines *bufio.Reader) {
	t.Helper()
	command = onTerminal(t, line, env...)
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command, stdin, bufio.NewReader(stdout)
}

// plain returns a text without colours.
func plain(s string) string { return regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(s, "") }
