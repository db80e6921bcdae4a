package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/logging"
)

const (
	// watchInterval is how often the files of a configuration are checked. A changed file is read after it has stayed
	// the same for one interval: somebody may still be writing it.
	watchInterval = 500 * time.Millisecond
	// retryInterval is how often an unusable configuration is read again: it may refer to something that does not exist
	// yet.
	retryInterval = 2 * time.Second
)

// watcher reloads the configuration of a running server. It puts all of it in effect, or nothing. Settings that need a
// restart stay as they are, and the log names them.
type watcher struct {
	*Server

	file    string   // the configuration file; "" for none
	said    bool     // the file was not empty before
	files   []string // the files of the current configuration
	seen    []byte   // fingerprint of those files when they were last read
	refused string   // what is wrong with the latest version; "" if it is in effect
	retry   time.Time

	background sync.WaitGroup // goroutines that the watcher has started
}

// newWatcher returns the watcher of a configuration that has just been read. From now on it misses no change.
func newWatcher(s *Server, cfg *config.Config) *watcher {
	w := &watcher{Server: s, file: cfg.File, said: size(cfg.File) > 0, files: filesOf(cfg)}
	w.seen = w.fingerprint()
	s.metrics.ConfigServes(cfg.Hash())
	return w
}

// filesOf returns the files of a configuration.
func filesOf(cfg *config.Config) []string {
	if cfg.File == "" { // that of --api-key-file
		return cfg.Files
	}
	return append([]string{cfg.File}, cfg.Files...)
}

// start watches in the background until stop is called, which waits for the end. A draining server still takes over
// changes.
func (w *watcher) start(ctx context.Context, hangUps <-chan os.Signal) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w.lookAt(ctx, w.current().upstreams, nil)
	w.background.Go(func() { w.follow(ctx, hangUps) })
	return func() {
		cancel()
		w.background.Wait()
	}
}

// follow reloads the configuration after each hang-up, and whenever one of its files has changed, until ctx ends. It
// polls the files rather than waiting for events. So it notices a link that changes anywhere on the path, and files on
// a network.
func (w *watcher) follow(ctx context.Context, hangUps <-chan os.Signal) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	last := w.seen
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangUps:
			w.seen = w.fingerprint()
			w.reload(ctx)
		case <-tick.C:
			now := w.fingerprint()
			again := w.refused != "" && time.Now().After(w.retry)
			if bytes.Equal(now, last) && (again || !bytes.Equal(now, w.seen)) {
				w.seen = now
				w.reload(ctx)
			}
			last = now
		}
	}
}

// fingerprint returns a hash of the files' contents. It follows links, so that it notices when Kubernetes replaces a
// secret.
func (w *watcher) fingerprint() []byte {
	all := sha256.New()
	for _, path := range w.files {
		sum := sha256.New()
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			_, _ = io.WriteString(all, "no file") // writing to a hash never fails
		} else if f, err := os.Open(path); err == nil {
			_, _ = io.Copy(sum, f) // a file that cannot be read now is noticed next time
			f.Close()
		}
		all.Write(sum.Sum(nil))
	}
	return all.Sum(nil)
}

// reload reads the configuration and puts it in effect. An unusable configuration changes nothing, and is logged once.
func (w *watcher) reload(ctx context.Context) {
	running := w.Config()
	err := w.readable()
	var cfg *config.Config
	if err == nil {
		cfg, err = w.load(running)
	}
	changes := []string(nil)
	if err == nil {
		if changes = running.Changes(cfg); len(changes) > 0 {
			err = w.take(ctx, running, cfg)
		}
	}
	if err != nil {
		w.metrics.ConfigRefused()
		if err.Error() != w.refused {
			w.log.Error().Str("error", logging.Cut(err.Error())).Str("config", running.Hash()).
				Str("event", "reload_refused").Str("msg", "the configuration was read again, but cannot be used: the previous one stays in effect").Send()
		}
		w.refused, w.retry = err.Error(), time.Now().Add(retryInterval)
		return
	}
	w.metrics.ConfigServes(cfg.Hash())
	w.refused, w.said = "", size(w.file) > 0
	w.files = filesOf(cfg) // if the list of files has changed, they are read once more, because one may have changed in between
	w.tell(running, cfg, changes)
}

// readable returns an error if the configuration is no longer a regular file. It may have been a pipe at the start
// (--config <(…)), and reading it again would wait for ever. readable also rejects a file that has become empty:
// somebody has just begun to write it.
func (w *watcher) readable() error {
	if w.file == "" {
		return nil
	}
	info, err := os.Stat(w.file)
	switch {
	case err != nil || info.IsDir():
		return nil // load reports what is wrong
	case !info.Mode().IsRegular():
		return errors.New(w.file + " is no longer a regular file, so it is not read again")
	case info.Size() == 0 && w.said:
		return errors.New(w.file + " is empty now, so it is ignored until it has content")
	}
	return nil
}

// size returns the length of a file in bytes; 0 if it does not exist.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// take puts a configuration in effect for new requests. It returns an error, and changes nothing, if the configuration
// is unusable or would admit everybody.
func (w *watcher) take(ctx context.Context, running, cfg *config.Config) error {
	switch {
	case len(running.Keys) > 0 && len(cfg.Keys) == 0:
		return errors.New("auth.keys is gone: without keys everybody could use the server; restart it if you want that")
	case running.TLS.ClientCA != "" && cfg.TLS.ClientCA == "" && len(cfg.Keys) == 0:
		return errors.New("tls.client_ca is gone: without it everybody could use the server; restart it if you want that")
	}
	var identity *certificates
	if cfg.TLS != running.TLS {
		var err error
		if identity, err = newCertificates(cfg.TLS, w.log); err != nil {
			return err
		}
	}
	before := w.current()
	next, err := w.generation(ctx, cfg, before)
	if err != nil {
		return err
	}
	before.upstreams.giveUp(next.upstreams)
	if w.telemetry != nil {
		w.telemetry.Serve(cfg.Models)
	}
	w.swap(next)
	w.lookAt(ctx, next.upstreams, before.upstreams)
	w.connections.limit(mostConnections(cfg, w.log))
	if identity != nil {
		w.identity.use(identity)
	}
	return nil
}

// tell logs the names of what was put in effect, and of what needs a restart.
func (w *watcher) tell(running, cfg *config.Config, changes []string) {
	const most = 40
	what := "the configuration was read again, and has not changed"
	if len(changes) > 0 {
		what = "the configuration was read again, and serves new requests"
	}
	w.log.Info().Str("config", cfg.Hash()).Int("changes", len(changes)).Strs("changed", changes[:min(len(changes), most)]).Str("msg", what).Send()
	if len(cfg.Waits) > 0 {
		w.log.Warn().Strs("keys", cfg.Waits).Str("event", "restart_needed").Str("msg", "the configuration has changed in keys that need a restart: until then, they keep their values").Send()
	}
	for _, warning := range cfg.Warnings {
		known := slices.ContainsFunc(running.Warnings, func(before config.Problem) bool { return before.String() == warning.String() })
		if !known {
			w.log.Warn().Str("event", "configuration_warning").Str("msg", warning.String()).Send()
		}
	}
}
