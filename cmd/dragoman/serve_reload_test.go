package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"dragoman/cmd/dragoman/internal/config"
)

// asking returns the status of a request for a model.
func asking(t *testing.T, server *running, model string, header ...string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.url+"/v1/messages", strings.NewReader(strings.Replace(weatherRequest, "claude-2.1", model, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

// hashOf returns the hash of the configuration, which /readyz and the metrics must both have.
func hashOf(t *testing.T, server *running) string {
	t.Helper()
	match := regexp.MustCompile(`^ready\nconfig ([0-9a-f]{16})\n`).FindStringSubmatch(fetch(t, server.admin+"/readyz"))
	if match == nil {
		t.Fatal("/readyz has no hash")
	}
	if all := fetch(t, server.admin+"/metrics"); strings.Count(all, "dragoman_config_info{") != 1 || !strings.Contains(all, fmt.Sprintf(`dragoman_config_info{hash=%q} 1`, match[1])) {
		t.Errorf("the metrics do not have %s alone", match[1])
	}
	return match[1]
}

// sample reads a sample of a metric.
func sample(t *testing.T, server *running, name string) string {
	t.Helper()
	_, value, _ := strings.Cut(fetch(t, server.admin+"/metrics"), "\n"+name+" ")
	value, _, _ = strings.Cut(value, "\n")
	return value
}

// countedModel is a slow model that counts its connections.
type countedModel struct {
	*slowModel
	mu   sync.Mutex
	open map[net.Conn]bool
}

func newCountedModel(t *testing.T) *countedModel {
	slow := newSlowModel(t)
	m := &countedModel{slowModel: &slowModel{httptest.NewUnstartedServer(slow.Config.Handler), slow.release}, open: map[net.Conn]bool{}}
	m.Config.ConnState = func(c net.Conn, s http.ConnState) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.open[c] = s != http.StateClosed; !m.open[c] {
			delete(m.open, c)
		}
	}
	m.Start()
	t.Cleanup(m.Close)
	return m
}

func (m *countedModel) connections() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.open)
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not so in 30 s: " + what)
		}
	}
}

// Everything in a new file applies to new requests, and an open stream continues unchanged. A removed upstream keeps
// its connection until then, and no longer.
func TestReloadServes(t *testing.T) {
	old, next := newCountedModel(t), newSlowModel(t)
	close(next.release)
	path := write(t, "dragoman.yaml", fmt.Sprintf(`
upstreams: {old: {kind: anthropic, base_url: %q}, stays: {kind: simulated}}
models:
  - {name: claude-2.1, upstream: old, model: m}
  - {name: same, upstream: stays}
limits: {max_concurrent: 2}
`, old.URL))

	server := start(t, nil, "--config", path)
	first := hashOf(t, server)
	if server.first.Config != first {
		t.Errorf("the first line of the log has %q, and /readyz %q", server.first.Config, first)
	}
	_, body := openStream(t, server)

	replace(t, path, fmt.Sprintf(`
compat: strict
upstreams: {new: {kind: anthropic, base_url: %q}, stays: {kind: simulated}}
models:
  - {name: same, upstream: stays}
  - {name: other, upstream: new, model: m}
limits: {max_concurrent: 1}
`, next.URL))

	line := server.await(t, "serves new requests")
	want := `"changed":["upstream new added","upstream old removed","model claude-2.1 removed","model other added","compat changed","limits.max_concurrent changed"]`
	if !strings.Contains(line, want) {
		t.Errorf("logged %s", line)
	}
	if now := hashOf(t, server); now == first || !strings.Contains(line, now) {
		t.Errorf("the hash was %s and is %s; logged %s", first, now, line)
	}
	if got := asking(t, server, "other"); got != 529 {
		t.Errorf("status %d with one of one exchange open", got)
	}
	if old.connections() == 0 {
		t.Error("the open stream has lost its connection")
	}
	close(old.release)
	if rest, err := io.ReadAll(body); err != nil || !strings.Contains(string(rest), "event: message_stop") {
		t.Errorf("the open stream ended with %v:\n%s", err, rest)
	}
	eventually(t, "no connection to the upstream that has gone", func() bool { return old.connections() == 0 })
	for model, want := range map[string]int{"claude-2.1": 404, "other": 200, "same": 200} {
		if got := asking(t, server, model); got != want {
			t.Errorf("%s: status %d, want %d", model, got, want)
		}
	}
	if all := fetch(t, server.admin+"/metrics"); strings.Contains(all, `upstream="old"`) || strings.Contains(all, `model="claude-2.1"`) {
		t.Error("the metrics have names that are gone")
	}
}

// A key's usage stays, whatever else changes.
func TestReloadKeepsUsage(t *testing.T) {
	file := func(model string) string {
		return fmt.Sprintf("auth: {keys: [{name: ci, key: the-key-that-stays, requests_per_minute: 1}]}\nupstreams: {sim: {kind: simulated}}\nmodels: [{name: %s, upstream: sim}]\n", model)
	}
	path := write(t, "dragoman.yaml", file("one"))
	server := start(t, nil, "--config", path)
	if got := asking(t, server, "one", "x-api-key", "the-key-that-stays"); got != 200 {
		t.Fatalf("status %d", got)
	}
	replace(t, path, file("two"))
	server.await(t, "serves new requests")
	if got := asking(t, server, "two", "x-api-key", "the-key-that-stays"); got != 429 {
		t.Errorf("status %d for a second request in the minute", got)
	}
}

// An unusable file, a file that has just been emptied, and a file that would admit everybody change nothing. The log
// says why, with the line. The current configuration is still named.
func TestReloadChangesNothing(t *testing.T) {
	const keyed = "auth: {keys: [the-key-that-stays]}\n"
	const rest = "upstreams: {sim: {kind: simulated}}\nmodels: [{name: one, upstream: sim}]\n"
	path := write(t, "dragoman.yaml", keyed+rest)
	server := start(t, nil, "--config", path)
	hash := hashOf(t, server)
	for content, want := range map[string]string{
		keyed + rest + "limits: {atempts: 2}\n": path + `:4: limits.atempts: unknown key; did you mean \"attempts\"?`,
		"":                                      "is empty now",
		rest:                                    "auth.keys is gone",
		keyed + strings.Replace(rest, "upstream: sim", "upstream: sin", 1): path + `:3: models[0].upstream: no upstream is named \"sin\"`,
	} {
		replace(t, path, content)
		if line := server.await(t, "cannot be used"); !strings.Contains(line, want) || !strings.Contains(line, hash) {
			t.Errorf("logged %s", line)
		}
		if got := asking(t, server, "one", "x-api-key", "the-key-that-stays"); got != 200 || hashOf(t, server) != hash || sample(t, server, "dragoman_config_last_reload_success") != "0" {
			t.Errorf("%q: status %d, hash %s", content, got, hashOf(t, server))
		}
	}
	replace(t, path, keyed+rest)
	server.await(t, "and has not changed")
	if got := sample(t, server, "dragoman_config_last_reload_success"); got != "1" {
		t.Errorf("the metric is %s with the old file back", got)
	}
}

// Settings that need a restart stay and are named; the rest takes effect. Whether strangers can reach the server
// depends on where it really listens.
func TestReloadWaits(t *testing.T) {
	const file = "upstreams: {sim: {kind: simulated}}\nmodels: [{name: one, upstream: sim}]\n"
	path := write(t, "dragoman.yaml", file)
	server := start(t, nil, "--config", path)
	replace(t, path, strings.Replace(file, "name: one", "name: two", 1)+"admin_listen: 127.0.0.1:1\n")
	server.await(t, "serves new requests")
	if got := asking(t, server, "two"); got != 200 {
		t.Errorf("status %d", got)
	}
	// The test's flags decide where to listen, and flags win: nothing needs a restart.
	serveFile := write(t, "other.yaml", "listen: 127.0.0.1:0\nadmin_listen: 127.0.0.1:0\n"+file)
	running, err := config.Load(config.Source{File: serveFile, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	replace(t, serveFile, "listen: 0.0.0.0:0\nadmin_listen: 127.0.0.1:2\n"+file)
	next, err := config.Load(config.Source{File: serveFile, Getenv: func(string) string { return "" }, Running: running})
	if err != nil || next.Listen != "127.0.0.1:0" || !next.Loopback || fmt.Sprint(next.Waits) != "[listen admin_listen]" || len(running.Changes(next)) != 0 {
		t.Errorf("%v: %+v", err, next)
	}
}

// The drain time stays that of the start, because whoever ends the process, such as Kubernetes, waits for that time. A
// shorter drain would cut streams, and a longer one would be killed.
func TestReloadKeepsDrain(t *testing.T) {
	model := newSlowModel(t)
	path := model.config(t, "drain: 10m")
	server := start(t, nil, "--config", path)
	_, body := openStream(t, server)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	replace(t, path, strings.Replace(string(file), "drain: 10m", "drain: 1ms, idle: 4m", 1))
	server.await(t, "serves new requests")
	server.stop()
	waits := false
	for line := range server.log {
		waits = waits || strings.Contains(line, `"keys":["timeouts.drain"]`)
		if strings.Contains(line, "draining") {
			close(model.release)
			break
		}
	}
	if rest, err := io.ReadAll(body); err != nil || !bytes.Contains(rest, []byte("event: message_stop")) {
		t.Errorf("the stream ended with %v:\n%s", err, rest)
	}
	for line := range server.log {
		waits = waits || strings.Contains(line, `"keys":["timeouts.drain"]`)
	}
	if code := <-server.code; code != 0 || !waits {
		t.Errorf("exit code %d, and the log names the drain: %t", code, waits)
	}
}

// A ConfigMap is mounted as a link to a folder that is replaced as a whole.
func TestConfigMapReplaced(t *testing.T) {
	folder := t.TempDir()
	version := func(name, model string) {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		replace(t, filepath.Join(folder, name, "dragoman.yaml"), "upstreams: {sim: {kind: simulated}}\nmodels: [{name: "+model+", upstream: sim}]\n")
		if err := os.Symlink(name, filepath.Join(folder, "..data.new")); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(folder, "..data.new"), filepath.Join(folder, "..data")); err != nil {
			t.Fatal(err)
		}
	}
	version("..1", "one")
	path := filepath.Join(folder, "dragoman.yaml")
	if err := os.Symlink("..data/dragoman.yaml", path); err != nil {
		t.Fatal(err)
	}
	server := start(t, nil, "--config", path)
	version("..2", "two")
	server.await(t, "serves new requests")
	if got := asking(t, server, "two"); got != 200 {
		t.Errorf("status %d", got)
	}
}
