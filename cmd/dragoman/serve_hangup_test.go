package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// keysFile returns a configuration with these elements of auth.keys, one a line.
func keysFile(url string, keys ...string) string {
	return fmt.Sprintf(`
auth:
  keys:
    - %s
upstreams: {slow: {kind: anthropic, base_url: %q}}
models: [{name: "*", upstream: slow, model: m}]
`, strings.Join(keys, "\n    - "), url)
}

// statusWith returns the status of an invalid request with a key.
func statusWith(t *testing.T, url, key string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/messages", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("x-api-key", key)
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// awaitStatus waits until a request with the key has this status.
func awaitStatus(t *testing.T, url, key string, want int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); statusWith(t, url, key) != want; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the status with %s is not %d", key, want)
		}
	}
}

// replace replaces a file atomically, as editors and Kubernetes do.
func replace(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// hangUp sends SIGHUP.
func (p *program) hangUp(t *testing.T) {
	t.Helper()
	if err := p.command.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
}

// If a pipe has replaced the configuration file, as after --config <(…), the log complains. Neither later reloads nor
// the end of the program wait for the pipe.
func TestHangUpWithPipe(t *testing.T) {
	path := write(t, "dragoman.yaml", keysFile("http://127.0.0.1:1", "the-key-of-the-beginning"))
	server := startProgram(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	server.hangUp(t)
	server.await(t, "no longer a regular file")
	replace(t, path, keysFile("http://127.0.0.1:1", "the-key-that-came-later"))
	server.hangUp(t)
	awaitStatus(t, server.url, "the-key-that-came-later", http.StatusBadRequest)
	server.mustEnd(t)
}

// mustEnd terminates the program, and fails unless it ends soon and successfully.
func (p *program) mustEnd(t *testing.T) {
	t.Helper()
	p.terminate(t)
	ended := make(chan error, 1)
	go func() { ended <- p.command.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the program does not end")
		_ = p.command.Process.Kill()
	}
}

// The same holds for a pipe in place of a file that the configuration names.
func TestPipeInPlaceOfAuthorities(t *testing.T) {
	ca := write(t, "ca.pem", string(newAuthority(t, "company").PEM()))
	path := write(t, "dragoman.yaml", fmt.Sprintf(`
upstreams: {relay: {kind: openai, base_url: "https://127.0.0.1:1/v1", ca: %q}}
models: [{name: "*", upstream: relay, model: m}]
`, ca))
	server := startProgram(t, path)
	if err := os.Remove(ca); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(ca, 0o600); err != nil {
		t.Fatal(err)
	}
	server.hangUp(t)
	server.await(t, "no regular file")
	server.mustEnd(t)
}

// A hundred reloads while streams are open and requests arrive: no stream ends, no request with a key in all of the
// files is rejected, and the latest keys count, also during the drain.
func TestHangUps(t *testing.T) {
	const streams, reloads = 20, 100
	model := newSlowModel(t)
	key := func(n int) string { return fmt.Sprintf("key-number-%05d", n) }
	file := func(n int) string { return keysFile(model.URL, "{name: all, key: the-key-that-stays}", key(n)) }
	path := write(t, "dragoman.yaml", file(0))
	server := startProgram(t, path)
	logged := make(chan string)
	go func() {
		var all strings.Builder
		for server.lines.Scan() {
			all.WriteString(server.lines.Text() + "\n")
		}
		logged <- all.String()
	}()

	var open sync.WaitGroup
	began := make(chan struct{}, streams)
	for range streams {
		open.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.url+"/v1/messages", strings.NewReader(streaming))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("x-api-key", "the-key-that-stays")
			response, err := client.Do(r)
			began <- struct{}{}
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			if all, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(all), "event: message_stop") {
				t.Errorf("a stream ended with %v:\n%s", err, all)
			}
		})
	}
	for range streams {
		<-began
	}
	for n := range reloads {
		replace(t, path, file(n+1))
		server.hangUp(t)
		if got := statusWith(t, server.url, "the-key-that-stays"); got != http.StatusBadRequest {
			t.Errorf("reload %d: status %d", n, got)
		}
	}
	awaitStatus(t, server.url, key(reloads), http.StatusBadRequest)
	if got := statusWith(t, server.url, key(0)); got != http.StatusUnauthorized {
		t.Errorf("the first key has status %d", got)
	}
	server.terminate(t)
	server.hangUp(t)
	close(model.release)
	open.Wait()
	all := <-logged
	if err := server.command.Wait(); err != nil {
		t.Errorf("the program ended with %v:\n%s", err, all)
	}
	for line := range strings.Lines(all) {
		decode[map[string]any](t, line)
	}
}

// An unusable file changes nothing, however often it is read, and is logged without its secrets. A file without keys is
// also unusable, because it would admit everybody.
func TestReloadRefused(t *testing.T) {
	const good, short = "the-key-that-stays", "sh0rt-s3cret"
	path := write(t, "dragoman.yaml", keysFile("http://127.0.0.1:1", good))
	server := startProgram(t, path)
	gauge := func() string {
		_, value, _ := strings.Cut(fetch(t, server.admin+"/metrics"), "\ndragoman_config_last_reload_success ")
		return value[:1]
	}
	for _, bad := range []string{
		keysFile("http://127.0.0.1:1", short),
		strings.Replace(keysFile("http://127.0.0.1:1", good), "  keys:\n    - "+good, "  keys: []", 1),
		"auth: {keys: [" + short + "\n",
	} {
		replace(t, path, bad)
		server.hangUp(t)
		if line := server.await(t, "cannot be used"); strings.Contains(line, short) || !strings.Contains(line, `"level":"error"`) {
			t.Errorf("logged %s", line)
		}
		if got := statusWith(t, server.url, good); got != http.StatusBadRequest || gauge() != "0" {
			t.Errorf("status %d, metric %s", got, gauge())
		}
	}
	replace(t, path, keysFile("http://127.0.0.1:2", good))
	server.hangUp(t)
	if line := server.await(t, "serves new requests"); !strings.Contains(line, `"changed":["upstream slow changed"]`) {
		t.Errorf("logged %s", line)
	}
	if gauge() != "1" {
		t.Errorf("metric %s", gauge())
	}
}

// If Kubernetes replaces a secret, a link points elsewhere, and nobody sends a signal.
func TestSecretReplaced(t *testing.T) {
	folder := t.TempDir()
	version := func(name, key string) {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		replace(t, filepath.Join(folder, name, "key"), key+"\n")
		if err := os.Symlink(name, filepath.Join(folder, "..data.new")); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(folder, "..data.new"), filepath.Join(folder, "..data")); err != nil {
			t.Fatal(err)
		}
	}
	version("..1", "the-first-of-two-keys")
	if err := os.Symlink("..data/key", filepath.Join(folder, "key")); err != nil {
		t.Fatal(err)
	}
	server := startProgram(t, write(t, "dragoman.yaml", keysFile("http://127.0.0.1:1", "{name: a, key: file:"+filepath.Join(folder, "key")+"}")))
	var reading sync.WaitGroup // reads the log: otherwise its pipe would fill up and block the server
	reading.Go(func() {
		for server.lines.Scan() {
		}
	})
	t.Cleanup(reading.Wait)
	t.Cleanup(func() { _ = server.command.Process.Kill() })
	if got := statusWith(t, server.url, "the-first-of-two-keys"); got != http.StatusBadRequest {
		t.Fatalf("status %d", got)
	}
	version("..2", "the-other-of-two-keys")
	awaitStatus(t, server.url, "the-other-of-two-keys", http.StatusBadRequest)
	if got := statusWith(t, server.url, "the-first-of-two-keys"); got != http.StatusUnauthorized {
		t.Errorf("the first key has status %d", got)
	}
}

// Without keys, a hang-up changes nothing and ends nothing.
func TestHangUpWithoutKeys(t *testing.T) {
	server := startProgram(t, write(t, "dragoman.yaml", simulatedFile))
	server.hangUp(t)
	server.await(t, "was read again")
	if got := status(t, server.admin+"/readyz"); got != http.StatusOK {
		t.Errorf("/readyz answers %d", got)
	}
}
