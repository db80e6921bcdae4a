package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"dragoman/upstream/upstreamtest"
)

// wrapped is a `dragoman run` in a process of its own, with a shell script as its command.
type wrapped struct {
	*exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr *bytes.Buffer
}

// startWrapped runs a script. It has a session of its own, and so no terminal.
func startWrapped(t *testing.T, flags, script string) *wrapped {
	t.Helper()
	w := &wrapped{Cmd: exec.Command(os.Args[0]), stderr: &bytes.Buffer{}}
	w.Env = append(os.Environ(), "TEST_DRAGOMAN_ARGS=run "+flags+" -- sh "+write(t, "script", script), "HOME="+t.TempDir(), "ANTHROPIC_API_KEY=", "AWS_REGION=")
	w.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	w.Cmd.Stderr = w.stderr
	var err error
	if w.stdin, err = w.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.stdout = bufio.NewReader(stdout)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Process.Kill() })
	return w
}

// line returns the next line that the script prints.
func (w *wrapped) line(t *testing.T) string {
	t.Helper()
	line, err := w.stdout.ReadString('\n')
	if err != nil {
		t.Fatalf("%v, and on standard error: %s", err, w.stderr)
	}
	return strings.TrimSuffix(line, "\n")
}

// end waits for the end, and returns the rest of the output and the exit code.
func (w *wrapped) end(t *testing.T) (rest string, code int) {
	t.Helper()
	all, err := io.ReadAll(w.stdout)
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Wait()
	return string(all), w.ProcessState.ExitCode()
}

// The command has a server of its own while it runs, and is otherwise unchanged.
func TestRun(t *testing.T) {
	w := startWrapped(t, "--simulated", `echo "$ANTHROPIC_BASE_URL"; read word; echo "read $word"; echo complaint >&2; exit 7`)
	url := w.line(t)
	read(t, post(t, client, url, weatherRequest))
	_, _ = io.WriteString(w.stdin, "on\n")
	rest, code := w.end(t)
	if rest != "read on\n" || w.stderr.String() != "complaint\n" || code != 7 {
		t.Errorf("exit code %d, %q and %q", code, rest, w.stderr)
	}
	if conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://")); err == nil {
		conn.Close()
		t.Error("the server is still there")
	}
}

// The command gets a signal that another process sends, and decides itself what to do.
func TestRunPassesSignals(t *testing.T) {
	for name, s := range map[string]syscall.Signal{
		"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT,
		"WINCH": syscall.SIGWINCH, "USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWrapped(t, "--simulated", `
for s in INT TERM HUP QUIT WINCH USR1 USR2; do trap "got=$s" $s; done
echo ready
while [ -z "$got" ]; do read word; done
echo "got $got"
exit 5`)
			w.line(t)
			if err := w.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			// A shell that is reading runs its traps after the read.
			go func() {
				for {
					if _, err := io.WriteString(w.stdin, "\n"); err != nil {
						return
					}
				}
			}()
			if rest, code := w.end(t); rest != "got "+name+"\n" || code != 5 {
				t.Errorf("exit code %d, %q, %q", code, rest, w.stderr)
			}
		})
	}
}

func TestRunExitCodes(t *testing.T) {
	for script, want := range map[string]int{
		"exit 0":           0,
		"exit 1":           1,
		"exit 255":         255,
		"kill -TERM $$":    143,
		"kill -KILL $$":    137,
		"exec /nowhere/at": 127,
		"exec /":           126,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			if _, code := startWrapped(t, "--simulated", script).end(t); code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
		})
	}
}

// If dragoman is killed, its command ends too, because its server is gone.
func TestRunKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends it")
	}
	w := startWrapped(t, "--simulated", `echo ready; exec tail -f /dev/null`)
	w.line(t)
	if err := w.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if rest, _ := w.end(t); rest != "" { // the pipe ends when its last writer has ended
		t.Errorf("it went on: %q", rest)
	}
}

// Ctrl-C reaches all processes in a terminal's foreground. The command gets it only once.
func TestRunInterruptedOnTerminal(t *testing.T) {
	command, stdin, lines := startOnTerminal(t, os.Args[0], "TEST_DRAGOMAN_ARGS=run --simulated -- "+os.Args[0]+" "+countInterrupts)
	if line, err := lines.ReadString('\n'); strings.TrimSpace(line) != "ready" {
		t.Fatalf("%q, %v", line, err)
	}
	_, _ = io.WriteString(stdin, "\x03")
	rest, _ := io.ReadAll(lines)
	if err := command.Wait(); err != nil || !bytes.Contains(rest, []byte("interrupted 1\r\n")) {
		t.Errorf("%v, %q", err, bytes.ReplaceAll(rest, []byte("\r\n"), nil))
	}
}

// countInterrupts is the argument with which the test's own binary counts.
const countInterrupts = "count-interrupts"

// count prints how many interrupts it has received when a later signal arrives that its parent passed on. By then,
// anything that the parent passed on for the first interrupt has arrived, too.
func count() {
	interrupts, mark := make(chan os.Signal, 10), make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	signal.Notify(mark, syscall.SIGUSR1)
	fmt.Println("ready")
	<-interrupts
	_ = syscall.Kill(os.Getppid(), syscall.SIGUSR1)
	<-mark
	fmt.Println("interrupted", 1+len(interrupts))
	os.Exit(0)
}

// If clients need keys, the command gets a key of its own. There is no other listener: the server is on loopback,
// whatever addresses and certificates the file has.
func TestRunWithKeys(t *testing.T) {
	file := write(t, "dragoman.yaml", "listen: 0.0.0.0:1\nadmin_listen: 0.0.0.0:1\nauth: {keys: [a-key-of-the-tests]}\ntls: {cert: /nowhere, key: /nowhere}\n"+simulatedFile)
	logFile := filepath.Join(t.TempDir(), "log")
	w := startWrapped(t, "--log-file "+logFile+" --config "+file, `echo "$ANTHROPIC_BASE_URL"; echo "$ANTHROPIC_API_KEY"; echo "$AWS_BEARER_TOKEN_BEDROCK"; read word`)
	url, key := w.line(t), w.line(t)
	if token := w.line(t); token != key || len(key) < 20 || !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("the key is %q for some and %q for others, at %s", key, token, url)
	}
	for _, tt := range []struct {
		key  string
		want int
	}{{key, http.StatusOK}, {"a-key-of-the-tests", http.StatusOK}, {"none", http.StatusUnauthorized}} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/v1/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Api-Key", tt.key)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != tt.want {
			t.Errorf("with the key %q: %s", tt.key, response.Status)
		}
	}
	w.stdin.Close()
	if rest, code := w.end(t); code != 1 || rest != "" || w.stderr.Len() > 0 { // read has found the end
		t.Errorf("exit code %d, %q, %q", code, rest, w.stderr)
	}
	log, err := os.ReadFile(logFile)
	if err != nil || !bytes.Contains(log, []byte(url)) || bytes.Contains(log, []byte(key)) || bytes.Contains(log, []byte("\x1b")) {
		t.Errorf("%v, the log is\n%s", err, log)
	}
}

// The command does not get variables that the configuration uses as secrets, unless asked for. A variable without which
// clients do not start has a placeholder.
func TestRunHidesSecrets(t *testing.T) {
	t.Setenv("UPKEY", "s3cret-of-an-upstream")
	t.Setenv("CLIENTS", "s3cret-key-of-clients")
	t.Setenv("PLAIN", "no-secret")
	file := write(t, "dragoman.yaml", `auth: {keys: [{name: ci, key: "${CLIENTS:-a-default-key-of-clients}"}]}
upstreams:
  relay: {kind: anthropic, base_url: "http://127.0.0.1:1/${PLAIN}", api_key: "x-${UPKEY}", list_models: false}
  other: {kind: openai, base_url: "http://127.0.0.1:1/v1", api_key: "${ANTHROPIC_AUTH_TOKEN}", list_models: false}
models: [{name: "*", upstream: relay}]
`)
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "s3cret")
	const script = `echo "$UPKEY,$CLIENTS,$PLAIN,${ANTHROPIC_AUTH_TOKEN%-*}"`
	w := startWrapped(t, "--config "+file, script)
	if rest, _ := w.end(t); rest != ",,no-secret,\n" {
		t.Errorf("the command has %q", rest)
	}
	log := w.stderr.String()
	for _, name := range []string{"UPKEY", "CLIENTS", "ANTHROPIC_AUTH_TOKEN"} {
		if strings.Count(log, name) != 1 || strings.Contains(log, "s3cret") || !strings.Contains(log, "--inherit-secrets") {
			t.Errorf("%s is not named once: %s", name, log)
		}
	}
	w = startWrapped(t, "--inherit-secrets --config "+file, script)
	if rest, _ := w.end(t); rest != "s3cret-of-an-upstream,s3cret-key-of-clients,no-secret,run\n" || w.stderr.Len() > 0 {
		t.Errorf("with --inherit-secrets the command has %q, logged %s", rest, w.stderr)
	}
}

// The server of a command exports telemetry like any other. Unsupported variables may be meant for the command: it
// runs, with a warning about them.
func TestRunWithTelemetry(t *testing.T) {
	var exported sync.Map
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { exported.Store(r.URL.Path, true) }))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	ask := func() *wrapped {
		w := startWrapped(t, "--simulated", `echo "$ANTHROPIC_BASE_URL"; read word; exit 7`)
		read(t, post(t, client, w.line(t), weatherRequest))
		w.stdin.Close()
		if _, code := w.end(t); code != 7 {
			t.Errorf("exit code %d: %s", code, w.stderr)
		}
		return w
	}
	w := ask()
	_, traces := exported.Load("/v1/traces")
	_, metrics := exported.Load("/v1/metrics")
	if !traces || !metrics || w.stderr.Len() > 0 {
		t.Errorf("traces are exported: %v, metrics: %v; %s", traces, metrics, w.stderr)
	}
	exported.Clear()
	t.Setenv("OTEL_METRICS_EXPORTER", "prometheus")
	if w := ask(); !strings.Contains(w.stderr.String(), "OTEL_METRICS_EXPORTER: the server exports nothing: only the command can use this exporter") {
		t.Errorf("standard error is %q", w.stderr)
	}
	exported.Range(func(path, _ any) bool {
		t.Errorf("%v is exported", path)
		return true
	})
}

// A command ends soon even if no collector accepts its telemetry, and the log mentions no open exchanges.
func TestRunWithoutCollector(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	w := startWrapped(t, "--simulated", "exit 7")
	began := time.Now()
	if _, code := w.end(t); code != 7 || time.Since(began) > 5*time.Second || strings.Contains(w.stderr.String(), "open exchanges") {
		t.Errorf("exit code %d after %v: %s", code, time.Since(began), w.stderr)
	}
}

// If the configuration gets keys while the command runs, they do not take effect: the command has no key.
func TestRunKeepsNoKeys(t *testing.T) {
	file := write(t, "dragoman.yaml", simulatedFile)
	w := wrapper{settings: newSettings(&cobra.Command{}).withServing()}
	w.settings.file = file
	p := process{getenv: func(string) string { return "" }}
	running, err := w.load(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	replace(t, file, "auth: {keys: [a-key-of-the-tests]}\n"+simulatedFile)
	if _, err := w.load(p, running); err == nil || !strings.Contains(err.Error(), "auth.keys: the running command has no key") {
		t.Errorf("the error is %v", err)
	}
}

// Variables point to the server, and placeholders replace those without which a client does not start.
func TestClientVariables(t *testing.T) {
	home := t.TempDir()
	configured := t.TempDir()
	if err := os.MkdirAll(filepath.Join(configured, ".aws"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(configured, ".aws", "config"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	always := []string{
		"ANTHROPIC_API_URL=http://x", "ANTHROPIC_AWS_BASE_URL=http://x", "ANTHROPIC_BASE_URL=http://x", "ANTHROPIC_BEDROCK_BASE_URL=http://x",
		"ANTHROPIC_BEDROCK_MANTLE_BASE_URL=http://x", "ANTHROPIC_GOOGLE_CLOUD_BASE_URL=http://x", "ANTHROPIC_VERTEX_BASE_URL=http://x/v1",
		"AWS_ENDPOINT_URL_BEDROCK=http://x", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME=http://x", "CLAUDE_CODE_ATTRIBUTION_HEADER=0",
	}
	region := []string{"AWS_REGION=us-east-1", "AWS_DEFAULT_REGION=us-east-1"}
	words := []string{"ANTHROPIC_API_KEY=none", "ANTHROPIC_AWS_API_KEY=none", "AWS_BEARER_TOKEN_BEDROCK=none"}
	tests := []struct {
		name, key string
		env       map[string]string
		more      []string // in addition to those that are always set
	}{
		{"nothing is set", "", nil, slices.Concat(words, region)},
		{"a key is set", "", map[string]string{"ANTHROPIC_API_KEY": "k", "AWS_ACCESS_KEY_ID": "a", "AWS_REGION": "r"}, nil},
		{"a token is set", "", map[string]string{"ANTHROPIC_AUTH_TOKEN": "k", "AWS_PROFILE": "a", "AWS_DEFAULT_REGION": "r"}, nil},
		{"files of the AWS SDKs", "", map[string]string{"HOME": configured}, words[:1]},
		{"with a key", "s", map[string]string{"ANTHROPIC_API_KEY": "k", "AWS_ACCESS_KEY_ID": "a", "AWS_REGION": "r"},
			[]string{"ANTHROPIC_API_KEY=s", "ANTHROPIC_AWS_API_KEY=s", "AWS_BEARER_TOKEN_BEDROCK=s"}},
		{"with a key in place of a token", "s", map[string]string{"ANTHROPIC_AUTH_TOKEN": "k", "AWS_REGION": "r"},
			[]string{"ANTHROPIC_API_KEY=s", "ANTHROPIC_AUTH_TOKEN=s", "ANTHROPIC_AWS_API_KEY=s", "AWS_BEARER_TOKEN_BEDROCK=s"}},
		{"a proxy", "", map[string]string{"HTTP_PROXY": "http://p", "no_proxy": "a, b"},
			slices.Concat(words, region, []string{"NO_PROXY=a,b,127.0.0.1,localhost", "no_proxy=a,b,127.0.0.1,localhost"})},
		{"a proxy for TLS, and both lists", "", map[string]string{"HTTPS_PROXY": "http://p", "NO_PROXY": "a,localhost", "no_proxy": "b,a"},
			slices.Concat(words, region, []string{"NO_PROXY=a,localhost,b,127.0.0.1", "no_proxy=a,localhost,b,127.0.0.1"})},
		{"a proxy for TLS in small letters", "", map[string]string{"https_proxy": "http://p"},
			slices.Concat(words, region, []string{"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost"})},
		{"a proxy without exceptions", "", map[string]string{"all_proxy": "socks5://p"},
			slices.Concat(words, region, []string{"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost"})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := map[string]string{"HOME": home}
			for name, value := range tt.env {
				env[name] = value
			}
			got := clientVariables("http://x", tt.key, func(name string) string { return env[name] })
			want := slices.Concat(always, tt.more)
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("variables (-want +got):\n%s", diff)
			}
		})
	}
}

// The command gets the name of the model that answers every name, in the variables that are not set.
func TestRunModelVariables(t *testing.T) {
	one, several := chatServer(t, upstreamtest.NewChat(nil), "gemma"), chatServer(t, upstreamtest.NewChat(nil), "gemma", "qwen")
	const script = `echo "$ANTHROPIC_MODEL,$ANTHROPIC_SMALL_FAST_MODEL"`
	for _, tt := range []struct{ flags, own, want string }{
		{"--base-url " + several + " --model qwen", "", "qwen,qwen\n"},
		{"--base-url " + several + " --model qwen", "mine", "mine,qwen\n"},
		{"--base-url " + one, "", "gemma,gemma\n"},
		{"--base-url " + several, "", ",\n"},
		{"--simulated", "", ",\n"},
	} {
		t.Setenv("ANTHROPIC_MODEL", tt.own)
		t.Setenv("ANTHROPIC_SMALL_FAST_MODEL", "")
		w := startWrapped(t, tt.flags, script)
		if got, code := w.end(t); got != tt.want || code != 0 {
			t.Errorf("%s: exit code %d, %q, want %q: %s", tt.flags, code, got, tt.want, w.stderr)
		}
	}
}

func TestOpenAIVariables(t *testing.T) {
	urls := []string{"OPENAI_BASE_URL=http://x/v1", "OPENAI_API_BASE=http://x/v1"}
	for _, tt := range []struct {
		name, key, own string
		more           []string
	}{
		{"nothing is set", "", "", []string{"OPENAI_API_KEY=none"}},
		{"a key is set", "", "k", nil},
		{"with a key", "s", "k", []string{"OPENAI_API_KEY=s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := openAIVariables("http://x", tt.key, func(name string) string { return map[string]string{"OPENAI_API_KEY": tt.own}[name] })
			if diff := cmp.Diff(slices.Concat(urls, tt.more), got); diff != "" {
				t.Errorf("variables (-want +got):\n%s", diff)
			}
		})
	}
}

// Programs that use OpenAI for embeddings keep their own address of it.
func TestRunWithoutOpenAI(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "https://openai.test/v1")
	t.Setenv("OPENAI_API_KEY", "k")
	const script = `echo "${OPENAI_BASE_URL#"$ANTHROPIC_BASE_URL"},$OPENAI_API_KEY"`
	for flags, want := range map[string]string{"--simulated": "/v1,k\n", "--simulated --no-openai": "https://openai.test/v1,k\n"} {
		if got, _ := startWrapped(t, flags, script).end(t); got != want {
			t.Errorf("%s: %q, want %q", flags, got, want)
		}
	}
}
