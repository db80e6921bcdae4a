package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// running is a `dragoman serve` in this process.
type running struct {
	url, admin string
	first      logLine
	log        chan string // lines after the first
	stop       context.CancelFunc
	code       chan int
}

type logLine struct {
	Level, Time, Version, URL, Msg, Config string
	AdminURL                               string `json:"admin_url"`
	Simulated                              bool
}

// start serves on free ports until the test ends.
func start(t *testing.T, env map[string]string, args ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, stderr := io.Pipe()
	r := &running{log: make(chan string, 1000), stop: stop, code: make(chan int, 1)}
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, args...)
	ended := make(chan struct{})
	go func() {
		r.code <- run(ctx, args, strings.NewReader(""), io.Discard, stderr, func(name string) string { return env[name] })
		stderr.Close()
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("serve ended without a word")
	}
	first := lines.Text()
	go func() {
		defer close(ended)
		defer close(r.log)
		for lines.Scan() {
			r.log <- lines.Text()
		}
	}()
	t.Cleanup(func() { stop(); <-ended })
	r.first = decode[logLine](t, first)
	r.url, r.admin = r.first.URL, r.first.AdminURL
	return r
}

// await reads the log up to a line that contains text, and returns the line.
func (r *running) await(t *testing.T, text string) string {
	t.Helper()
	for line := range r.log {
		if strings.Contains(line, text) {
			return line
		}
	}
	t.Fatalf("the log ended without %q", text)
	return ""
}

// client keeps no connections, so that none outlives a test.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func status(t *testing.T, url string) int {
	t.Helper()
	response, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

func post(t *testing.T, c *http.Client, url, body string) *http.Response {
	t.Helper()
	response, err := c.Post(url+"/v1/messages", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

func read(t *testing.T, response *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v: %s", response.Status, err, data)
	}
	return string(data)
}

// streamedCall returns the call to get_weather in a streamed answer.
func streamedCall(t *testing.T, response *http.Response) (call block) {
	t.Helper()
	stream := read(t, response)
	input := ""
	for line := range strings.Lines(stream) {
		if data, found := strings.CutPrefix(line, "data: "); found {
			e := decode[event](t, data)
			if e.ContentBlock.Type == "tool_use" {
				call = e.ContentBlock
			}
			input += e.Delta.PartialJSON
		}
	}
	if call.Name != "get_weather" || !strings.Contains(stream, "event: message_stop") {
		t.Fatalf("no tool was called in %s", stream)
	}
	call.Input = decode[map[string]any](t, input)
	return call
}

var streaming = strings.Replace(weatherRequest, `"messages"`, `"stream":true,"messages"`, 1)

func TestServeSimulated(t *testing.T) {
	server := start(t, nil, "--simulated")
	want := fmt.Sprintf("export ANTHROPIC_BASE_URL=%s # simulated", server.url)
	if f := server.first; !strings.HasSuffix(f.Msg, want) || !f.Simulated || f.Level != "info" || f.Version == "" {
		t.Errorf("first line of the log: %+v", f)
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		if got := status(t, server.admin+path); got != http.StatusOK {
			t.Errorf("%s answers %d", path, got)
		}
	}

	whole := decode[message](t, read(t, post(t, client, server.url, weatherRequest)))
	if whole.StopReason != "tool_use" {
		t.Fatalf("no tool was called: %+v", whole)
	}
	got := streamedCall(t, post(t, client, server.url, streaming))
	if diff := cmp.Diff(whole.Content[len(whole.Content)-1], got); diff != "" || got.Input["city"] != "Oslo" {
		t.Errorf("the call at once, and streamed (-at once +streamed):\n%s", diff)
	}

	health := invocation{}.run(t, "healthcheck", "--admin-listen", strings.TrimPrefix(server.admin, "http://"))
	if health.code != 0 || health.stdout != "ok\n" {
		t.Errorf("healthcheck: %+v", health)
	}
	server.stop()
	if code := <-server.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A server on all addresses logs a URL that other machines can use, if this machine has such an address.
func TestURLForOtherMachines(t *testing.T) {
	server := start(t, nil, "--simulated", "--insecure", "--listen", "0.0.0.0:0", "--admin-listen", "0.0.0.0:0")
	for path, at := range map[string]string{"/": server.url, "/healthz": server.admin} {
		if strings.Contains(at, "0.0.0.0") || status(t, at+path) != http.StatusOK {
			t.Errorf("%s", at)
		}
	}
}

// limits.max_connection_age applies to client connections.
func TestServeConnectionAge(t *testing.T) {
	for age, reuses := range map[string]bool{"1ns": false, "1h": true, "0": true} {
		server := start(t, nil, "--config", write(t, "dragoman.yaml", simulatedFile+"limits: {max_connection_age: "+age+"}\n"))
		transport := &http.Transport{}
		c := &http.Client{Transport: transport}
		ask(t, c, server.url)
		if got := ask(t, c, server.url); !got.answered || got.reused != reuses {
			t.Errorf("with the age %s: %+v", age, got)
		}
		transport.CloseIdleConnections()
	}
}

func TestServeHTTP2WithoutTLS(t *testing.T) {
	server := start(t, nil, "--simulated")
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	response := post(t, &http.Client{Transport: transport}, server.url, weatherRequest)
	if m := decode[message](t, read(t, response)); response.ProtoMajor != 2 || m.StopReason != "tool_use" {
		t.Errorf("%s: %+v", response.Proto, m)
	}
}

// slowModel is a server with the Messages API that begins an answer, and ends it only when it is released.
type slowModel struct {
	*httptest.Server
	release chan struct{}
}

func newSlowModel(t *testing.T) *slowModel {
	m := &slowModel{release: make(chan struct{})}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		sse(w, "message_start", `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}`)
		sse(w, "content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
		sse(w, "content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It "}}`)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-m.release:
		case <-r.Context().Done():
			return
		}
		sse(w, "content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"rains."}}`)
		sse(w, "content_block_stop", `{"type":"content_block_stop","index":0}`)
		sse(w, "message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":3}}`)
		sse(w, "message_stop", `{"type":"message_stop"}`)
	}))
	t.Cleanup(m.Close)
	return m
}

func sse(w io.Writer, event, data string) { fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data) }

func (m *slowModel) config(t *testing.T, timeouts string) string {
	return write(t, "dragoman.yaml", fmt.Sprintf(`
upstreams: {slow: {kind: anthropic, base_url: %q}}
models: [{name: "*", upstream: slow, model: m}]
timeouts: {%s}`, m.URL, timeouts))
}

// openStream sends a streaming request and waits for its first bytes.
func openStream(t *testing.T, server *running) (*http.Response, *bufio.Reader) {
	t.Helper()
	response := post(t, client, server.url, streaming)
	body := bufio.NewReader(response.Body)
	if line, err := body.ReadString('\n'); err != nil || line != "event: message_start\n" {
		t.Fatalf("%s, %v: %s", response.Status, err, line)
	}
	return response, body
}

func TestDrain(t *testing.T) {
	model := newSlowModel(t)
	server := start(t, nil, "--config", model.config(t, "connect: 5s"))
	_, body := openStream(t, server)

	server.stop()
	server.await(t, "draining")
	if got := status(t, server.admin+"/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("/readyz answers %d while draining", got)
	}
	if got := status(t, server.admin+"/healthz"); got != http.StatusOK {
		t.Errorf("/healthz answers %d while draining", got)
	}
	close(model.release)
	rest, err := io.ReadAll(body)
	if err != nil || !bytes.Contains(rest, []byte("rains.")) || !bytes.Contains(rest, []byte("event: message_stop")) {
		t.Errorf("the open stream ended with %v:\n%s", err, rest)
	}
	if code := <-server.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(server.url, "http://")); err == nil {
		t.Error("somebody still listens")
	}
}

// An exchange that outlasts the drain gets an error: it must not look finished.
func TestDrainTimeout(t *testing.T) {
	server := start(t, nil, "--config", newSlowModel(t).config(t, "drain: 1ms"))
	_, body := openStream(t, server)
	server.stop()
	rest, err := io.ReadAll(body)
	if err != nil || !bytes.Contains(rest, []byte("event: error")) || !bytes.Contains(rest, []byte("overloaded_error")) || bytes.Contains(rest, []byte("message_stop")) {
		t.Errorf("the stream that was cut ended with %v:\n%s", err, rest)
	}
	server.await(t, "the time was up")
	if code := <-server.code; code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}

func TestServeFailures(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, flag := range []string{"--listen", "--admin-listen"} {
		args := []string{"serve", "--simulated", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", flag, taken.Addr().String()}
		if got := (invocation{}).run(t, args...); got.code != 1 || !strings.Contains(got.stderr, "address already in use") {
			t.Errorf("%s on a port that is taken: %+v", flag, got)
		}
	}
}

func TestCheckOnline(t *testing.T) {
	model := newSlowModel(t)
	close(model.release)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	path := write(t, "dragoman.yaml", fmt.Sprintf(`
upstreams:
  sim: {kind: simulated}
  well: {kind: anthropic, base_url: %q}
  spare: {kind: anthropic, base_url: %q}
  gone: {kind: anthropic, base_url: %q}
models:
  - {name: a, upstream: sim}
  - {name: b, upstream: well, model: m}
  - {name: c, upstream: gone}
  - {name: "*", upstream: spare}
  - {name: late, upstream: sim}
`, model.URL, model.URL, gone.URL))
	got := invocation{}.run(t, "check", "--online", "--config", path)
	if got.code != 1 || strings.Contains(got.stdout, "ok\n") || !strings.Contains(got.stderr, "upstreams that failed: 1") {
		t.Errorf("exit code %d:\n%s", got.code, got.stderr)
	}
	for _, want := range []string{
		"\nupstream  well: anthropic " + model.URL + "\n",
		"\nmodel     b: well m in legacy: family claude, by its upstream\n",
		"\nwarning   " + path + `:12: models[4]: "late" is never reached`,
		"\nonline    sim: a answered in ",
		"\nonline    well: m answered in ",
		"\nonline    spare: not called: ",
		"\nonline    gone: c failed: nothing answers at " + gone.URL + " (",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is not in:\n%s", want, got.stdout)
		}
	}
	if got := (invocation{}).run(t, "check", "--online", "--simulated"); got.code != 0 || !strings.Contains(got.stdout, "online    simulated: * answered in ") || !strings.HasSuffix(got.stdout, "\nok\n") {
		t.Errorf("check --simulated --online: %+v", got)
	}
}

// check --online distinguishes a nearly right address from a server that is down.
func TestCheckOnlineAddress(t *testing.T) {
	plain, secure := httptest.NewServer(http.NotFoundHandler()), httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	mute, err := net.Listen("tcp", "127.0.0.1:0") // closes each connection
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mute.Close() })
	go func() {
		for {
			conn, err := mute.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	for _, test := range []struct{ url, said, named string }{
		{strings.Replace(plain.URL, "http:", "https:", 1) + "/v1", "speaks HTTP without TLS; write http:// instead of https://", "speaks HTTP without TLS"},
		{secure.URL + "/v1", "set the key ca of the upstream", "does not trust the certificate"},
		{plain.URL + "/v2/v1", "; correct model, or the path of base_url, which most often ends in /v1", "has no list of models"},
		{"https://" + mute.Addr().String() + "/v1", "write http:// instead of https://", "write http:// instead of https://"},
	} {
		path := write(t, "dragoman.yaml", fmt.Sprintf("upstreams:\n  u: {kind: openai, base_url: %q}\nmodels:\n  - {name: m, upstream: u}\n", test.url))
		if got := (invocation{}).run(t, "check", "--online", "--config", path); !strings.Contains(got.stdout, test.said) || strings.Contains(got.stdout, "nothing answers") {
			t.Errorf("%s: no %q in\n%s", test.url, test.said, got.stdout)
		}
		if got := (invocation{}).run(t, "check", "--online", "--base-url", test.url); !strings.Contains(got.stderr, test.named) || strings.Contains(got.stderr, "nothing answers") {
			t.Errorf("--base-url %s: no %q in\n%s", test.url, test.named, got.stderr)
		}
	}
}

// A plain server that waits for more of a request never answers a TLS handshake.
func TestCheckOnlineHandshake(t *testing.T) {
	waits, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = waits.Close() })
	path := write(t, "dragoman.yaml", fmt.Sprintf("timeouts: {connect: 50ms}\nupstreams:\n  u: {kind: openai, base_url: \"https://%s/v1\"}\nmodels:\n  - {name: m, upstream: u}\n", waits.Addr()))
	if got := (invocation{}).run(t, "check", "--online", "--config", path); !strings.Contains(got.stdout, "write http:// instead of https://") {
		t.Errorf("got %+v", got)
	}
}

// `render` shows what the server would ask, byte for byte.
func TestRenderIsDryRun(t *testing.T) {
	path := write(t, "dragoman.yaml", simulatedFile)
	server := start(t, nil, "--config", path)
	for _, model := range []string{"claude-2.1", "claude-3-opus"} {
		body := strings.Replace(weatherRequest, "claude-2.1", model, 1)
		body = strings.Replace(body, `"messages"`, `"tool_choice":{"type":"any"},"messages"`, 1)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.url+"/v1/messages", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Dragoman-Dry-Run", "1")
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		got := invocation{stdin: body}.run(t, "render", "--config", path)
		if diff := cmp.Diff(read(t, response)+"\n", got.stdout); diff != "" {
			t.Errorf("%s (-server +render):\n%s", model, diff)
		}
	}
}
