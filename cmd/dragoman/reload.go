package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy"
)

// watchInterval is how often the files of a configuration are looked at. One that has
// changed is read when it has been the same for as long: it may still be being written.
const watchInterval = 2 * time.Second

// reloader reads the configuration of a running server again. The server takes over the
// keys of its clients, all of them or none; anything else takes a restart.
type reloader struct {
	load    func() (*config.Config, error)
	began   *config.Config // that the server began with
	server  *proxy.Server
	metrics *metrics.Metrics
	log     zerolog.Logger

	keyed   bool     // the server has keys
	files   []string // of the configuration that was read last
	serving []byte   // fingerprint of those files when they were read
	refused string   // what is wrong with the one that was read last; "" if it serves
}

// newReloader returns the reloader of a configuration that has just been read: from now on no
// change of its files is missed.
func newReloader(load func() (*config.Config, error), cfg *config.Config, m *metrics.Metrics, log zerolog.Logger) *reloader {
	r := &reloader{load: load, began: cfg, metrics: m, log: log, keyed: len(cfg.Keys) > 0, files: filesOf(cfg)}
	r.serving = r.fingerprint()
	return r
}

// filesOf returns the files that a configuration is made of.
func filesOf(cfg *config.Config) []string {
	if cfg.File == "" {
		return nil
	}
	return append([]string{cfg.File}, cfg.Files...)
}

// start follows in the background until stop is called, which waits for the end of it. A
// server that drains still takes over keys.
func (r *reloader) start(ctx context.Context, server *proxy.Server, hangUps <-chan os.Signal) (stop func()) {
	r.server = server
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var following sync.WaitGroup
	following.Go(func() { r.follow(ctx, hangUps) })
	return func() {
		cancel()
		following.Wait()
	}
}

// follow reads the configuration again for each of the hang-ups, and whenever one of its
// files has changed, until ctx ends. As long as the configuration cannot be used it is read
// at every look: it may refer to something new that is not there yet.
func (r *reloader) follow(ctx context.Context, hangUps <-chan os.Signal) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	seen := r.serving
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangUps:
			r.serving = r.fingerprint()
			r.reload()
		case <-tick.C:
			now := r.fingerprint()
			if bytes.Equal(now, seen) && (r.refused != "" || !bytes.Equal(now, r.serving)) {
				r.serving = now
				r.reload()
			}
			seen = now
		}
	}
}

// fingerprint returns a hash of what the files hold. A link is followed, so that a secret
// which Kubernetes replaces is another one.
func (r *reloader) fingerprint() []byte {
	all := sha256.New()
	for _, path := range r.files {
		sum := sha256.New()
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			_, _ = io.WriteString(all, "no file") // a hash never fails
		} else if f, err := os.Open(path); err == nil {
			_, _ = io.Copy(sum, f) // what cannot be read now is seen next time
			f.Close()
		}
		all.Write(sum.Sum(nil))
	}
	return all.Sum(nil)
}

// reload reads the configuration and takes over its keys. A configuration that cannot be
// used changes nothing, and is complained of once.
func (r *reloader) reload() {
	var cfg *config.Config
	err := r.readable()
	if err == nil {
		cfg, err = r.load()
	}
	if err == nil {
		err = r.take(cfg)
	}
	if err != nil {
		r.metrics.ConfigLoaded.Set(0)
		if err.Error() != r.refused {
			r.log.Error().Str("error", cut(err.Error())).Str("msg", "the configuration was read again and cannot be used: the keys stay as they were").Send()
		}
		r.refused = err.Error()
		return
	}
	r.metrics.ConfigLoaded.Set(1)
	r.refused, r.keyed, r.files = "", len(cfg.Keys) > 0, filesOf(cfg)
	r.log.Info().Int("keys", len(cfg.Keys)).Str("msg", "the configuration was read again, and its keys serve").Send()
	if differs(r.began, cfg) {
		r.log.Warn().Str("msg", "the configuration has changed in more than its keys: the rest needs a restart").Send()
	}
}

// readable returns an error if the configuration is not in a regular file by now. A pipe, which it
// may have been at the start (--config <(…)), would be waited for without end.
func (r *reloader) readable() error {
	if r.began.File == "" {
		return nil
	}
	if info, err := os.Stat(r.began.File); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return errors.New(r.began.File + " is no regular file, and is not read again")
	}
	return nil // what else is wrong is found by load
}

// take has the server take over the keys.
func (r *reloader) take(cfg *config.Config) error {
	if r.keyed && len(cfg.Keys) == 0 {
		return errors.New("auth.keys has gone: without keys everybody would be let in, which takes a restart")
	}
	return r.server.SetKeys(cfg.Keys)
}

// differs reports whether two configurations differ in more than their keys.
func differs(a, b *config.Config) bool {
	before, now := *a, *b
	for _, c := range []*config.Config{&before, &now} {
		c.Keys, c.Files, c.Warnings, c.Upstreams = nil, nil, nil, nil
	}
	return !reflect.DeepEqual(before, now) || !slices.EqualFunc(a.Upstreams, b.Upstreams, isSameUpstream)
}

// isSameUpstream compares two upstreams. A pool of certificates has functions, which are never
// equal: it compares itself.
func isSameUpstream(a, b config.Upstream) bool {
	sameRoots := a.Roots.Equal(b.Roots)
	a.Roots, b.Roots = nil, nil
	return sameRoots && a == b
}
