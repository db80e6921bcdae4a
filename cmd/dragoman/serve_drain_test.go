package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// program is a dragoman process that a test starts like a shell.
type program struct {
	*running
	command *exec.Cmd
	lines   *bufio.Scanner // of its log
}

// startProgram runs the test's own binary, which acts as dragoman: see TestMain.
func startProgram(t *testing.T, config string) *program {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "TEST_DRAGOMAN_ARGS=serve --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0 --config "+config)
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	p := &program{command: command, lines: bufio.NewScanner(stderr)}
	first := decode[logLine](t, p.await(t, "admin_url"))
	p.running = &running{url: first.URL, admin: first.AdminURL}
	return p
}

// await reads the log up to a line that contains text.
func (p *program) await(t *testing.T, text string) string {
	t.Helper()
	for p.lines.Scan() {
		if strings.Contains(p.lines.Text(), text) {
			return p.lines.Text()
		}
	}
	t.Fatalf("the log ended without %q", text)
	return ""
}

// terminate sends a signal.
func (p *program) terminate(t *testing.T) { t.Helper(); p.signal(t, syscall.SIGTERM) }

func (p *program) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := p.command.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// secondSignal is in the log as soon as a signal is the second one.
const secondSignal = "a second signal, such as Ctrl-C, ends the drain"

// During a drain, a second signal ends open exchanges with an error that their clients can read. Two signals at once are
// one: timeout(1) sends its own to the process and to its group.
func TestSecondSignal(t *testing.T) {
	for again, code := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 0} {
		server := startProgram(t, newSlowModel(t).config(t, "drain: 10m"))
		_, body := openStream(t, server.running)
		server.signal(t, syscall.SIGTERM)
		server.signal(t, os.Interrupt)
		if line := server.await(t, secondSignal); !strings.Contains(line, `"open":1`) {
			t.Error(line)
		}
		server.signal(t, again)
		rest, err := io.ReadAll(body)
		if err != nil || !bytes.Contains(rest, []byte("event: error")) || bytes.Contains(rest, []byte("message_stop")) {
			t.Errorf("the stream ended with %v:\n%s", err, rest)
		}
		if line := server.await(t, "drain: a second signal ended it"); !strings.Contains(line, `"level":"info"`) {
			t.Error(line)
		}
		_ = server.command.Wait()
		if got := server.command.ProcessState.ExitCode(); got != code {
			t.Errorf("exit code %d after %v, want %d", got, again, code)
		}
	}
}

// Until the delay is over, clients that do not know of the drain are still answered, and asked to go elsewhere. A
// second signal ends the delay.
func TestDrainDelay(t *testing.T) {
	server := startProgram(t, write(t, "dragoman.yaml", simulatedFile+"timeouts: {drain: 20m, drain_delay: 10m}\n"))
	kept := map[string]*http.Client{"1": {}, "2": {}}
	for version, c := range kept {
		transport := &http.Transport{Protocols: new(http.Protocols)}
		transport.Protocols.SetHTTP1(version == "1")
		transport.Protocols.SetUnencryptedHTTP2(version == "2")
		defer transport.CloseIdleConnections()
		c.Transport = transport
		if got := ask(t, c, server.url); !got.answered || got.reused {
			t.Errorf("HTTP/%s: %+v at first", version, got)
		}
		if got := ask(t, c, server.url); !got.answered || !got.reused {
			t.Errorf("HTTP/%s: %+v before the drain", version, got)
		}
	}
	server.terminate(t)
	server.await(t, "draining")
	if got := status(t, server.admin+"/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("/readyz answers %d in the delay", got)
	}
	for version, c := range kept {
		if got := ask(t, c, server.url); !got.answered || !got.reused {
			t.Errorf("HTTP/%s: %+v over the connection that there was", version, got)
		}
		if got := ask(t, c, server.url); !got.answered || got.reused {
			t.Errorf("HTTP/%s: %+v over a new connection", version, got)
		}
	}
	server.await(t, secondSignal)
	server.terminate(t)
	server.await(t, "drain: a second signal ended it") // before the delay is over
	if err := server.command.Wait(); err != nil {
		t.Errorf("without an open exchange: %v", err)
	}
}

// asked is how a request went.
type asked struct{ answered, reused bool }

// ask sends the weather request.
func ask(t *testing.T, c *http.Client, url string) (got asked) {
	t.Helper()
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { got.reused = info.Reused }}
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodPost, url+"/v1/messages", strings.NewReader(weatherRequest))
	if err != nil {
		t.Fatal(err)
	}
	response, err := c.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	got.answered = decode[message](t, read(t, response)).StopReason == "tool_use"
	return got
}
