package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
)

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

// keyed is a configuration with a key.
const keyed = "auth: {keys: [%q]}\nupstreams: {sim: {kind: simulated}}\nmodels: [{name: \"*\", upstream: sim}]\n"

// watching returns a watcher of the file in a bubble, without listeners. loads counts how often the file was read.
func watching(t *testing.T, path string) (w *watcher, loads *atomic.Int64) {
	loads = new(atomic.Int64)
	load := func(running *config.Config) (*config.Config, error) {
		loads.Add(1)
		return config.Load(config.Source{File: path, Getenv: func(string) string { return "" }, Running: running})
	}
	cfg, err := load(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{process: process{metrics: metrics.New(""), log: zerolog.Nop()}, load: load}
	s.connections = newConnections(10, false, zerolog.Nop())
	w = newWatcher(s, cfg)
	first, err := s.generation(t.Context(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.swap(first)
	return w, loads
}

// While a file is written piece by piece, it is not taken over. Within two seconds after its last change, it is.
func TestFileThatIsBeingWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "dragoman.yaml")
		replace(t, path, "upstreams: {sim: {kind: simulated}}\nmodels:\n  - {name: claude-2.1, upstream: sim}\n  - {name: m, upstream: sim}\n")
		w, loads := watching(t, path)
		defer w.start(t.Context(), nil)()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for n := range 60 {
			fmt.Fprintf(f, "  - {name: m%d, upstream: sim}\n", n)
			time.Sleep(watchInterval / 5)
		}
		synctest.Wait()
		if loads.Load() != 1 {
			t.Errorf("the file was read %d times before it was written", loads.Load())
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if cfg := w.Config(); loads.Load() != 2 || len(cfg.Models) != 62 {
			t.Errorf("read %d times, and has %d models", loads.Load(), len(cfg.Models))
		}
	})
}

// A file that changes while the server starts is also read again. An unusable file is read repeatedly, even if it does
// not change itself.
func TestChangeBeforeTheWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "dragoman.yaml")
		replace(t, path, fmt.Sprintf(keyed, "the-first-of-two-keys"))
		w, loads := watching(t, path)
		secret := filepath.Join(t.TempDir(), "key")
		replace(t, path, fmt.Sprintf(keyed, "file:"+secret))
		stop := w.start(t.Context(), nil)
		time.Sleep(2*retryInterval + time.Second)
		synctest.Wait()
		if cfg := w.Config(); loads.Load() < 3 || loads.Load() > 5 || len(cfg.Files) != 0 {
			t.Errorf("the configuration was read %d times", loads.Load())
		}
		replace(t, secret, "the-other-of-two-keys")
		time.Sleep(2*retryInterval + time.Second)
		stop()
		if cfg := w.Config(); len(cfg.Files) != 1 || w.refused != "" {
			t.Errorf("the configuration is not the new one: %s", w.refused)
		}
	})
}
