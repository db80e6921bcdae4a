package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"dragoman/translate"
	"dragoman/upstream/upstreamtest"
)

// chatServer serves a fake server of chat completions, and returns its base URL.
func chatServer(t *testing.T, s *upstreamtest.Chat, models ...string) string {
	t.Helper()
	s.Models = models
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// weatherOnly serves a model whose server has a tools API that reads only one kind of call. The model fills in
// get_weather, and writes calls of other tools in the attribute format, which the server does not read. Without the
// tools API it is the simulated model.
func weatherOnly() *upstreamtest.Chat {
	fake := upstreamtest.NewChat(func(model string, p *translate.Prompt) upstreamtest.Completion {
		switch {
		case p.ToolAPI == nil:
			return upstreamtest.Simulated(model, p)
		case p.ToolAPI.Tools[0].Name == "get_weather":
			return upstreamtest.Completion{Text: `<tool_call>{"name":"get_weather","arguments":{"city":"Lisbon"}}</tool_call>`}
		}
		return upstreamtest.Completion{Text: "<function_calls>\n<invoke name=\"set_timer\">\n<parameter name=\"minutes\">5</parameter>\n</invoke>\n</function_calls>"}
	})
	fake.Tools.Reads = true
	return fake
}

const timerSet = `{"id": "weather", "kind": "a", "tools": [{"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}], "question": "What is the weather in Lisbon?", "expected": [{"name": "get_weather", "input": {"city": "Lisbon"}}]}
{"id": "timer", "kind": "b", "tools": [{"name": "set_timer", "input_schema": {"type": "object", "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]}}], "question": "Set a timer for 5 minutes.", "expected": [{"name": "set_timer", "input": {"minutes": 5}}]}
`

// TestEvalServer evaluates a server without a configuration file, with the default ways and questions, and then loads
// the printed entry.
func TestEvalServer(t *testing.T) {
	fake := weatherOnly()
	url := chatServer(t, fake, "gemma")
	out := t.TempDir()
	got := invocation{}.run(t, "eval", "--base-url", url, "--out", out)
	if got.code != 0 || !regexp.MustCompile(`^Questions: 26, each in 4 ways\. The first answer took \S+ s; 151 more take up to .*\n(\d+/104, right .*\n){10}$`).MatchString(got.stderr) {
		t.Fatalf("got %+v", got)
	}
	for _, want := range []string{"\nlegacy     20 ", "\nattribute  20 ", "\njson       20 ", "\nserver     20 ", " simple  parallel  nested  none\n", " 1 of 6  ", "\nNo clear winner: the lead of legacy over "} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is not in\n%s", want, got.stdout)
		}
	}
	if again := (invocation{}).run(t, "eval", "--base-url", url, "--out", out); again.stdout != got.stdout || again.stderr != "" {
		t.Errorf("the second run: %+v", again)
	}

	_, rest, _ := strings.Cut(got.stdout, "for the configuration file:\n\n")
	entry, _, _ := strings.Cut(rest, "\n\n")
	if !strings.Contains(entry, "format: auto") {
		t.Errorf("where nothing is better, the entry is not that of the default:\n%s", entry)
	}
	succeed(t, "check", "--config", write(t, "dragoman.yaml", entry), "--online")
}

// TestEvalWays compares a server's tools API with and without reading calls in text, on a folder of files, and with a
// key.
func TestEvalWays(t *testing.T) {
	fake := weatherOnly()
	fake.Key = "secret"
	url := chatServer(t, fake, "gemma", "qwen")
	key := write(t, "key", "secret\n")
	set := write(t, "set.jsonl", timerSet)
	for _, args := range [][]string{{set}, {filepath.Dir(set)}} {
		got := invocation{}.run(t, append([]string{"eval", "--base-url", url, "--api-key-file", key, "--model", "qwen", "--formats", "auto,legacy,server,native", "--out", t.TempDir()}, args...)...)
		if got.code != 0 {
			t.Fatalf("got %+v", got)
		}
		for _, want := range []string{"\nlegacy  2          2 ", "\nserver  2          1 ", "\nnative  2          2 ", "\nToo few answers to say which way is best: ", `api_key: "file:` + key + `"}`, "  - name: \"qwen\"\n"} {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%q is not in\n%s", want, got.stdout)
			}
		}
	}

	got := invocation{}.run(t, "eval", "--base-url", url, "--api-key-file", key, "--out", t.TempDir())
	if want := "has 2 models; name one, as in `dragoman eval --base-url " + url + " --api-key-file " + key + " --model gemma`:\n  gemma\n  qwen\n"; got.code != 1 || !strings.HasSuffix(got.stderr, want) {
		t.Errorf("got %+v", got)
	}
	file := write(t, "dragoman.yaml", "upstreams:\n  a: {kind: anthropic, base_url: \"http://127.0.0.1:1\", api_key: k}\nmodels:\n  - {name: m, upstream: a}\n")
	if got := (invocation{}).run(t, "eval", "--config", file, "--model", "m", "--formats", "native", "--out", t.TempDir()); got.code != 2 || !strings.Contains(got.stderr, "a call in text stays text; write server instead") {
		t.Errorf("got %+v", got)
	}
	if got := (invocation{}).run(t, "eval", "--simulated", "--formats", "server", "--out", t.TempDir()); got.code != 2 || !strings.Contains(got.stderr, "simulated has no tools API for this model; leave it out") {
		t.Errorf("got %+v", got)
	}
}

// TestEvalSlots asks a llama.cpp that answers one request at once: eval asks no more, whatever --concurrency says.
func TestEvalSlots(t *testing.T) {
	var running, most atomic.Int32
	fake := upstreamtest.NewChat(func(model string, p *translate.Prompt) upstreamtest.Completion {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		for range 100 { // let others run
			runtime.Gosched()
		}
		defer running.Add(-1)
		return upstreamtest.Simulated(model, p)
	})
	fake.Models = []string{"gemma"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/props" {
			w.Header().Set("content-type", "application/json")
			fmt.Fprint(w, `{"total_slots":1,"model_path":"gemma-3.gguf"}`)
			return
		}
		fake.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	succeed(t, "eval", "--base-url", server.URL+"/v1", "--concurrency", "8", "--formats", "legacy", "--out", t.TempDir())
	if n := most.Load(); n != 1 {
		t.Errorf("%d requests ran at once", n)
	}
}

// TestEvalEntry prints the entry of a configuration again. auto means legacy for this model, whatever format its entry
// has.
func TestEvalEntry(t *testing.T) {
	url := chatServer(t, upstreamtest.NewChat(nil), "gemma")
	file := write(t, "dragoman.yaml", `{upstreams: {here: {kind: openai, base_url: "`+url+`"}}, models: [{name: "g*", upstream: here, model: gemma, format: json}]}`)
	got := succeed(t, "eval", "--config", file, "--model", "gpt", "--formats", "legacy", "--out", t.TempDir(), write(t, "set.jsonl", timerSet))
	if want := "models:\n  - name: \"gpt\"\n    upstream: here\n    model: \"gemma\"\n    format: auto # beside the other keys of the entry\n"; !strings.Contains(got, want) {
		t.Errorf("%q is not in\n%s", want, got)
	}
}

// TestServerCannotBeUsed: if --base-url cannot work, the error says so with what to do, before anything takes long.
func TestServerCannotBeUsed(t *testing.T) {
	refuse := func(status int, message string) *upstreamtest.Chat {
		return upstreamtest.NewChat(upstreamtest.Answer(upstreamtest.Completion{Fault: upstreamtest.Refuse(status, "invalid_request_error", message, "")}))
	}
	locked := upstreamtest.NewChat(nil)
	locked.Key = "secret"
	behindKey := chatServer(t, locked, "gemma")
	good := chatServer(t, upstreamtest.NewChat(nil), "gemma")
	wrong := write(t, "key", "nonsense")
	unknown := chatServer(t, refuse(404, "no such model"), "gemma")
	dying := chatServer(t, upstreamtest.NewChat(upstreamtest.Answer(upstreamtest.Completion{Fault: upstreamtest.Cut(1)})), "gemma")
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"nobody there", []string{"--base-url", "http://127.0.0.1:1/v1"}, "nothing answers at http://127.0.0.1:1/v1 (connection refused); start the server, or give its port: by default llama.cpp listens on 8080, Ollama on 11434, vLLM on 8000, LM Studio on 1234; then run `dragoman COMMAND --base-url http://127.0.0.1:1/v1ONLINE`"},
		{"no /v1", []string{"--base-url", strings.TrimSuffix(good, "/v1")}, "most servers have their API below /v1: run `dragoman COMMAND --base-url " + good + "ONLINE`"},
		{"another path", []string{"--base-url", good + "/x"}, "check the port and the path, which most often ends in /v1, or name a model: `dragoman COMMAND --base-url " + good + "/xONLINE --model NAME`"},
		{"no key", []string{"--base-url", behindKey}, "wants a key; write it into a file, and run `dragoman COMMAND --base-url " + behindKey + "ONLINE --api-key-file FILE`"},
		{"a wrong key", []string{"--base-url", behindKey, "--api-key-file", wrong}, "does not accept the key in " + wrong},
		{"a model that cannot chat", []string{"--base-url", chatServer(t, refuse(400, `"embed" does not support chat`), "embed")}, `the model "embed" cannot chat (400 "embed" does not support chat); name a chat model, often -instruct`},
		{"a server that loads", []string{"--base-url", chatServer(t, refuse(503, "Loading model"), "gemma")}, "is not ready (Loading model); wait until it has loaded its model"},
		{"an unknown model", []string{"--base-url", unknown, "--model", "gema"}, "does not know the model \"gema\" (404 no such model); name one that it lists, as in `dragoman COMMAND --base-url " + unknown + "ONLINE --model gemma`:\n  gemma\n"},
		{"a server that dies", []string{"--base-url", dying}, dying + " failed: the upstream broke off before the end of its answer; look at the log of the server, then run `dragoman COMMAND --base-url " + dying + "ONLINE --model gemma`"},
		{"no models", []string{"--base-url", chatServer(t, upstreamtest.NewChat(nil), []string{}...)}, "lists no model; load one into the server"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, command := range [][]string{{"eval", "--out", t.TempDir()}, {"check", "--online"}} {
				online := ""
				if command[0] == "check" {
					online = " --online"
				}
				want := strings.NewReplacer("COMMAND", command[0], "ONLINE", online).Replace(tt.want)
				if got := (invocation{}).run(t, append(command, tt.args...)...); got.code != 1 || !strings.Contains(got.stderr, want) {
					t.Errorf("%s: got %+v", command[0], got)
				}
			}
		})
	}
}

// TestCheckLoop plays a whole loop with a server, and prints it with the commands for a client.
func TestCheckLoop(t *testing.T) {
	good := chatServer(t, upstreamtest.NewChat(nil), "gemma")
	silent := upstreamtest.NewChat(func(model string, p *translate.Prompt) upstreamtest.Completion {
		if said := upstreamtest.Simulated(model, p); strings.Contains(said.Text, "find_book") && !strings.Contains(said.Text, "returned") {
			return said
		}
		return upstreamtest.Completion{}
	})
	repeats := upstreamtest.NewChat(func(string, *translate.Prompt) upstreamtest.Completion {
		return upstreamtest.Completion{Text: "<function_calls>\n<invoke name=\"find_book\">\n<parameter name=\"title\">Moby Dick</parameter>\n</invoke>\n</function_calls>"}
	})
	fails := upstreamtest.NewChat(func(model string, p *translate.Prompt) upstreamtest.Completion {
		if text, _ := json.Marshal(p); !strings.Contains(string(text), "find_book") {
			return upstreamtest.Simulated(model, p)
		}
		return upstreamtest.Completion{Fault: upstreamtest.Refuse(400, "invalid_request_error", "no tools here", "")}
	})
	several := chatServer(t, upstreamtest.NewChat(nil), "a", "it's b")
	for _, tt := range []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string // are in it
	}{
		{"the only model", []string{"--base-url", good}, 0, `
loop      question: On which shelf is the book Moby Dick?
          call:     find_book {"title":"Moby Dick"}
          result:   shelf 7C, 2 copies
          answer:   [simulated] The tool find_book returned: shelf 7C, 2 copies
next      dragoman serve --base-url ` + good + `
          export ANTHROPIC_BASE_URL=http://127.0.0.1:8484 # for the client, in another terminal
ok
`, ""},
		{"another address", []string{"--base-url", good, "--listen", "127.0.0.1:9000"}, 0, "next      dragoman serve --base-url " + good + " --listen 127.0.0.1:9000\n          export ANTHROPIC_BASE_URL=http://127.0.0.1:9000 #", ""},
		{"a free port", []string{"--base-url", good, "--listen", "127.0.0.1:0"}, 0, "--listen 127.0.0.1:0\nok\n", ""},
		{"several models", []string{"--base-url", several}, 0, "online    openai: lists 2 models; none was called: a, it's b\nnext      dragoman check --base-url " + several + " --online --model a\nok\n", ""},
		{"one of several", []string{"--base-url", several, "--model", "it's b"}, 0, "online    openai: it's b, answers: 2 in ", ""},
		{"a model without a word", []string{"--base-url", chatServer(t, silent, "gemma")}, 1, "          result:   shelf 7C, 2 copies\n          answer:   (nothing)\n",
			"check: gemma played no whole loop: the last answer is empty; find a better format with `dragoman eval --base-url "},
		{"a model that repeats its call", []string{"--base-url", chatServer(t, repeats, "gemma")}, 1, "          call:     find_book {\"title\":\"Moby Dick\"} (8 times)\n", "gemma played no whole loop: no end after 8 answers; find"},
		{"a server that fails", []string{"--base-url", chatServer(t, fails, "gemma")}, 1, "online    openai: gemma, answers: 0 in ", "failed within a loop: 400 invalid_request_error: no tools here"},
		{"the command to serve one of several", []string{"--base-url", several, "--model", "it's b"}, 0, "next      dragoman serve --base-url " + several + " --model 'it'\\''s b'\n", ""},
		{"a model of no server", []string{"--simulated", "--model", "m"}, 2, "", "--model needs --base-url"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := invocation{}.run(t, append([]string{"check", "--online"}, tt.args...)...)
			if got.code != tt.code || !strings.Contains(got.stdout, tt.stdout) || !strings.Contains(got.stderr, tt.stderr) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestServeServer serves all models of a server under their own names, with a key that changes.
func TestServeServer(t *testing.T) {
	fake := upstreamtest.NewChat(nil)
	fake.Key = "secret"
	url := chatServer(t, fake, "gemma", "qwen")
	key := write(t, "key", "old")
	server := start(t, map[string]string{"DRAGOMAN_BASE_URL": url, "DRAGOMAN_CONFIG": ""}, "--api-key-file", key)
	if response := post(t, client, server.url, weatherRequest); response.StatusCode != 502 {
		t.Errorf("with an old key: %s", response.Status)
	}
	if err := os.WriteFile(key, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server.await(t, "the configuration was read again, and serves new requests")
	if got := read(t, post(t, client, server.url, weatherRequest)); !strings.Contains(got, `"name":"get_weather"`) {
		t.Error(got)
	}
	if got := fetch(t, server.url+"/v1/models"); !strings.Contains(got, `"gemma"`) || !strings.Contains(got, `"qwen"`) {
		t.Error(got)
	}
}

// TestServeModel answers every name with one model: the one of --model, or the only one that the server lists.
func TestServeModel(t *testing.T) {
	var asked atomic.Value
	fake := func() *upstreamtest.Chat {
		return upstreamtest.NewChat(func(model string, p *translate.Prompt) upstreamtest.Completion {
			asked.Store(model)
			return upstreamtest.Simulated(model, p)
		})
	}
	for _, args := range [][]string{{"--base-url", chatServer(t, fake(), "gemma", "local"), "--model", "local"}, {"--base-url", chatServer(t, fake(), "local")}} {
		server := start(t, nil, args...)
		if got := read(t, post(t, client, server.url, weatherRequest)); !strings.Contains(got, `"name":"get_weather"`) || asked.Load() != "local" {
			t.Errorf("%q: asked %v, got %s", args, asked.Load(), got)
		}
		if got := fetch(t, server.url+"/v1/models"); !strings.Contains(got, `"local"`) || strings.Contains(got, `"gemma"`) {
			t.Errorf("%q: %s", args, got)
		}
	}
	for _, command := range []string{"serve", "run"} {
		args := []string{command, "--simulated", "--model", "m"}
		if command == "run" {
			args = append(args, "--", "true")
		}
		if got := (invocation{}).run(t, args...); got.code != 2 || !strings.Contains(got.stderr, "--model needs --base-url") {
			t.Errorf("%s: got %+v", command, got)
		}
	}
}

// TestSources checks which of --base-url, --config and --simulated wins.
func TestSources(t *testing.T) {
	file := write(t, "dragoman.yaml", simulatedFile)
	const url = "http://127.0.0.1:8080/v1"
	for _, tt := range []struct {
		args []string
		env  map[string]string
		code int
		want string
	}{
		{[]string{"--base-url", url, "--config", file}, nil, 2, "--base-url and --config both say where the models are; leave one of them out"},
		{[]string{"--base-url", url, "--simulated"}, nil, 2, "--base-url and --simulated both say where the models are; leave one of them out"},
		{nil, map[string]string{"DRAGOMAN_BASE_URL": url, "DRAGOMAN_CONFIG": file}, 2, "DRAGOMAN_BASE_URL and DRAGOMAN_CONFIG both say"},
		{[]string{"--api-key-file", file}, nil, 2, "--api-key-file needs --base-url"},
		{[]string{"--model", "m"}, nil, 2, "--model needs --base-url"},
		{[]string{"--config", file, "--model", "m"}, map[string]string{"DRAGOMAN_BASE_URL": url}, 2, "--model needs --base-url"},
		{[]string{"--config", file}, map[string]string{"DRAGOMAN_BASE_URL": url, "DRAGOMAN_MODEL": "m"}, 0, "upstream  sim: simulated"},
		{[]string{"--simulated"}, map[string]string{"DRAGOMAN_MODEL": "m"}, 0, "model     *: simulated in the format of its family"},
		{[]string{"--base-url", url, "--model", "m"}, nil, 0, "model     *: openai/chat m in "},
		{nil, map[string]string{"DRAGOMAN_BASE_URL": url, "DRAGOMAN_MODEL": "m"}, 0, "model     *: openai/chat m in "},
		{[]string{"--base-url", url}, map[string]string{"DRAGOMAN_CONFIG": file, "DRAGOMAN_SIMULATED": "true"}, 0, "upstream  openai: openai " + url},
		{[]string{"--config", file}, map[string]string{"DRAGOMAN_BASE_URL": url, "DRAGOMAN_API_KEY_FILE": "/none"}, 0, "upstream  sim: simulated"},
		{[]string{"--simulated"}, map[string]string{"DRAGOMAN_BASE_URL": url}, 0, "upstream  simulated: simulated"},
		{[]string{"--simulated"}, map[string]string{"DRAGOMAN_API_KEY_FILE": "/none"}, 0, "upstream  simulated: simulated"},
		{[]string{"--base-url", "127.0.0.1:8080"}, nil, 78, `--base-url: "127.0.0.1:8080" is not the URL of a server; write scheme, host, port and path, such as http://127.0.0.1:8080/v1`},
		{[]string{"--base-url", url + "/chat/completions"}, nil, 78, "--base-url: the URL ends in /chat/completions, which Dragoman appends itself; remove /chat/completions from the URL"},
		{[]string{"--base-url", url, "--api-key-file", "/none"}, nil, 78, "--api-key-file: /none cannot be read"},
		{[]string{"--base-url", url, "--api-key-file", write(t, "empty", "\n")}, nil, 78, "empty is empty; write the key into it"},
		{[]string{"--base-url", "http://127.0.0.1:8080"}, nil, 0, "--base-url: http://127.0.0.1:8080 has no path, and most servers have this API below /v1; if requests fail, use http://127.0.0.1:8080/v1"},
		{[]string{"--base-url", "http://example.com/v1", "--api-key-file", write(t, "key", "k")}, nil, 0, "warning   --base-url: api_key and all prompts go there without encryption"},
	} {
		got := invocation{env: tt.env}.run(t, append([]string{"check"}, tt.args...)...)
		if got.code != tt.code || !strings.Contains(got.stdout+got.stderr, tt.want) {
			t.Errorf("%q %v: got %+v", tt.args, tt.env, got)
		}
	}
}
