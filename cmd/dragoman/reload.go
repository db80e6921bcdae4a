package main

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

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy/telemetry"
)

const (
	// watchInterval is how often the files of a configuration are looked at. One that has
	// changed is read when it has been the same for as long: it may still be being written.
	watchInterval = 500 * time.Millisecond
	// retryInterval is how often a configuration that cannot be used is read again: it may refer
	// to something new that is not there yet.
	retryInterval = 2 * time.Second
)

// reloader reads the configuration of a running server again, and puts it in effect: all of it, or
// nothing. What takes a restart stays as it is, and is named.
type reloader struct {
	load    func(running *config.Config) (*config.Config, error)
	site    *site
	metrics *metrics.Metrics
	log     zerolog.Logger

	inspecting inspecting
	telemetry  *telemetry.Telemetry // nil for none

	file    string   // of the configuration; "" for none
	said    bool     // there was something in it
	files   []string // of the configuration in effect
	seen    []byte   // fingerprint of those files when they were read last
	refused string   // what is wrong with what was read last; "" if it is in effect
	retry   time.Time
}

// newReloader returns the reloader of a configuration that has just been read: from now on no
// change of its files is missed.
func newReloader(load func(running *config.Config) (*config.Config, error), cfg *config.Config, m *metrics.Metrics, log zerolog.Logger) *reloader {
	r := &reloader{load: load, metrics: m, log: log, file: cfg.File, said: size(cfg.File) > 0, files: filesOf(cfg)}
	r.seen = r.fingerprint()
	m.ConfigServes(cfg.Hash())
	return r
}

// filesOf returns the files that a configuration is made of.
func filesOf(cfg *config.Config) []string {
	if cfg.File == "" { // that of --api-key-file
		return cfg.Files
	}
	return append([]string{cfg.File}, cfg.Files...)
}

// start follows in the background until stop is called, which waits for the end of it. A
// server that drains still takes over what has changed.
func (r *reloader) start(ctx context.Context, s *site, hangUps <-chan os.Signal) (stop func()) {
	r.site = s
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var following sync.WaitGroup
	following.Go(func() { r.follow(ctx, hangUps) })
	return func() {
		cancel()
		following.Wait()
	}
}

// follow reads the configuration again for each of the hang-ups, and whenever one of its
// files has changed, until ctx ends. Files are looked at, and not waited for: a link that points
// elsewhere is seen, wherever on the path it is, and so is a file on a network.
func (r *reloader) follow(ctx context.Context, hangUps <-chan os.Signal) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	last := r.seen
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangUps:
			r.seen = r.fingerprint()
			r.reload(ctx)
		case <-tick.C:
			now := r.fingerprint()
			again := r.refused != "" && time.Now().After(r.retry)
			if bytes.Equal(now, last) && (again || !bytes.Equal(now, r.seen)) {
				r.seen = now
				r.reload(ctx)
			}
			last = now
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

// reload reads the configuration and puts it in effect. One that cannot be used changes nothing, and
// is complained of once.
func (r *reloader) reload(ctx context.Context) {
	running, _ := r.site.live.current()
	err := r.readable()
	var cfg *config.Config
	if err == nil {
		cfg, err = r.load(running)
	}
	changes := []string(nil)
	if err == nil {
		if changes = running.Changes(cfg); len(changes) > 0 {
			err = r.take(ctx, running, cfg)
		}
	}
	if err != nil {
		r.metrics.ConfigRefused()
		if err.Error() != r.refused {
			r.log.Error().Str("error", cut(err.Error())).Str("config", running.Hash()).
				Str("msg", "the configuration was read again and cannot be used: the one before goes on to serve").Send()
		}
		r.refused, r.retry = err.Error(), time.Now().Add(retryInterval)
		return
	}
	r.metrics.ConfigServes(cfg.Hash())
	r.refused, r.said = "", size(r.file) > 0
	r.files = filesOf(cfg) // if they are others, they are read once more: one may have changed since
	r.tell(running, cfg, changes)
}

// readable returns an error if the configuration is not in a regular file by now: a pipe, which it may
// have been at the start (--config <(…)), would be waited for without end. Neither is a file read
// from which all has gone: whoever writes it has just begun.
func (r *reloader) readable() error {
	if r.file == "" {
		return nil
	}
	info, err := os.Stat(r.file)
	switch {
	case err != nil || info.IsDir():
		return nil // what is wrong is found by load
	case !info.Mode().IsRegular():
		return errors.New(r.file + " is no regular file, and is not read again")
	case info.Size() == 0 && r.said:
		return errors.New(r.file + " is empty by now, and is not taken over before there is something in it")
	}
	return nil
}

// size returns how many bytes a file has, 0 if it is none.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// take puts a configuration in effect for new requests. It is an error, and nothing changes, if it
// cannot be used, or would let everybody in.
func (r *reloader) take(ctx context.Context, running, cfg *config.Config) error {
	switch {
	case len(running.Keys) > 0 && len(cfg.Keys) == 0:
		return errors.New("auth.keys has gone: without keys everybody would be let in, which takes a restart")
	case running.TLS.ClientCA != "" && cfg.TLS.ClientCA == "" && len(cfg.Keys) == 0:
		return errors.New("tls.client_ca has gone: without it everybody would be let in, which takes a restart")
	}
	var identity *certificates
	if cfg.TLS != running.TLS {
		var err error
		if identity, err = newCertificates(cfg.TLS, r.log); err != nil {
			return err
		}
	}
	live := r.site.live
	before := live.fleet()
	upstreams, err := newFleet(ctx, cfg, r.metrics, r.telemetry, before)
	if err != nil {
		return err
	}
	_, server := live.current()
	stays := func(name string) bool { return before[name] != nil && before[name] == upstreams[name] }
	opt := optionsOf(cfg, upstreams.byName(), r.metrics, r.telemetry, r.log)
	r.inspecting.options(&opt)
	next, err := server.Successor(opt, stays)
	if err != nil {
		upstreams.closeBut(before)
		return unusable(cfg, err)
	}
	before.giveUp(upstreams)
	if r.telemetry != nil {
		r.telemetry.Serve(cfg.Models)
	}
	live.swap(cfg, next, upstreams)
	r.site.connections.limit(mostConnections(cfg, r.log))
	if identity != nil {
		r.site.identity.use(identity)
	}
	return nil
}

// tell logs what was put in effect, by name, and what of it takes a restart.
func (r *reloader) tell(running, cfg *config.Config, changes []string) {
	const most = 40
	what := "the configuration was read again, and nothing in it has changed"
	if len(changes) > 0 {
		what = "the configuration was read again, and serves new requests"
	}
	r.log.Info().Str("config", cfg.Hash()).Int("changes", len(changes)).Strs("changed", changes[:min(len(changes), most)]).Str("msg", what).Send()
	if len(cfg.Waits) > 0 {
		r.log.Warn().Strs("keys", cfg.Waits).Str("msg", "the configuration has changed in what takes a restart: these stay as they were").Send()
	}
	for _, w := range cfg.Warnings {
		known := slices.ContainsFunc(running.Warnings, func(before config.Problem) bool { return before.String() == w.String() })
		if !known {
			r.log.Warn().Str("msg", w.String()).Send()
		}
	}
}
