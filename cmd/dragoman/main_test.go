package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs dragoman instead of the tests, if there are arguments for it or if the binary has its name: see
// startProgram and onPath.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == countInterrupts {
		count()
	}
	if filepath.Base(os.Args[0]) == "dragoman" {
		main()
	}
	if args := os.Getenv("TEST_DRAGOMAN_ARGS"); args != "" {
		os.Args = append([]string{"dragoman"}, strings.Split(args, " ")...)
		main()
	}
	goleak.VerifyTestMain(m)
}

// result is the outcome of a command.
type result struct {
	code           int
	stdout, stderr string
}

// invocation is a command line with its surroundings. Its environment has nothing from the machine.
type invocation struct {
	env   map[string]string
	stdin string
}

func (i invocation) run(t *testing.T, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	getenv := func(name string) string { return i.env[name] }
	code := run(t.Context(), args, strings.NewReader(i.stdin), &stdout, &stderr, getenv)
	return result{code, stdout.String(), stderr.String()}
}

// write creates a file in the test's own folder and returns its path.
func write(t *testing.T, name, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func decode[T any](t *testing.T, data string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

const simulatedFile = `
upstreams: {sim: {kind: simulated}}
models:
  - {name: claude-2.1, upstream: sim}
  - {name: "claude-3-*", upstream: sim, model: three, prefill: false}
`

func TestExitCodes(t *testing.T) {
	folder := t.TempDir()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	taken := busy.Addr().String()
	good := write(t, "good.yaml", simulatedFile)
	bad := write(t, "bad.yaml", "upstrems: {}\n")
	request := write(t, "request.json", weatherRequest)
	tests := []struct {
		name   string
		args   []string
		env    map[string]string
		code   int
		stderr string // is in it
	}{
		{"no command", nil, nil, 0, ""},
		{"unknown command", []string{"sevre"}, nil, 2, `unknown command "sevre"; did you mean "serve"?`},
		{"completion for two shells", []string{"completion", "bash", "zsh"}, nil, 2, `completion bash: unexpected argument "zsh"`},
		{"man without a folder", []string{"man"}, nil, 2, "man: the folder is missing"},
		{"the help of an unknown command", []string{"sevre", "--help"}, nil, 2, `unknown command "sevre"; did you mean "serve"?`},
		{"the help of a route", []string{"explain", "--help"}, nil, 2, "unknown command \"explain\"; run `dragoman render`"},
		{"completion for an unknown shell", []string{"completion", "zhs"}, nil, 2, `completion: unknown command "zhs"; did you mean "zsh"?`},
		{"help for an unknown command", []string{"help", "nonsense"}, nil, 2, `unknown command "nonsense"`},
		{"unknown flag", []string{"serve", "--port", "1"}, nil, 2, "serve: unknown flag --port"},
		{"flag with one dash", []string{"serve", "-config", "x"}, nil, 2, `serve: unknown flag -config; did you mean "--config"?`},
		{"unknown command with a flag", []string{"sevre", "--simulated"}, nil, 2, `unknown command "sevre"; did you mean "serve"?`},
		{"flag without its value", []string{"serve", "--listen"}, nil, 2, "serve: --listen needs a value: ADDRESS"},
		{"stray argument", []string{"serve", "dragoman.yaml"}, nil, 2, `serve: unexpected argument "dragoman.yaml"`},
		{"two files", []string{"parse", "--request", request, "a", "b"}, nil, 2, `parse: unexpected argument "b"`},
		{"text and jsonl", []string{"render", "--text", "--jsonl"}, nil, 2, "exclude each other"},
		{"eval without a model", []string{"eval"}, nil, 2, "--model is missing"},
		{"eval in an unknown format", []string{"eval", "--simulated", "--formats", "legacy,yaml"}, nil, 2, `--formats: unknown value "yaml"; use one of: auto, legacy`},
		{"eval of nobody", []string{"eval", "--simulated", "--concurrency", "0"}, nil, 2, "--concurrency: 0 is less than 1"},
		{"eval of an unknown model", []string{"eval", "--config", good, "--model", "gpt"}, nil, 1, `the configuration serves no model "gpt"`},
		{"eval of no file", []string{"eval", "--simulated", "missing.jsonl"}, nil, 1, "missing.jsonl"},
		{"parse without a request", []string{"parse"}, nil, 2, "--request is missing"},
		{"parse with a bad stop", []string{"parse", "--request", request, "--stop", "tool_use"}, nil, 2, `parse: --stop: unknown value "tool_use"; use one of: end_turn, max_tokens`},
		{"parse with a stray sequence", []string{"parse", "--request", request, "--stop", "end_turn=x"}, nil, 2, "end_turn has no stop sequence"},
		{"parse with an unknown format", []string{"parse", "--request", request, "--format", "yaml"}, nil, 2, `parse: --format: unknown value "yaml"; use one of: ` + strings.Join(parseFormats(), ", ")},
		{"parse lines with an unknown format", []string{"parse", "--jsonl", "--format", "jsn"}, nil, 2, `parse: --format: unknown value "jsn"; did you mean "json"?`},
		{"parse with a bad chunk", []string{"parse", "--request", request, "--chunk", "-1"}, nil, 2, "--chunk: -1 is less than 0"},
		{"demo in an unknown format", []string{"demo", "--format", "gml"}, nil, 2, `demo: --format: unknown value "gml"; did you mean "glm"?`},
		{"parse jsonl with a flag of the other form", []string{"parse", "--jsonl", "--events"}, nil, 2, "--events cannot be used with --jsonl"},
		{"parse jsonl with such a variable", []string{"parse", "--jsonl"}, map[string]string{"DRAGOMAN_CHUNK": "3"}, 2, "DRAGOMAN_CHUNK cannot be used with --jsonl"},
		{"parse with a request that is not there", []string{"parse", "--request", "none.json"}, nil, 1, "none.json"},
		{"parse with a request that is wrong", []string{"parse", "--request", good}, nil, 1, "dragoman: "},
		{"render a file that is not there", []string{"render", "none.json"}, nil, 1, "none.json"},
		{"render a model that is not served", []string{"render", "--config", good, "--model", "gpt", request}, nil, 1, "gpt is none that the configuration serves"},
		{"render with a bad file", []string{"render", "--config", bad, request}, nil, 78, bad + `:1: upstrems: unknown key; did you mean "upstreams"?`},
		{"serve nothing", []string{"serve"}, nil, 78, "no AWS region"},
		{"serve a bad file", []string{"serve", "--config", bad}, nil, 78, bad + `:1: upstrems: unknown key; did you mean "upstreams"?`},
		{"inspect for strangers", []string{"serve", "--simulated", "--inspect", "--admin-listen", "0.0.0.0:0"}, nil, 78, "--admin-listen: 0.0.0.0:0 can be reached from other machines, and the inspector shows there what clients and models write"},
		{"serve strangers", []string{"serve", "--simulated", "--listen", "0.0.0.0:0"}, nil, 78, "--listen: 0.0.0.0:0 can be reached from other machines"},
		{"check a bad file", []string{"check", "--config", bad}, nil, 78, bad + `:1: upstrems: unknown key; did you mean "upstreams"?`},
		{"check nothing", []string{"check"}, nil, 78, "no AWS region"},
		{"check strangers", []string{"check", "--config", good}, map[string]string{"DRAGOMAN_LISTEN": ":8484"}, 78, "DRAGOMAN_LISTEN: :8484 can be reached from other machines"},
		{"a variable that does not fit", []string{"check"}, map[string]string{"DRAGOMAN_SIMULATED": "perhaps"}, 78, `DRAGOMAN_SIMULATED: --simulated: "perhaps" is neither true nor false`},
		{"run nothing", []string{"run", "--simulated"}, nil, 2, "run: there is no command to run"},
		{"run what is not there", []string{"run", "--simulated", "--", "no-such-command"}, nil, 127, "run: no-such-command: executable file not found"},
		{"run no path", []string{"run", "--simulated", "./no/such"}, nil, 127, "run: ./no/such: no such file or directory"},
		{"run a folder", []string{"run", "--simulated", "/"}, nil, 126, "run: /: "},
		{"run a file that is no program", []string{"run", "--simulated", good}, nil, 126, "run: " + good + ": permission denied"},
		{"run without an upstream", []string{"run", "ls"}, nil, 78, "no AWS region"},
		{"run with a log in a folder", []string{"run", "--simulated", "--log-file", t.TempDir(), "ls"}, nil, 1, "run: --log-file: "},
		{"an unknown flag with a near one", []string{"serve", "--simulate"}, nil, 2, `serve: unknown flag --simulate; did you mean "--simulated"?`},
		{"a value that is none", []string{"serve", "--log-format", "jsn"}, nil, 2, `serve: --log-format: unknown value "jsn"; did you mean "json"?`},
		{"a level that is none", []string{"serve", "--log-level=loud"}, nil, 2, `serve: --log-level: unknown value "loud"; use one of: debug, info, warn, error`},
		{"a number that is none", []string{"parse", "--chunk", "x"}, nil, 2, `parse: --chunk: "x" is not a whole number`},
		{"a truth that is none", []string{"serve", "--simulated=maybe"}, nil, 2, `serve: --simulated: "maybe" is neither true nor false`},
		{"a variable whose value is none", []string{"serve"}, map[string]string{"DRAGOMAN_LOG_LEVEL": "inf"}, 78, `DRAGOMAN_LOG_LEVEL: --log-level: unknown value "inf"; did you mean "info"?`},
		{"an address that is none", []string{"serve", "--simulated", "--listen", "nonsense"}, nil, 78, `--listen: "nonsense" is not an address to listen on`},
		{"a port that is taken", []string{"serve", "--simulated", "--listen", taken, "--admin-listen", "127.0.0.1:0"}, nil, 1, taken + ": bind: address already in use; give another address with --listen"},
		{"a port of operators that is taken", []string{"serve", "--simulated", "--listen", "127.0.0.1:0", "--admin-listen", taken}, nil, 1, "address already in use; give another address with --admin-listen"},
		{"a folder as the configuration", []string{"check", "--config", folder}, nil, 78, folder + ": cannot be read: is a directory"},
		{"a folder as the request", []string{"render", folder}, nil, 1, "is a directory"},
		{"a folder as the request of a completion", []string{"parse", "--request", folder}, nil, 1, "is a directory"},
		{"a folder as the completion", []string{"parse", "--request", request, folder}, nil, 1, "is a directory"},
		{"a folder as the questions", []string{"eval", "--simulated", t.TempDir()}, nil, 1, "the folder has no file that ends in .json or .jsonl"},
		{"a request that is none", []string{"render", good}, nil, 1, "not valid JSON"},
		{"reports where a file is", []string{"eval", "--simulated", "--out", good}, nil, 1, "not a directory"},
		{"a model with a slip", []string{"render", "--config", good, "--model", "claude-2.l", request}, nil, 1, `claude-2.l is none that the configuration serves; did you mean "claude-2.1"?`},
		{"eval of a model with a slip", []string{"eval", "--config", good, "--model", "cluade-2.1"}, nil, 1, `serves no model "cluade-2.1"; did you mean "claude-2.1"?`},
		{"health at no address", []string{"healthcheck", "--admin-listen", "nonsense"}, nil, 2, `healthcheck: --admin-listen: "nonsense" is not host:port`},
		{"help for a command with a slip", []string{"help", "rendr"}, nil, 2, `unknown command "rendr"; did you mean "render"?`},
		{"models of nothing", []string{"models"}, nil, 78, "no AWS region"},
		{"health of nobody", []string{"healthcheck", "--admin-listen", "127.0.0.1:1"}, nil, 1, "not healthy: no answer from http://127.0.0.1:1/healthz (connection refused); start"},
		{"health with a bad file", []string{"healthcheck", "--config", bad}, nil, 78, "upstrems"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := invocation{env: tt.env}.run(t, tt.args...)
			if got.code != tt.code {
				t.Errorf("exit code %d, want %d", got.code, tt.code)
			}
			if lines := map[int]int{1: 1, 2: 2, 126: 1, 127: 1}[tt.code]; lines > 0 && strings.Count(got.stderr, "\n") != lines {
				t.Errorf("more than is to be said:\n%s", got.stderr)
			}
			if !strings.Contains(got.stderr, tt.stderr) || (tt.stderr == "") != (got.stderr == "") {
				t.Errorf("stderr has not %q:\n%s", tt.stderr, got.stderr)
			}
			if tt.code != 0 && got.stdout != "" {
				t.Errorf("a failure wrote to stdout:\n%s", got.stdout)
			}
		})
	}
}

// For every command that prints, a failed write is an error.
func TestFullDisk(t *testing.T) {
	request := write(t, "request.json", weatherRequest)
	completion := write(t, "completion.xml", weatherCall)
	for _, args := range [][]string{
		{"help"}, {"serve", "--help"}, {"demo"}, {"demo", "--verbose"}, {"check", "--simulated"}, {"render", request}, {"render", "--text", request},
		{"parse", "--request", request, completion}, {"parse", "--request", request, "--events", completion}, {"models", "--simulated"},
		{"version"}, {"version", "--json"}, {"--version"}, {"completion", "bash"},
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), fullDisk{}, &stderr, func(string) string { return "" })
		if code != exitFailed || stderr.String() != "dragoman: no space left on device\n" {
			t.Errorf("%q: exit code %d, %q", args, code, stderr.String())
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestHelp(t *testing.T) {
	overview := invocation{}.run(t).stdout
	for _, args := range [][]string{{"help"}, {"-h"}, {"--help"}} {
		if got := (invocation{}).run(t, args...); got.code != 0 || got.stdout != overview {
			t.Errorf("%v: exit code %d, or not the overview:\n%s", args, got.code, got.stdout)
		}
	}
	for _, c := range ourCommands()[1:] {
		words := strings.Fields(c.CommandPath())[1:]
		want := invocation{}.run(t, append([]string{"help"}, words...)...)
		if !strings.Contains(want.stdout, "Usage: "+c.CommandPath()) {
			t.Errorf("help %s:\n%s", words, want.stdout)
		}
		for _, args := range [][]string{append(words, "-h"), append(words, "--help")} {
			if got := (invocation{}).run(t, args...); got != want {
				t.Errorf("%v differs from help %s:\n%s%s", args, words, got.stdout, got.stderr)
			}
		}
	}
	if got := (invocation{}).run(t, "serve", "-h").stdout; !strings.Contains(got, "--admin-listen ADDRESS") || !strings.Contains(got, "[DRAGOMAN_ADMIN_LISTEN]") {
		t.Errorf("serve -h names no flag and variable:\n%s", got)
	}
}

func TestVersion(t *testing.T) {
	if got := (invocation{}).run(t, "version"); got.code != 0 || !strings.HasPrefix(got.stdout, "dragoman "+build().Version+" (go") {
		t.Errorf("version: %+v", got)
	}
	for _, flag := range []string{"--version", "-v"} {
		inContainer := invocation{env: map[string]string{"DRAGOMAN_VERSION": "1.2.3"}}
		if got, want := inContainer.run(t, flag), inContainer.run(t, "version"); got != want {
			t.Errorf("%s: %+v, want %+v", flag, got, want)
		}
		if got := inContainer.run(t); got.code != 0 {
			t.Errorf("the overview: %+v", got)
		}
	}
	got := invocation{}.run(t, "version", "--json")
	if info := decode[buildInfo](t, got.stdout); info != build() || info.Version == "" || info.Go == "" {
		t.Errorf("version --json: %+v", got)
	}
}

// Flags win over the environment, the environment over the file, the file over
// the default.
func TestPrecedence(t *testing.T) {
	file := write(t, "dragoman.yaml", "listen: 127.0.0.1:1003\n"+simulatedFile)
	other := write(t, "other.yaml", "listen: 127.0.0.1:1004\n"+simulatedFile)
	tests := []struct {
		name string
		args []string
		env  map[string]string
		want string // the line that check prints
	}{
		{"default", []string{"--simulated"}, nil, "listen    127.0.0.1:8484,"},
		{"file", []string{"--config", file}, nil, "listen    127.0.0.1:1003,"},
		{"file from the environment", nil, map[string]string{"DRAGOMAN_CONFIG": file}, "listen    127.0.0.1:1003,"},
		{"flag over environment for the file", []string{"--config", other}, map[string]string{"DRAGOMAN_CONFIG": file}, "listen    127.0.0.1:1004,"},
		{"environment over file", []string{"--config", file}, map[string]string{"DRAGOMAN_LISTEN": "127.0.0.1:1002"}, "listen    127.0.0.1:1002,"},
		{"empty variable", []string{"--config", file}, map[string]string{"DRAGOMAN_LISTEN": ""}, "listen    127.0.0.1:1003,"},
		{"flag over both", []string{"--config", file, "--listen=127.0.0.1:1001"}, map[string]string{"DRAGOMAN_LISTEN": "127.0.0.1:1002"}, "listen    127.0.0.1:1001,"},
		{"admin", []string{"--config", file}, map[string]string{"DRAGOMAN_ADMIN_LISTEN": "127.0.0.1:1005"}, "admin     127.0.0.1:1005"},
		{"insecure", []string{"--config", file, "--listen=:1006"}, map[string]string{"DRAGOMAN_INSECURE": "true"}, "listen    :1006,"},
		{"simulated from the environment", nil, map[string]string{"DRAGOMAN_SIMULATED": "1", "AWS_REGION": "us-east-1"}, "upstream  simulated: simulated"},
		{"simulated denied by flag", []string{"--simulated=false"}, map[string]string{"DRAGOMAN_SIMULATED": "1", "AWS_REGION": "us-east-1"}, "upstream  bedrock: bedrock us-east-1"},
		{"region", nil, map[string]string{"AWS_REGION": "us-east-1"}, "upstream  bedrock: bedrock us-east-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := invocation{env: tt.env}.run(t, append([]string{"check"}, tt.args...)...)
			if got.code != 0 || !strings.HasPrefix(got.stdout, "ok\n") || !strings.Contains(got.stdout, "\n"+tt.want) {
				t.Errorf("exit code %d, want ok and %q:\n%s%s", got.code, tt.want, got.stdout, got.stderr)
			}
		})
	}
}

func TestModels(t *testing.T) {
	path := write(t, "dragoman.yaml", `
upstreams: {sim: {kind: simulated}, east: {kind: bedrock, region: us-east-1}}
models:
  - {name: claude-2.1, upstream: sim}
  - {name: "claude-3-*", upstream: sim, model: three, prefill: false}
  - {name: "*instant*", upstream: east, wire: text}
  - {name: "zai.*", upstream: east, format: auto}
  - {name: qwen, upstream: east, model: qwen.qwen3-coder-480b-a35b-v1:0, format: auto, accept: all}
  - {name: glm, upstream: east, model: zai.glm-4.7, format: auto}
  - {name: lfm, upstream: sim, model: lfm2-8b, format: pythonic}
  - {name: "*", upstream: east, wire: messages, tools: auto, fallbacks: [{upstream: sim}, {upstream: east, model: m}]}
`)
	got := invocation{}.run(t, "models", "--config", path)
	want := `NAME        UPSTREAM  KIND       MODEL                            FORMAT                                                          PREFILL    WIRE      TOOLS  FALLBACKS
claude-2.1  sim       simulated  =                                legacy (auto: family claude, by its id)                         true       default   xml    -
claude-3-*  sim       simulated  three                            legacy (auto: family claude, by the name that clients ask for)  false      default   xml    -
*instant*   east      bedrock    =                                auto                                                            true       text      xml    -
zai.*       east      bedrock    =                                auto                                                            by family  default   xml    -
qwen        east      bedrock    qwen.qwen3-coder-480b-a35b-v1:0  qwen3-coder (auto: family qwen3-coder, by its id)               false      converse  xml    -
glm         east      bedrock    zai.glm-4.7                      glm (glm-4.7, auto: family glm-4, by its id)                    false      converse  xml    -
lfm         sim       simulated  lfm2-8b                          pythonic (lfm2)                                                 true       default   xml    -
*           east      bedrock    =                                auto                                                            by family  messages  auto   sim,east
`
	if got.code != 0 || got.stdout != want {
		t.Errorf("models:\n%s%s", got.stdout, got.stderr)
	}
	if got := (invocation{}).run(t, "check", "--config", path); !strings.Contains(got.stdout, "zai.glm-4.7 in glm (glm-4.7): family glm-4, by its id\n") {
		t.Errorf("check:\n%s%s", got.stdout, got.stderr)
	}
	request := write(t, "request.json", `{"model":"glm","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}`)
	if got := (invocation{}).run(t, "render", "--config", path, request); !strings.Contains(got.stdout, `,"format":"glm","variant":"glm-4.7"}`) {
		t.Errorf("render:\n%s%s", got.stdout, got.stderr)
	}
}

// A filter that waits for its input ends with the context.
func TestInterruptedFilter(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stdin, stop := blocked()
	defer stop()
	done := make(chan int)
	go func() {
		done <- run(ctx, []string{"parse", "--jsonl"}, stdin, &bytes.Buffer{}, &bytes.Buffer{}, func(string) string { return "" })
	}()
	<-stdin.reading
	cancel()
	if code := <-done; code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}

// blockedReader reports when it is read, and then returns nothing until it is stopped.
type blockedReader struct{ reading, stopped chan struct{} }

func blocked() (*blockedReader, func()) {
	r := &blockedReader{make(chan struct{}), make(chan struct{})}
	return r, func() { close(r.stopped) }
}

func (r *blockedReader) Read([]byte) (int, error) {
	close(r.reading)
	<-r.stopped
	return 0, os.ErrClosed
}
